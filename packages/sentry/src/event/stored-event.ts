// Writes events as JSON to be kept, and reads them again. Most fields of most events are empty, so these are left out: a
// frame has 13 fields, of which a managed one uses four. JSON has no numbers of 64 bits, so addresses are written as
// `0x1f`.
import { formatAddress } from '../ids.ts';
import { fieldOf, isFields } from '../values.ts';
import type {
  Breadcrumb,
  SentryException,
  SentryFrame,
  SentryImage,
  SentryThread,
  Stack,
  StoredEvent,
} from './event.ts';

/** Increase it with a change of the type that older events don't fit, and read those, too. */
const VERSION = 1;

export function writeEvent(event: StoredEvent): string {
  return JSON.stringify({ version: VERSION, event: withoutEmpty(storedOf(event)) });
}

/** An event without what its report has in columns, so that nothing private is kept of it, such as the user's name. */
function storedOf(event: StoredEvent): StoredEvent {
  const { occurredAt, level, platform, release, dist, environment, transaction, message } = event;
  const { exceptions, threads, images, breadcrumbs, system, fingerprint, sdk, omissions } = event;
  return {
    ...{ occurredAt, level, platform, release, dist, environment, transaction, message },
    ...{ exceptions, threads, images, breadcrumbs, system, fingerprint, sdk, omissions },
  };
}

/** A copy of an object or a list without the fields that are null, an empty text or an empty list. */
function withoutEmpty(value: object): object {
  if (Array.isArray(value)) return value.map(toJson);
  const full: Record<string, unknown> = {};
  for (const name in value) {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (field === '' || field === null || (Array.isArray(field) && field.length === 0)) continue;
    full[name] = toJson(field);
  }
  return full;
}

function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return formatAddress(value);
  return typeof value === 'object' && value !== null ? withoutEmpty(value) : value;
}

/** What of a type may have been left out, or all of it. */
type Stored<Type> = { readonly [Name in keyof Type]?: unknown };

/** Reads what `writeEvent` wrote. Throws SyntaxError for anything else. */
export function readEvent(text: string): StoredEvent {
  const stored: unknown = JSON.parse(text);
  const event = fieldOf(stored, 'event') as Stored<StoredEvent>;
  if (fieldOf(stored, 'version') !== VERSION || !isFields(event)) throw new SyntaxError('not a stored event');
  return {
    ...EMPTY.event,
    ...event,
    exceptions: listOf<SentryException>(event.exceptions).map(readException),
    threads: listOf<SentryThread>(event.threads).map(readThread),
    images: listOf<SentryImage>(event.images).map(readImage),
    breadcrumbs: listOf<Breadcrumb>(event.breadcrumbs).map((breadcrumb) => ({ ...EMPTY.breadcrumb, ...breadcrumb })),
    system: { ...EMPTY.event.system, ...(event.system as object) },
    sdk: { ...EMPTY.event.sdk, ...(event.sdk as object) },
  } as StoredEvent;
}

function listOf<Type>(stored: unknown): readonly Stored<Type>[] {
  return (stored ?? []) as readonly Stored<Type>[];
}

function readException(stored: Stored<SentryException>): SentryException {
  const { signal } = stored;
  return {
    ...EMPTY.exception,
    ...stored,
    signal: signal == null ? null : { ...EMPTY.signal, ...signal },
    stack: readStack(stored.stack),
  } as SentryException;
}

function readThread(stored: Stored<SentryThread>): SentryThread {
  return { ...EMPTY.thread, ...stored, stack: readStack(stored.stack) } as SentryThread;
}

function readStack(stored: unknown): Stack {
  const stack = stored as Stored<Stack>;
  return { ...EMPTY.stack, ...stack, frames: listOf<SentryFrame>(stack.frames).map(readFrame) } as Stack;
}

function readFrame(stored: Stored<SentryFrame>): SentryFrame {
  const { address, source } = stored;
  return {
    ...EMPTY.frame,
    ...stored,
    address: addressOf(address),
    source: source == null ? null : { ...EMPTY.source, ...source },
  } as SentryFrame;
}

function readImage(stored: Stored<SentryImage>): SentryImage {
  return { ...EMPTY.image, ...stored, address: addressOf(stored.address) } as SentryImage;
}

function addressOf(stored: unknown): bigint | null {
  return typeof stored === 'string' ? BigInt(stored) : null;
}

/** The fields that are left out where they are empty. */
const EMPTY = {
  event: {
    occurredAt: null,
    release: '',
    dist: '',
    environment: '',
    transaction: '',
    message: '',
    system: { os: '', arch: '', engineVersion: '', facts: [] },
    fingerprint: null,
    sdk: { name: '', version: '' },
    omissions: [],
  },
  exception: { type: '', value: '', module: '', mechanism: '', isHandled: null, threadId: '' },
  signal: { name: '', number: null },
  thread: { id: '', name: '' },
  stack: { registers: [] },
  frame: {
    function: '',
    module: '',
    file: '',
    path: '',
    line: null,
    column: null,
    isInApp: null,
    platform: '',
    package: '',
    relativeTo: null,
    trust: '',
  },
  source: { before: [], line: '', after: [] },
  image: { type: '', file: '', debugFile: '', debugId: null, codeId: null, size: null, arch: '' },
  breadcrumb: { time: null, type: '', category: '', message: '', data: [] },
} as const;
