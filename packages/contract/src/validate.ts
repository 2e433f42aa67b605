// Checks a value against a schema and says in one sentence which field is wrong, how, and what would be right.
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  return validator;
}

/** Null when `value` fits `schema`; else a sentence such as `version: longer than 32 characters.` Never echoes the value. */
export function findProblem(schema: TSchema, value: unknown): string | null {
  const hidden = findTextProblem(value);
  if (hidden !== null) return hidden;
  const validator = validatorOf(schema);
  if (validator.Check(value)) return null;
  const errors = [...validator.Errors(value)] as ValidationError[];
  const [first] = errors;
  if (first === undefined) return 'The request does not have the documented shape.';
  return describe(first, errors, schema);
}

/** Null when every text in `value` can be stored; else a sentence as above. For input that another program validates. */
export function findTextProblem(value: unknown): string | null {
  const hidden = findUnstorableText(value);
  return hidden === null ? null : `${fieldName(hidden.path)}: ${hidden.problem}`;
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
    return `${fieldName(`${error.instancePath}/${missing}`)}: missing; send it.`;
  }
  const field = fieldName(error.instancePath);
  if (keyword === 'type') return `${field}: must be of type ${typesAt(error, errors).join(' or ')}.`;
  return `${field}: ${problemOf(keyword, params, schemaAt(schema, error.schemaPath))}`;
}

/** A field that may be of several types has an error for each of them. */
function typesAt({ instancePath }: ValidationError, errors: readonly ValidationError[]): string[] {
  const here = errors.filter((error) => error.keyword === 'type' && error.instancePath === instancePath);
  return [...new Set(here.map(({ params }) => String(params.type)))];
}

function problemOf(keyword: string, params: Record<string, unknown>, schema: { description?: string }): string {
  switch (keyword) {
    case 'maxLength':
      return `longer than ${params.limit} characters; shorten it.`;
    case 'minLength':
      return 'empty; send a value.';
    case 'maxItems':
      return `more than ${params.limit} items; send fewer.`;
    case 'minItems':
      return `fewer than ${params.limit} items; send more.`;
    case 'enum':
      return `not an accepted value; use one of ${(params.allowedValues as unknown[]).join(', ')}.`;
    case 'minimum':
    case 'maximum':
      return `must be ${params.comparison} ${params.limit}.`;
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
  let at: unknown = schema;
  for (const part of schemaPath.replace(/^#\/?/, '').split('/')) {
    if (part !== '') at = (at as Record<string, unknown> | undefined)?.[part];
  }
  return (at ?? {}) as { description?: string };
}

/** No schema goes nearly as deep; without a bound, a body of brackets would use up the stack. */
const DEEPEST = 32;

/** What is wrong with a text, and where in the value it stands, as the paths of the validator have it. */
type Unstorable = { path: string; problem: string };

/** PostgreSQL text takes neither U+0000 nor a lone surrogate (its documentation, "Character Types"): such text is refused here. */
function findUnstorableText(value: unknown, depth = 0): Unstorable | null {
  if (typeof value === 'string') return unstorable(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depth === DEEPEST)
    return { path: '', problem: `nested deeper than ${DEEPEST} levels; send the documented shape.` };
  for (const key of Object.keys(value)) {
    const inKey = unstorable(key);
    if (inKey !== null) return inKey;
    const inside = findUnstorableText(value[key as keyof typeof value], depth + 1);
    // Only now: what is in order, as nearly everything is, needs no path.
    if (inside !== null) return { path: `/${key}${inside.path}`, problem: inside.problem };
  }
  return null;
}

function unstorable(text: string): Unstorable | null {
  if (text.includes('\u0000')) return { path: '', problem: 'holds a NUL character; remove it.' };
  if (!text.isWellFormed()) return { path: '', problem: 'is not well-formed Unicode; send UTF-8.' };
  return null;
}
