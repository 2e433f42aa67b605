// A JSON body for any operation, made from its schema.
import type { Operation } from '@chauffeur/contract/operation';
import type { TSchema } from 'typebox';

/** The example of the operation, or values that match its schema. Undefined if it takes no body. */
export function sampleBody({ body, example }: Operation): unknown {
  return example?.body ?? (body && sampleOf(body));
}

type Schema = TSchema & {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: TSchema[];
  properties?: Record<string, TSchema>;
  items?: TSchema;
  minimum?: number;
};

function sampleOf(schema: TSchema): unknown {
  const { type, const: constant, enum: words, anyOf, properties, items, minimum = 1 } = schema as Schema;
  if (constant !== undefined) return constant;
  if (words !== undefined) return words[0];
  if (anyOf !== undefined) return sampleOf(anyOf[0] as TSchema);
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, sampleOf(field)]));
  if (items !== undefined) return [sampleOf(items)];
  if (type === 'integer' || type === 'number') return minimum;
  return type === 'boolean' ? true : 'a text';
}
