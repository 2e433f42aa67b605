// Turns the contract's schemas into rows of a table: the path of each field, its type in words, what it means.
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

/** Answers the name of a record that has a section of its own, so that it is linked in place of being spelt out. */
export type NameOf = (schema: Schema) => string | undefined;

/** The contract's schemas are plain JSON Schema; their TypeScript type says less. */
export function schemaOf(schema: TSchema): Schema {
  return schema as Schema;
}

/** The fields of an object, those of nested ones under paths such as `changelog_items[].title`. */
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
    return `array of ${typeOf(schema.items, nameOf).replace(/^\w+$/, '$&s')}${range(schema.minItems, schema.maxItems, ' items')}`;
  const name = schema.type ?? 'any';
  return `${name}${range(schema.minLength, schema.maxLength, ' characters')}${range(schema.minimum, schema.maximum, '')}`;
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (most === undefined) return least === undefined ? '' : `, at least ${least}${unit}`;
  return least === undefined ? `, at most ${most}${unit}` : `, ${least} to ${most}${unit}`;
}

/** Descriptions are written to fit into messages too, some in the middle of a sentence. An enum's may begin with its word. */
function meaningOf(schema: Schema): string {
  const described = [schema, schema.items, ...(schema.anyOf ?? [])].find((part) => part?.description !== undefined);
  const text = described?.description ?? '';
  return described?.enum === undefined ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
