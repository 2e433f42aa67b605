// Cuts a result to the maximum length, first its long texts and then its long lists, and reports what was left out.
import { LIMITS } from '@chauffeur/contract/limits';
import { escapeHidden, renderAnswer } from './render.ts';
import { type Schema, schemaAt, schemaOf } from './schema-walk.ts';

type Cut = {
  /** The path, such as `stack` or `builds[].title`. */
  readonly at: string;
  /** Number of items of a list, or characters of a text. */
  readonly shown: number;
  readonly of: number;
};

export type Fitted = { readonly value: object; readonly cuts: readonly Cut[]; readonly text: string };

/**
 * Maximum lengths of texts and lists, tried in this order. The shortest texts still have room for every id and
 * checksum.
 */
const STEPS = [
  { text: 8000, items: 1000 },
  { text: 2000, items: 300 },
  { text: 1000, items: 200 },
  { text: 500, items: 100 },
  { text: 250, items: 64 },
  { text: 120, items: 40 },
  { text: 100, items: 20 },
  { text: 100, items: 8 },
  { text: 100, items: 3 },
  { text: 100, items: 1 },
] as const;

/** Characters reserved for the list of cuts and for how to get the rest. */
const ROOM_FOR_NOTES = 1500;
/** The limit of objects whose field names are not in the schema. */
const MAX_FIELDS = 64;
const MAX_CUTS = 12;

/** The length of the result as text or as JSON, whichever is longer. */
export function lengthOf(value: object, schema: Schema | undefined): number {
  return Math.max(JSON.stringify(value).length, renderAnswer(value, schema).length);
}

export function isShort(value: object, schema: Schema | undefined): boolean {
  return lengthOf(value, schema) <= LIMITS.agentAnswerLength - ROOM_FOR_NOTES;
}

/** Returns `value` cut to the maximum length, with hidden characters escaped. */
export function fit(value: object, schema: Schema | undefined): Fitted {
  let cut = cutTo(value, schema, { text: Number.MAX_SAFE_INTEGER, items: Number.MAX_SAFE_INTEGER });
  for (const step of STEPS) {
    if (isShort(cut.value, schema)) break;
    cut = cutTo(value, schema, step);
  }
  return { ...cut, text: renderAnswer(cut.value, schema) };
}

type Step = { readonly text: number; readonly items: number };

function cutTo(value: object, schema: Schema | undefined, step: Step): { value: object; cuts: Cut[] } {
  const cuts = new Map<string, Cut>();
  const note = (cut: Cut) => {
    if (cuts.has(cut.at) || cuts.size < MAX_CUTS) cuts.set(cut.at, largerOf(cuts.get(cut.at), cut));
  };
  return { value: cutValue(value, schema, step, '', note) as object, cuts: [...cuts.values()] };
}

function largerOf(previous: Cut | undefined, cut: Cut): Cut {
  return previous !== undefined && previous.of >= cut.of ? previous : cut;
}

function cutValue(
  value: unknown,
  declared: Schema | undefined,
  step: Step,
  at: string,
  note: (cut: Cut) => void,
): unknown {
  const schema = schemaOf(declared, value);
  if (typeof value === 'string') return cutText(value, step.text, at, note);
  if (Array.isArray(value)) {
    const shown = value.slice(0, step.items);
    if (shown.length < value.length) note({ at, shown: shown.length, of: value.length });
    return shown.map((item) => cutValue(item, schemaAt(schema, 0), step, `${at}[]`, note));
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const properties = schema?.properties ?? {};
  const shown = fields.filter(
    ([name], index) => Object.hasOwn(properties, name) || index < Math.min(MAX_FIELDS, step.items),
  );
  if (shown.length < fields.length) note({ at, shown: shown.length, of: fields.length });
  return Object.fromEntries(
    shown.map(([name, field]) => {
      const isDeclared = Object.hasOwn(properties, name);
      const path = `${at === '' ? '' : `${at}.`}${isDeclared ? name : '*'}`;
      return [
        isDeclared ? name : escapeHidden(name).slice(0, 100),
        cutValue(field, schemaAt(schema, name), step, path, note),
      ];
    }),
  );
}

function cutText(value: string, maxLength: number, at: string, note: (cut: Cut) => void): string {
  const text = escapeHidden(value);
  if (text.length <= maxLength) return text;
  note({ at, shown: maxLength, of: text.length });
  return `${text.slice(0, maxLength).toWellFormed()}…`;
}
