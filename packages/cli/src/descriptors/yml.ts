// Reads and writes the .yml files of the command, and checks their fields with the schemas of the contract.
import { readFile, writeFile } from 'node:fs/promises';
import type { Registration } from '@chauffeur/contract/operations/builds';
import { findProblem } from '@chauffeur/contract/validate';
import { parseDocument, stringify } from 'yaml';
import { LocalError } from '../failures.ts';

/** `addfiles` is the original public client's name for `files`. */
export type Spec = 'build' | 'files' | 'addfiles';

export type Fields = Readonly<Record<string, unknown>>;
type Schema = (typeof Registration.properties)[keyof typeof Registration.properties];

/** The text of `file`, or null if it does not exist. */
export async function readIfPresent(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new LocalError(`${file}: cannot be read.`, 'Check the path and its permissions.', { cause });
  }
}

export async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((cause: unknown) => {
    throw new LocalError(`${file}: cannot be written.`, 'Check that the folder exists and can be written to.', {
      cause,
    });
  });
}

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
      `${file}: is not valid YAML: ${error.message.split('\n')[0]?.replace(/:$/, '.')}`,
      'Correct the line.',
    );
  }
  const fields = fieldsOf(file, document.toJS());
  const [spec] = specs;
  if (fields.version !== 'v1' || !specs.some((name) => name === fields.spec)) {
    throw new LocalError(
      `${file}: does not have version: v1 and spec: ${spec}.`,
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

/** Returns `value` as a list; a missing or empty field is an empty list. Throws LocalError. */
export function listOf(name: string, value: unknown): readonly unknown[] {
  if (value === undefined || value === '') return [];
  if (Array.isArray(value)) return value;
  throw new LocalError(`${name}: must be a list.`, 'Start each item with a dash.');
}

/** Checks a field with its schema in the contract. Throws LocalError with `name`. */
export function checkField(name: string, schema: Schema, value: unknown): void {
  const problem = findProblem(schema, value);
  if (problem !== null) throw new LocalError(problem.replace(/^(body)?(?=[:[])/, name), `Correct ${name}.`);
}

/** The texts of `fields` by name, without missing or empty ones. Throws LocalError for other types. */
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
      throw new LocalError(`${name}.${field}: must be a text.`, `Correct ${name}.${field}.`);
    texts[field] = value;
  }
  return texts;
}
