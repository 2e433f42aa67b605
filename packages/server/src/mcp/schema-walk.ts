// Finds the schema of a part of a value, which says whether the part contains untrusted text.
import type { TSchema } from 'typebox';

export type Schema = TSchema & {
  readonly type?: string;
  readonly 'x-untrusted'?: boolean;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
};

/** Chooses the best match for a value if a schema allows several; undefined if there is no schema for the value. */
export function schemaOf(schema: Schema | undefined, value: unknown): Schema | undefined {
  const { anyOf } = schema ?? {};
  if (anyOf === undefined) return schema;
  const match = anyOf.find((candidate) => fits(candidate, value)) ?? anyOf.find(({ type }) => type === typeOf(value));
  // A mark on the whole schema applies to each alternative.
  return match !== undefined && schema?.['x-untrusted'] === true
    ? { ...match, 'x-untrusted': true }
    : schemaOf(match, value);
}

/** The schema of the field named `key`, or of the items of a list if `key` is a number. */
export function schemaAt(schema: Schema | undefined, key: string | number): Schema | undefined {
  if (schema === undefined) return undefined;
  if (typeof key === 'number') return schema.items;
  const { properties = {}, patternProperties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, key)) return properties[key];
  const [record] = Object.values(patternProperties);
  return record ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

function fits(schema: Schema, value: unknown): boolean {
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.type !== typeOf(value)) return false;
  if (schema.type !== 'object') return true;
  const { properties = {}, required = [] } = schema;
  const fields = value as Record<string, unknown>;
  return (
    required.every((name) => Object.hasOwn(fields, name)) &&
    Object.entries(properties).every(([name, { const: only }]) => only === undefined || fields[name] === only)
  );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
