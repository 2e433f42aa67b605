// Writes the contract's schemas into the OpenAPI document: named ones once, as components, and in the form that code
// generators support.
import { recordNameOf } from '@chauffeur/contract/operations/records';
import type { TSchema } from 'typebox';

/** Writes schemas and collects the components that they refer to. */
export type SchemaWriter = {
  write(schema: TSchema): object;
  /** The schemas that were referred to so far, by name. */
  components(): Record<string, object>;
};

/** `fixed` are components that the document defines itself, by name. */
export function createSchemaWriter(fixed: Readonly<Record<string, object>> = {}): SchemaWriter {
  const components = new Map<string, object>(Object.entries(fixed));

  function write(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(write);
    if (typeof schema !== 'object' || schema === null) return schema;
    const name = isSchema(schema) ? recordNameOf(schema) : undefined;
    if (name === undefined) return writeKeywords(schema);
    if (!components.has(name)) {
      components.set(name, {});
      components.set(name, writeKeywords(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function writeKeywords(schema: object): object {
    return Object.fromEntries(
      Object.entries(inUsualWords(schema)).map(([keyword, value]) => [keyword, isData(keyword) ? value : write(value)]),
    );
  }

  return {
    write: (schema) => write(schema) as object,
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function isSchema(value: object): boolean {
  return 'properties' in value || 'enum' in value;
}

/** Keywords whose values are not schemas, even if they look like one. */
function isData(keyword: string): boolean {
  return ['const', 'default', 'enum', 'examples', 'required'].includes(keyword);
}

const ANY_KEY = '^.*$';

/**
 * Generators read `additionalProperties` instead of a pattern that matches every key, and only type an enumeration that
 * declares its type.
 */
function inUsualWords(schema: object): object {
  const { patternProperties, ...rest } = schema as { patternProperties?: Record<string, TSchema>; enum?: unknown[] };
  const values = patternProperties?.[ANY_KEY];
  const isTextEnum = rest.enum?.every((value) => typeof value === 'string') === true;
  return {
    ...(isTextEnum && { type: 'string' }),
    ...rest,
    ...(values !== undefined && { additionalProperties: values }),
    ...(values === undefined && patternProperties !== undefined && { patternProperties }),
  };
}
