// Cuts an answer to a length: long texts first, then long lists, and says what was left out.
import { LIMITS } from '@chauffeur/contract/limits';
import { defuse } from './defuse.ts';
import { renderAnswer } from './render.ts';
import { type Schema, schemaAt, schemaOf } from './schema-walk.ts';

type Cut = {
  /** Where, as `stack` or `builds[].title`. */
  readonly at: string;
  /** Items of a list, or characters of a text. */
  readonly shown: number;
  readonly of: number;
};

export type Fitted = { readonly value: object; readonly cuts: readonly Cut[]; readonly text: string };

/** How long texts and lists may be, tried in this order. The shortest texts still have room for every id and checksum. */
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

/** For the marks of what was cut, and a note on how to read on. */
const ROOM_FOR_NOTES = 1500;
/** An object that names its own fields. */
const MAX_FIELDS = 64;
const MAX_CUTS = 12;

/** Characters of the longer of the two ways in which an answer is sent. */
export function lengthOf(value: object, schema: Schema | undefined): number {
  return Math.max(JSON.stringify(value).length, renderAnswer(value, schema).length);
}

export function isShort(value: object, schema: Schema | undefined): boolean {
  return lengthOf(value, schema) <= LIMITS.agentAnswerLength - ROOM_FOR_NOTES;
}

/** `value` without what makes it too long, with the texts from outside defused. */
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

function largerOf(known: Cut | undefined, cut: Cut): Cut {
  return known !== undefined && known.of >= cut.of ? known : cut;
}

function cutValue(
  value: unknown,
  given: Schema | undefined,
  step: Step,
  at: string,
  note: (cut: Cut) => void,
): unknown {
  const schema = schemaOf(given, value);
  if (typeof value === 'string') return cutText(value, step.text, at, note);
  if (Array.isArray(value)) {
    const shown = value.slice(0, step.items);
    if (shown.length < value.length) note({ at, shown: shown.length, of: value.length });
    return shown.map((item) => cutValue(item, schemaAt(schema, 0), step, `${at}[]`, note));
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const known = schema?.properties ?? {};
  const shown = fields.filter(
    ([name], index) => Object.hasOwn(known, name) || index < Math.min(MAX_FIELDS, step.items),
  );
  if (shown.length < fields.length) note({ at, shown: shown.length, of: fields.length });
  return Object.fromEntries(
    shown.map(([name, field]) => {
      const isKnown = Object.hasOwn(known, name);
      const path = `${at === '' ? '' : `${at}.`}${isKnown ? name : '*'}`;
      return [isKnown ? name : defuse(name).slice(0, 100), cutValue(field, schemaAt(schema, name), step, path, note)];
    }),
  );
}

function cutText(value: string, most: number, at: string, note: (cut: Cut) => void): string {
  const text = defuse(value);
  if (text.length <= most) return text;
  note({ at, shown: most, of: text.length });
  return `${text.slice(0, most).toWellFormed()}…`;
}
