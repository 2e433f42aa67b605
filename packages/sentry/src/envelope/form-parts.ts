// Finds the event in the parts of a form with a minidump. Crashpad of sentry-native sends files in msgpack. Programs with
// Crashpad or Breakpad alone send it as JSON in a field `sentry`, or as one field for each value, such as
// `sentry[tags][level]`. Electron has JSON in `sentry___initialScope`.
import { parseJson } from '../json.ts';
import { entriesOf, fieldOf, isFields, timeOf } from '../values.ts';
import { decodeMsgpack } from './msgpack.ts';

const EVENT_PART = '__sentry-event';
const BREADCRUMB_PARTS = ['__sentry-breadcrumb1', '__sentry-breadcrumb2'] as const;
/** Larger parts are left out. */
export const MAX_EVENT_PART_BYTES = 1024 * 1024;

/** Whether the part of a form belongs to the event, so that it is not an attachment. */
export function isEventPart(name: string): boolean {
  return isEventFile(name) || isEventField(name);
}

/** Whether an event part is a file whose content is read. */
export function isEventFile(name: string): boolean {
  return name === EVENT_PART || (BREADCRUMB_PARTS as readonly string[]).includes(name);
}

/** Whether a text field belongs to the event, so that it is not an annotation. */
export function isEventField(name: string): boolean {
  return /^sentry(?:\[|__\d{1,4}$|___initialScope|$)/.test(name);
}

export type FormParts = {
  /** Text fields of the event, in the order in which they were sent. */
  readonly fields: Iterable<readonly [name: string, value: string]>;
  /** Files of the event by the name of their part. */
  readonly files: ReadonlyMap<string, Uint8Array>;
};

/** The event as if it had been sent as JSON; empty if the form has none. What is sent as msgpack has precedence. */
export function eventOfForm({ fields, files }: FormParts): Readonly<Record<string, unknown>> {
  const event = Object.create(null) as Record<string, unknown>;
  const fieldList = [...fields];
  merge(event, eventOfFields(fieldList));
  for (const [name, text] of fieldList)
    if (name === 'sentry' || name.startsWith('sentry___initialScope')) merge(event, parseText(text));
  merge(event, parseText(chunksOf(fieldList)));
  merge(event, decodeEvent(files.get(EVENT_PART)));
  const breadcrumbs = BREADCRUMB_PARTS.flatMap((name) => decodeAll(files.get(name)));
  if (breadcrumbs.length > 0) event.breadcrumbs = newest(breadcrumbs);
  return event;
}

/** The event that the plug-in for Unreal adds to the game's data in the crash context, as JSON in `__sentry`. */
export function eventOfUnreal(gameData: string): unknown {
  return parseText(gameData);
}

function parseText(text: string): unknown {
  return text === '' ? undefined : parseJson(Buffer.from(text), MAX_FORM_VALUES);
}

const MAX_FORM_VALUES = 100_000;

/** Crashpad cuts long annotations into `sentry__1`, `sentry__2` and so on. */
function chunksOf(fields: readonly (readonly [string, string])[]): string {
  return fields
    .flatMap(([name, text]) => {
      const number = /^sentry__(\d{1,4})$/.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), text }];
    })
    .sort((a, b) => a.number - b.number)
    .map(({ text }) => text)
    .join('');
}

const MAX_FIELDS = 1000;
const MAX_DEPTH = 8;

/** `sentry[tags][level]=garage` is `{ tags: { level: 'garage' } }`. Objects have no prototype, so any name is safe. */
function eventOfFields(fields: readonly (readonly [string, string])[]): unknown {
  const event = Object.create(null) as Record<string, unknown>;
  for (const [name, text] of fields.slice(0, MAX_FIELDS)) {
    const path = name.startsWith('sentry[') ? pathOf(name) : null;
    if (path !== null) assign(event, path, text);
  }
  return withLists(event);
}

function pathOf(name: string): readonly string[] | null {
  const parts = [...name.slice(0, 1024).matchAll(/\[([^\][]{1,200})\]/g)].map(([, part]) => part!);
  return parts.length > 0 && parts.length <= MAX_DEPTH ? parts : null;
}

function assign(target: Record<string, unknown>, path: readonly string[], text: string): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    target[name] = text;
    return;
  }
  const next = isFields(target[name])
    ? (target[name] as Record<string, unknown>)
    : (Object.create(null) as Record<string, unknown>);
  target[name] = next;
  assign(next, rest, text);
}

/** `exception[values][0][type]` is a list, whose items are in the order of their numbers. */
function withLists(value: unknown): unknown {
  if (!isFields(value)) return value;
  const entries = Object.entries(value);
  if (entries.length > 0 && entries.every(([name]) => /^\d{1,4}$/.test(name)))
    return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => withLists(item));
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, item] of entries) copy[name] = withLists(item);
  return copy;
}

/** Adds the fields of `source`; objects of one level, such as tags, are joined. */
function merge(target: Record<string, unknown>, source: unknown): void {
  for (const [name, value] of entriesOf(source, MAX_FIELDS)) {
    const present = fieldOf(target, name);
    if (!isFields(present) || !isFields(value)) {
      target[name] = value;
      continue;
    }
    const joined = Object.create(null) as Record<string, unknown>;
    for (const [key, item] of [...entriesOf(present, MAX_FIELDS), ...entriesOf(value, MAX_FIELDS)]) joined[key] = item;
    target[name] = joined;
  }
}

function decodeEvent(bytes: Uint8Array | undefined): unknown {
  return decodeAll(bytes)[0];
}

function decodeAll(bytes: Uint8Array | undefined): unknown[] {
  return bytes === undefined || bytes.length > MAX_EVENT_PART_BYTES ? [] : decodeMsgpack(bytes).filter(isFields);
}

/** The two files are written in turns. */
const MAX_BREADCRUMBS = 100;

function newest(breadcrumbs: readonly unknown[]): unknown[] {
  return breadcrumbs
    .map((breadcrumb) => ({ breadcrumb, time: timeOf(fieldOf(breadcrumb, 'timestamp')) ?? 0 }))
    .sort((a, b) => a.time - b.time)
    .slice(-MAX_BREADCRUMBS)
    .map(({ breadcrumb }) => breadcrumb);
}
