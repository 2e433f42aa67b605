// The records with their own section in the API reference: the named object schemas that operations share.
import { RECORDS as ALL, recordNameOf } from '@chauffeur/contract/operations/records';
import { type NameOf, type Schema, schemaOf } from './fields.ts';

export const RECORDS: ReadonlyMap<string, Schema> = new Map(
  [...ALL].map(([name, schema]) => [name, schemaOf(schema)] as const).filter(([, schema]) => 'properties' in schema),
);

export const nameOf: NameOf = (schema) => {
  const name = recordNameOf(schema);
  return name !== undefined && RECORDS.has(name) ? name : undefined;
};
