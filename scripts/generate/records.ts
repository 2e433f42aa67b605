// Finds the records that operations share: the object schemas that the contract's operation files export by a name.
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import type { NameOf, Schema } from './fields.ts';

const FOLDER = join(import.meta.dirname, '../../packages/contract/src/operations');

export type Records = { readonly schemas: ReadonlyMap<string, Schema>; readonly nameOf: NameOf };

/** A schema is known again by what it says, since TypeBox copies the ones that it puts into others. */
export async function findRecords(): Promise<Records> {
  const files = (await Array.fromAsync(glob('*.ts', { cwd: FOLDER })))
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
  const schemas = new Map<string, Schema>();
  const names = new Map<string, string>();
  for (const file of files) {
    const exported = (await import(join(FOLDER, file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported)) {
      if (!isRecord(value) || names.has(JSON.stringify(value))) continue;
      schemas.set(name, value);
      names.set(JSON.stringify(value), name);
    }
  }
  return { schemas, nameOf: (schema) => names.get(JSON.stringify(schema)) };
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && 'properties' in value;
}
