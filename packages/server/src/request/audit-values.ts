// Decides what the audit log stores of a call: bounded values, and only fields of a request that can't hold a secret.
import type { Operation } from '@chauffeur/contract/operation';
import { isUuid } from '../kernel/secrets/ids.ts';
import { isObject } from './json-values.ts';

const MAX_TEXT = 500;
const MAX_ITEMS = 50;
const MAX_DEPTH = 4;
const MAX_VALUE_CHARACTERS = 4000;
const MAX_CLIENT = 200;

/**
 * Parameters of paths that name what is changed. Others may be secrets, such as the token of an invitation. The id of a
 * device is left out, so that nothing has it once its data was deleted.
 */
const TARGET = /^(uid|channel|image|part|(?!device_)[a-z]+_(uid|id))$/;

type Schema = { readonly properties?: Readonly<Record<string, unknown>> };

/** The targets in the path, and the fields that are flags, numbers, ids or listed values. */
export function detailsOf(operation: Operation, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const details: Record<string, unknown> = {};
  const add = (name: string, value: unknown) => {
    if (value !== undefined) details[name] = bounded(value);
  };
  for (const name of namesOf(operation.params)) if (TARGET.test(name)) add(name, input[name]);
  for (const part of [operation.query, operation.body] as (Schema | undefined)[]) {
    for (const [name, schema] of Object.entries(part?.properties ?? {}))
      if (isPlain(input[name], schema)) add(name, input[name]);
  }
  return details;
}

function namesOf(part: unknown): string[] {
  return Object.keys((part as Schema | undefined)?.properties ?? {});
}

/** A text is kept only if the schema lists its values, or if it is an id. */
function isPlain(value: unknown, schema: unknown): boolean {
  if (typeof value === 'boolean' || typeof value === 'number' || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, (schema as { items?: unknown }).items));
  return typeof value === 'string' && (isUuid(value) || isListed(value, schema));
}

function isListed(value: string, schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  const choices = schema.anyOf;
  return schema.const === value || (Array.isArray(choices) && choices.some((choice) => isListed(value, choice)));
}

/** Cuts long texts and lists, so that an entry has a bounded size. */
export function bounded(value: unknown): unknown {
  const cut = cutValue(value, 0);
  const text = JSON.stringify(cut) ?? 'null';
  return text.length <= MAX_VALUE_CHARACTERS ? cut : `${text.slice(0, MAX_TEXT)}…`;
}

function cutValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}…`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) {
    if (depth >= MAX_DEPTH) return '…';
    const items = value.slice(0, MAX_ITEMS).map((item) => cutValue(item, depth + 1));
    return value.length <= MAX_ITEMS ? items : [...items, `… and ${value.length - MAX_ITEMS} more`];
  }
  if (!isObject(value)) return value ?? null;
  if (depth >= MAX_DEPTH) return '…';
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([name, item]) => [name, cutValue(item, depth + 1)]));
}

/** The User-Agent header on one line; null without one. */
export function clientOf(header: string | undefined): string | null {
  const client = header?.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim() ?? '';
  return client === '' ? null : client.slice(0, MAX_CLIENT);
}
