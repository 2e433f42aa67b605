// Parses and formats the .yml files of the command, and checks their fields with the schemas of the contract.
import { findNearestName } from '@chauffeur/contract/nearest-name';
import type { Registration } from '@chauffeur/contract/operations/builds';
import { findProblem } from '@chauffeur/contract/validate';
import { parseDocument, stringify } from 'yaml';
import { LocalError } from '../failures.ts';
import { checkLine } from '../option-values.ts';

/** `addfiles` is the original public client's name for `files`. */
export type Spec = 'build' | 'files' | 'addfiles';

export type Fields = Readonly<Record<string, unknown>>;
type Schema = (typeof Registration.properties)[keyof typeof Registration.properties];

/** Formats `value` as YAML, with quotes around texts that look like numbers. */
export function ymlOf(value: Fields): string {
  return stringify(value, { lineWidth: 0 });
}

/**
 * The fields of a .yml file with `version: v1` and one of `specs`. All scalars are read as texts: the version `1.10` must not become
 * the number 1.1. Throws LocalError.
 */
export function parseYml(file: string, text: string, ...specs: readonly [Spec, ...Spec[]]): Fields {
  const document = parseDocument(text, { schema: 'failsafe' });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new LocalError(
      `${file} is not valid YAML: ${error.message.split('\n')[0]?.replace(/:$/, '.')}`,
      'Correct the line.',
    );
  }
  const fields = fieldsOf(file, document.toJS());
  const [spec] = specs;
  if (fields.version !== 'v1' || !specs.some((name) => name === fields.spec)) {
    throw new LocalError(
      `${file} does not have version: v1 and spec: ${spec}.`,
      `Use a file written by chauffeur ${spec === 'build' ? 'genbuild' : 'setfiles'}.`,
    );
  }
  return fields;
}

/** Returns `value` as an object with fields. Throws LocalError with `name`. */
export function fieldsOf(name: string, value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new LocalError(`${name}: must contain fields in the form name: value.`, 'See docs/cli.md for the format.');
}

/** The names of the fields in each part of a file. */
export type FieldNames = Readonly<Record<string, readonly string[]>>;

/**
 * Throws LocalError for a field of `value` that `part` does not have: it would be ignored, such as a mistyped channel,
 * and the build would go to players. `prefix` comes before the name of the field.
 */
export function refuseUnknown(prefix: string, value: Fields, part: string, parts: FieldNames): void {
  const names = parts[part] ?? [];
  const unknown = Object.keys(value).find((field) => !names.includes(field));
  if (unknown === undefined) return;
  const nearest = findNearestName(unknown, [...names, ...Object.values(parts).flat()]);
  const home = nearest === null || names.includes(nearest) ? undefined : partOf(nearest, parts);
  const remedy =
    nearest === null
      ? `Remove it. The fields are ${names.join(', ')}.`
      : `Did you mean ${nearest}${home === undefined ? '' : ` in ${home}`}?`;
  throw new LocalError(`${prefix}${unknown} is not a field.`, remedy);
}

function partOf(name: string, parts: FieldNames): string | undefined {
  return Object.keys(parts).find((part) => parts[part]?.includes(name));
}

/** Throws LocalError for a field that is there but empty, as when a script wrote it from a variable that was not set. */
export function refuseEmpty(name: string, value: Fields, fields: readonly string[]): void {
  const empty = fields.find((field) => typeof value[field] === 'string' && value[field].trim() === '');
  if (empty !== undefined) throw new LocalError(`${name}.${empty} is empty.`, 'Give it a value, or remove the line.');
}

/** Returns `value` as a list; a missing or empty field is an empty list. Throws LocalError. */
export function listOf(name: string, value: unknown): readonly unknown[] {
  if (value === undefined || value === '') return [];
  if (Array.isArray(value)) return value;
  throw new LocalError(`${name} must be a list.`, 'Start each item with a dash.');
}

/** Checks a field with its schema in the contract. Throws LocalError with `name`. */
export function checkField(name: string, schema: Schema, value: unknown): void {
  const problem = findProblem(schema, value);
  if (problem !== null) throw new LocalError(problem.replace(/^(body)?(?=[:[])/, name), `Correct ${name}.`);
}

/** Texts that are used as they are: with several lines, or the names of files. */
const VERBATIM = ['description', 'path', 'file'];

/**
 * The texts of `fields` by name, without missing or empty ones, and without spaces around names. Throws LocalError for
 * other types, and for a name of several lines.
 */
export function textsOf<Name extends string>(
  name: string,
  fields: Fields,
  names: readonly Name[],
): { [N in Name]?: string } {
  const texts: { [N in Name]?: string } = {};
  for (const field of names) {
    const value = fields[field];
    if (value === undefined || value === '') continue;
    if (typeof value !== 'string')
      throw new LocalError(`${name}.${field} must be a text.`, `Correct ${name}.${field}.`);
    texts[field] = VERBATIM.includes(field) ? value : checkLine(`${name}.${field}`, value);
  }
  return texts;
}
