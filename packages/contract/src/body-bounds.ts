// How large a JSON body can be if it matches its schema. The server checks these bounds before it parses a body, so an
// operation with a small body accepts no large one.
import type { TSchema } from 'typebox';
import { KIB, MIB } from './limits.ts';
import type { Operation } from './operation.ts';

/** The limits in bytes and in values: objects, lists, texts, numbers and so on, at any depth. */
export type BodyBounds = { readonly bytes: number; readonly values: number };

/** The limit of bodies whose schema has no bound, such as a record with any names. */
const MAX_BYTES = MIB;
/** Room for spaces, and for fields that only other versions of the service have. */
const SPARE_BYTES = 32 * KIB;
const SPARE_VALUES = 1000;
/** A bound is a multiple of this, so that small changes of a schema do not move it. */
const STEP_BYTES = 64 * KIB;

/** The bounds of the body, of which `bodyLimit` of the operation sets the bytes. */
export function bodyBoundsOf({ body, bodyLimit }: Operation): BodyBounds {
  const size = body === undefined ? { bytes: 0, values: 0 } : sizeOf(body);
  const needed = Math.ceil((size.bytes + SPARE_BYTES) / STEP_BYTES) * STEP_BYTES;
  const bytes = bodyLimit ?? Math.min(needed, MAX_BYTES);
  return { bytes, values: Math.min(size.values + SPARE_VALUES, maxValuesIn(bytes)) };
}

/**
 * The values that a body of this many bytes may have. Real ones have fewer, because a value and its name take more than
 * this. `[{},{},…]` has six times as many, and each costs as much to parse as a long text.
 */
export function maxValuesIn(bytes: number): number {
  return Math.ceil(bytes / 16);
}

/** A character beyond the Basic Multilingual Plane, written as two escapes. */
const CHARACTER_BYTES = 12;
const NUMBER_BYTES = 32;
const TIME_BYTES = 128;
/** A text whose pattern has no `*`, `+` or `{n,}`. All patterns of the contract match fewer characters. */
const PATTERN_LENGTH = 128;
const UNLIMITED_PATTERN = /(^|[^\\])([*+]|\{\d+,\})/;

type Schema = {
  readonly type?: string;
  readonly anyOf?: readonly TSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
};

/** Infinite for schemas without a bound. */
function sizeOf(schema: TSchema): BodyBounds {
  const { type, anyOf, enum: choices, const: only, properties, items, maxItems = Infinity } = schema as Schema;
  if (anyOf !== undefined) return largestOf(anyOf.map(sizeOf));
  if (choices !== undefined) return largestOf(choices.map(sizeOfValue));
  if (only !== undefined) return sizeOfValue(only);
  switch (type) {
    case 'object':
      return properties === undefined ? UNBOUNDED : sizeOfFields(properties);
    case 'array': {
      const { bytes, values } = items === undefined ? UNBOUNDED : sizeOf(items);
      return { bytes: maxItems * (bytes + 1) + 2, values: maxItems * values + 1 };
    }
    case 'string':
      return { bytes: CHARACTER_BYTES * maxLengthOf(schema as Schema) + 2, values: 1 };
    case undefined:
      return UNBOUNDED;
    default:
      return { bytes: NUMBER_BYTES, values: 1 };
  }
}

const UNBOUNDED: BodyBounds = { bytes: Infinity, values: Infinity };

function sizeOfFields(properties: Readonly<Record<string, TSchema>>): BodyBounds {
  let [bytes, values] = [2, 1];
  for (const [name, field] of Object.entries(properties)) {
    const size = sizeOf(field);
    bytes += name.length + 4 + size.bytes;
    values += size.values;
  }
  return { bytes, values };
}

function sizeOfValue(value: unknown): BodyBounds {
  return { bytes: CHARACTER_BYTES * String(value).length + 2, values: 1 };
}

function largestOf(sizes: readonly BodyBounds[]): BodyBounds {
  return {
    bytes: Math.max(...sizes.map(({ bytes }) => bytes)),
    values: Math.max(...sizes.map(({ values }) => values)),
  };
}

function maxLengthOf({ maxLength, pattern, format }: Schema): number {
  if (maxLength !== undefined) return maxLength;
  if (format === 'date-time') return TIME_BYTES;
  return pattern === undefined || UNLIMITED_PATTERN.test(pattern) ? Infinity : PATTERN_LENGTH;
}
