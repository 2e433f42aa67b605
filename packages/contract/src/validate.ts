// Checks a value against a schema, and describes the first problem in a sentence with the field, the problem and what
// is expected.
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Format } from 'typebox/format';

const isDateTime = Format.Get('date-time');
// RFC 3339 has leap seconds, and RFC 9557 names of time zones, which Date does not accept.
Format.Set('date-time', (text) => isDateTime?.(text) === true && !Number.isNaN(new Date(text).getTime()));

const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  return validator;
}

/**
 * Null if `value` matches `schema`, otherwise a sentence such as `version: longer than 32 characters.` It never
 * contains the value.
 */
export function findProblem(schema: TSchema, value: unknown): string | null {
  const textProblem = findTextProblem(value);
  if (textProblem !== null) return textProblem;
  const validator = validatorOf(schema);
  if (validator.Check(value)) return null;
  const errors = [...validator.Errors(value)] as ValidationError[];
  const [first] = errors;
  if (first === undefined) return 'The request does not have the documented shape.';
  return describe(first, errors, schema);
}

/**
 * Null if every text in `value` can be stored, otherwise a sentence. For input that is not validated by a schema here.
 */
export function findTextProblem(value: unknown): string | null {
  const invalid = findInvalidText(value);
  return invalid === null ? null : `${fieldName(invalid.path)}: ${invalid.problem}`;
}

type ValidationError = {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: Record<string, unknown>;
  message: string;
};

function describe(error: ValidationError, errors: readonly ValidationError[], schema: TSchema): string {
  const { keyword, params } = error;
  if (keyword === 'required') {
    const missing = (params.requiredProperties as string[])[0] ?? '';
    return `${fieldName(`${error.instancePath}/${missing}`)}: missing. Send it.`;
  }
  const field = fieldName(error.instancePath);
  if (keyword === 'type') return `${field}: must be of type ${typesAt(error, errors).join(' or ')}.`;
  return `${field}: ${problemOf(keyword, params, schemaAt(schema, error.schemaPath))}`;
}

/** A field that allows several types has an error for each of them. */
function typesAt({ instancePath }: ValidationError, errors: readonly ValidationError[]): string[] {
  const here = errors.filter((error) => error.keyword === 'type' && error.instancePath === instancePath);
  return [...new Set(here.map(({ params }) => String(params.type)))];
}

function problemOf(keyword: string, params: Record<string, unknown>, schema: { description?: string }): string {
  switch (keyword) {
    case 'maxLength':
      return `longer than ${params.limit} characters. Shorten it.`;
    case 'minLength':
      return params.limit === 1
        ? 'empty. Send a value.'
        : `shorter than ${params.limit} characters. Send a longer text.`;
    case 'maxItems':
      return `more than ${params.limit} items. Send fewer.`;
    case 'minItems':
      return `fewer than ${params.limit} items. Send more.`;
    case 'enum':
      return `not an accepted value. Use one of ${(params.allowedValues as unknown[]).join(', ')}.`;
    case 'minimum':
    case 'maximum':
      return `must be ${params.comparison} ${params.limit}.`;
    case 'format':
    case 'pattern':
      return schema.description === undefined
        ? 'does not have the right form.'
        : `not valid. Expected: ${schema.description}.`;
    default:
      return 'does not have the documented shape.';
  }
}

/** `/changelog_items/3/title` becomes `changelog_items[3].title`; the root is `body`. */
function fieldName(instancePath: string): string {
  const parts = instancePath.split('/').slice(1);
  if (parts.length === 0) return 'body';
  return parts
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')
    .slice(0, 120);
}

function schemaAt(schema: TSchema, schemaPath: string): { description?: string } {
  let current: unknown = schema;
  for (const part of schemaPath.replace(/^#\/?/, '').split('/')) {
    if (part !== '') current = (current as Record<string, unknown> | undefined)?.[part];
  }
  return (current ?? {}) as { description?: string };
}

/** Deeper than any schema. Without a limit, a body of nested brackets could overflow the stack. */
const MAX_DEPTH = 32;

/** `path` has the format of the validator's paths. */
type InvalidText = { path: string; problem: string };

/** PostgreSQL cannot store U+0000 or lone surrogates in text (PostgreSQL documentation, "Character Types"). */
function findInvalidText(value: unknown, depth = 0): InvalidText | null {
  if (typeof value === 'string') return checkText(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depth === MAX_DEPTH)
    return { path: '', problem: `nested deeper than ${MAX_DEPTH} levels. Send the documented shape.` };
  for (const key of Object.keys(value)) {
    const inKey = checkText(key);
    if (inKey !== null) return inKey;
    const inside = findInvalidText(value[key as keyof typeof value], depth + 1);
    // The path is built only here, because valid text, which is nearly all text, needs none.
    if (inside !== null) return { path: `/${key}${inside.path}`, problem: inside.problem };
  }
  return null;
}

function checkText(text: string): InvalidText | null {
  if (text.includes('\u0000')) return { path: '', problem: 'contains a NUL character. Remove it.' };
  if (!text.isWellFormed()) return { path: '', problem: 'is not well-formed Unicode. Send UTF-8.' };
  return null;
}
