// Turns the contract's schemas into table rows with the path, the type and the meaning of each field.

import { RECORDS as ALL, recordNameOf } from '@chauffeur/contract/operations/records';
import type { TSchema } from 'typebox';
import { code, fragmentOf } from './markdown.ts';

export type Field = { name: string; type: string; required: boolean; meaning: string };

/** The part of JSON Schema that the contract uses. */
export type Schema = {
  type?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

/**
 * Returns the name of a record that has its own section, so that the table links to it instead of listing its fields.
 */
export type NameOf = (schema: Schema) => string | undefined;

/** The contract's schemas are plain JSON Schema, but their TypeScript type does not have its keywords. */
export function schemaOf(schema: TSchema): Schema {
  return schema as Schema;
}

/** The fields of an object and of the objects in it, with paths such as `changelog_items[].title`. */
export function fieldsOf(schema: Schema, nameOf: NameOf, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix + name;
    const required = schema.required?.includes(name) === true;
    return [
      { name: path, type: typeOf(property, nameOf), required, meaning: meaningOf(property) },
      ...nestedFields(property, nameOf, path),
    ];
  });
}

function nestedFields(schema: Schema, nameOf: NameOf, path: string): Field[] {
  if (nameOf(schema) !== undefined) return [];
  if (schema.items !== undefined) return nestedFields(schema.items, nameOf, `${path}[]`);
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((form) => nestedFields(form, nameOf, path));
  return fieldsOf(schema, nameOf, `${path}.`);
}

function typeOf(schema: Schema, nameOf: NameOf): string {
  const record = nameOf(schema);
  if (record !== undefined) return `[${record}](#${fragmentOf(record)})`;
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((word) => code(String(word))).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((form) => typeOf(form, nameOf)))].join(' or ');
  if (schema.format === 'binary') return 'file';
  if (schema.items !== undefined)
    return `array of ${typeOf(schema.items, nameOf).replace(/^\w+$/, '$&s')}${formatRange(schema.minItems, schema.maxItems, ' items')}`;
  const name = schema.type ?? 'any';
  return `${name}${formatRange(schema.minLength, schema.maxLength, ' characters')}${formatRange(schema.minimum, schema.maximum, '')}`;
}

function formatRange(min: number | undefined, max: number | undefined, unit: string): string {
  if (max === undefined) return min === undefined ? '' : `, at least ${min}${unit}`;
  return min === undefined ? `, at most ${max}${unit}` : `, ${min} to ${max}${unit}`;
}

/**
 * Capitalized, because some descriptions are also used within sentences. Those of enums are not, because they can start
 * with a value.
 */
function meaningOf(schema: Schema): string {
  const described = [schema, schema.items, ...(schema.anyOf ?? [])].find((part) => part?.description !== undefined);
  const text = described?.description ?? '';
  return described?.enum === undefined ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

// The records with their own section in the API reference: the named object schemas that operations share.

export const RECORDS: ReadonlyMap<string, Schema> = new Map(
  [...ALL].map(([name, schema]) => [name, schemaOf(schema)] as const).filter(([, schema]) => 'properties' in schema),
);

export const nameOf: NameOf = (schema) => {
  const name = recordNameOf(schema);
  return name !== undefined && RECORDS.has(name) ? name : undefined;
};
