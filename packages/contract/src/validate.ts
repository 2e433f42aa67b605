// Checks a value against a schema, and describes the first problem in a sentence with the field, the problem and what
// is expected. A check takes time in proportion to the part of the value that the schema has room for: it looks at the
// length of a list or text before its content, and stops at the first problem.
import type { TSchema } from 'typebox';
import { Format } from 'typebox/format';
import { formOfPattern } from './forms.ts';

/**
 * Null if `value` matches `schema`, otherwise a sentence such as `version: longer than 32 characters.` It never
 * contains the value.
 */
export function findProblem(schema: TSchema, value: unknown): string | null {
  return format(checkOf(schema)(value, 0));
}

/**
 * Null if every text in `value` can be stored, otherwise a sentence. For input that is not validated by a schema here.
 */
export function findTextProblem(value: unknown): string | null {
  return format(checkTexts(value, 0));
}

type Problem = {
  /** Names of fields and numbers of items, from the outermost. */
  readonly path: (string | number)[];
  readonly text: string;
  /** Set if the value itself has another type than these. */
  readonly types?: readonly string[];
  /** Set if the value itself is not one of these. */
  readonly choices?: readonly unknown[];
};

/** `depth` is the number of objects and lists around the value. */
type Check = (value: unknown, depth: number) => Problem | null;

function format(problem: Problem | null): string | null {
  return problem && `${fieldName(problem.path)}: ${problem.text}`;
}

const MAX_NAME_LENGTH = 120;

/** `changelog_items[3].title`; the value itself is `body`. */
function fieldName(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'body';
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed();
}

function problem(text: string): Problem {
  return { path: [], text };
}

function wrongType(...types: readonly string[]): Problem {
  return { path: [], text: `must be of type ${types.join(' or ')}.`, types };
}

function noChoice(choices: readonly unknown[]): Problem {
  return { path: [], text: `not an accepted value. Use one of ${choices.join(', ')}.`, choices };
}

/** The problem of a part, seen from the object or list that it is in. */
function inside(part: string | number, found: Problem): Problem {
  return {
    path: [typeof part === 'string' ? part.slice(0, MAX_NAME_LENGTH) : part, ...found.path],
    text: found.text,
  };
}

/** The keywords of JSON Schema that are checked; some are read only for values of their type. */
type Schema = {
  readonly type?: string;
  readonly description?: string;
  readonly anyOf?: readonly TSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: boolean;
  readonly items?: TSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
};

const CHECKED = [
  ...['type', 'anyOf', 'const', 'enum', 'properties', 'required', 'patternProperties', 'additionalProperties'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems', 'minLength', 'maxLength', 'pattern', 'format'],
  ...['minimum', 'maximum'],
];
const NOTES = ['description', 'title', 'default', 'examples', 'contentMediaType', 'x-untrusted'];
const KEYWORDS: ReadonlySet<string> = new Set([...CHECKED, ...NOTES]);

const checks = new WeakMap<TSchema, Check>();

function checkOf(schema: TSchema): Check {
  let check = checks.get(schema);
  if (check === undefined) {
    check = createCheck(schema as Schema);
    checks.set(schema, check);
  }
  return check;
}

function createCheck(schema: Schema): Check {
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) throw new Error(`The keyword ${unknown} of a schema is not checked`);
  if (schema.anyOf !== undefined) return checkAny(schema.anyOf.map(checkOf));
  if (schema.enum !== undefined) return checkChoice(schema.enum);
  if (schema.const !== undefined) return checkChoice([schema.const]);
  switch (schema.type) {
    case undefined:
      return checkTexts;
    case 'object':
      return checkObject(schema);
    case 'array':
      return checkList(schema);
    case 'string':
      return checkString(schema);
    case 'integer':
    case 'number':
      return checkNumber(schema);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? null : wrongType('boolean'));
    case 'null':
      return (value) => (value === null ? null : wrongType('null'));
    default:
      throw new Error(`The type ${schema.type} of a schema is not checked`);
  }
}

function checkChoice(choices: readonly unknown[]): Check {
  return (value) => (choices.includes(value) ? null : noChoice(choices));
}

/** Describes what the alternative of the value's own type objects to; all types or choices if no alternative has it. */
function checkAny(alternatives: readonly Check[]): Check {
  return (value, depth) => {
    const found: Problem[] = [];
    for (const check of alternatives) {
      const objection = check(value, depth);
      if (objection === null) return null;
      found.push(objection);
    }
    const choices = found.flatMap((objection) => objection.choices ?? []);
    const types = [...new Set(found.flatMap((objection) => objection.types ?? []))];
    const inner = found.find((objection) => objection.types === undefined && objection.choices === undefined);
    return inner ?? (choices.length > 0 ? noChoice(choices) : wrongType(...types));
  };
}

function checkObject(schema: Schema): Check {
  const { required = [], properties = {}, patternProperties = {}, additionalProperties = true } = schema;
  const fields = Object.entries(properties).map(([name, field]) => ({ name, check: checkOf(field) }));
  const names = new Set(Object.keys(properties));
  const [record, ...others] = Object.entries(patternProperties);
  if (others.length > 0 || (record !== undefined && record[0] !== ANY_NAME))
    throw new Error('Only records with any names are checked');
  const checkOther = record === undefined ? checkTexts : checkOf(record[1]);

  return (value, depth) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrongType('object');
    const object = value as Readonly<Record<string, unknown>>;
    for (const name of required) if (ownField(object, name) === undefined) return inside(name, MISSING);
    for (const { name, check } of fields) {
      const field = ownField(object, name);
      // A client of our own leaves out a field by setting it to undefined.
      const found = field === undefined ? null : check(field, depth + 1);
      if (found !== null) return inside(name, found);
    }
    for (const name of Object.keys(object)) {
      if (names.has(name)) continue;
      if (record === undefined && !additionalProperties) return inside(name, UNKNOWN_FIELD);
      const invalid = checkText(name);
      if (invalid !== null) return invalid;
      const found = checkOther(object[name], depth + 1);
      if (found !== null) return inside(name, found);
    }
    return null;
  };
}

/** The pattern that TypeBox gives the names of a record. */
const ANY_NAME = '^.*$';
const MISSING = problem('missing. Send it.');
const UNKNOWN_FIELD = problem('unknown. Leave it out, or correct its name.');
const REPEATED = problem('repeats an earlier item. Send each item once.');

/** Undefined for what every object inherits, such as `toString`. */
function ownField(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function checkList({ items, minItems = 0, maxItems, uniqueItems = false }: Schema): Check {
  const check = items === undefined ? checkTexts : checkOf(items);
  const hasSimpleItems = items !== undefined && ['string', 'number', 'integer'].includes((items as Schema).type ?? '');
  const hasChoices = items !== undefined && (items as Schema).enum !== undefined;
  if (uniqueItems && !hasSimpleItems && !hasChoices) throw new Error('Only simple items are compared');

  return (value, depth) => {
    if (!Array.isArray(value)) return wrongType('array');
    if (maxItems !== undefined && value.length > maxItems) return problem(`more than ${maxItems} items. Send fewer.`);
    if (value.length < minItems) return problem(`fewer than ${minItems} items. Send more.`);
    const found = checkItems(value, check, depth);
    if (found !== null) return found;
    if (!uniqueItems || new Set(value).size === value.length) return null;
    return inside(
      value.findIndex((item, index) => value.indexOf(item) < index),
      REPEATED,
    );
  };
}

function checkItems(list: readonly unknown[], check: Check, depth: number): Problem | null {
  for (let index = 0; index < list.length; index += 1) {
    const found = check(list[index], depth + 1);
    if (found !== null) return inside(index, found);
  }
  return null;
}

function checkString({ minLength = 0, maxLength, pattern, format: name, description }: Schema): Check {
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const hasFormat = formatOf(name);
  const form = formOfPattern(pattern) ?? description;
  const wrongForm = problem(form === undefined ? 'has the wrong format.' : `not valid. Expected: ${form}.`);
  const tooShort = minLength === 1 ? EMPTY : problem(`shorter than ${minLength} characters. Send a longer text.`);

  return (value) => {
    if (typeof value !== 'string') return wrongType('string');
    if (maxLength !== undefined && isLonger(value, maxLength))
      return problem(`longer than ${maxLength} characters. Shorten it.`);
    if (minLength > 0 && !isLonger(value, minLength - 1)) return tooShort;
    const invalid = checkText(value);
    if (invalid !== null) return invalid;
    return hasFormat(value) && expression?.test(value) !== false ? null : wrongForm;
  };
}

const EMPTY = problem('empty. Send a value.');
/** Longer than a time in any form. */
const MAX_TIME_LENGTH = 100;
const isDateTime = Format.Get('date-time');

function formatOf(name: string | undefined): (text: string) => boolean {
  if (name === undefined || name === 'binary') return () => true;
  if (name !== 'date-time') throw new Error(`The format ${name} of a schema is not checked`);
  // RFC 3339 has leap seconds, and RFC 9557 names of time zones, which Date does not accept.
  return (text) =>
    text.length <= MAX_TIME_LENGTH && isDateTime?.(text) === true && !Number.isNaN(new Date(text).getTime());
}

function checkNumber({ type = 'number', minimum, maximum }: Schema): Check {
  const isNumber = type === 'integer' ? Number.isInteger : Number.isFinite;
  return (value) => {
    if (!isNumber(value)) return wrongType(type);
    const number = value as number;
    if (minimum !== undefined && number < minimum) return problem(`must be >= ${minimum}.`);
    if (maximum !== undefined && number > maximum) return problem(`must be <= ${maximum}.`);
    return null;
  };
}

/** Deeper than any schema. Without a limit, a body of nested brackets could overflow the stack. */
const MAX_DEPTH = 32;

/** Checks only the texts of a value, and its depth. */
function checkTexts(value: unknown, depth: number): Problem | null {
  if (typeof value === 'string') return checkText(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH) return problem(`nested deeper than ${MAX_DEPTH} levels. Send the documented shape.`);
  if (Array.isArray(value)) return checkItems(value, checkTexts, depth);
  for (const name of Object.keys(value)) {
    const invalid = checkText(name);
    if (invalid !== null) return invalid;
    const found = checkTexts(value[name as keyof typeof value], depth + 1);
    if (found !== null) return inside(name, found);
  }
  return null;
}

/** PostgreSQL cannot store U+0000 or lone surrogates in text (PostgreSQL documentation, "Character Types"). */
function checkText(text: string): Problem | null {
  if (text.includes('\u0000')) return problem('contains a NUL character. Remove it.');
  if (!text.isWellFormed()) return problem('is not well-formed Unicode. Send UTF-8.');
  return null;
}

/** Whether `text` has more than `max` code points, the unit of every length limit. */
export function isLonger(text: string, max: number): boolean {
  // A code point takes one or two units, so only lengths in between need counting.
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}
