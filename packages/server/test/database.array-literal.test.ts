import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { arrayLiteral } from '../src/kernel/database/bulk-rows.ts';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';

describe('an array literal', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase({ empty: true });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client?.end();
    await database?.drop();
  });

  async function readBack(values: readonly (string | number | boolean | null)[], type: string): Promise<unknown> {
    const { rows } = await client.query(`select to_json($1::${type}[]) as values`, [arrayLiteral(values)]);
    return rows[0].values;
  }

  it('is read by PostgreSQL exactly as written, whatever the texts contain', async () => {
    const text = fc.oneof(
      // U+0000 is the one character that PostgreSQL cannot store.
      fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', '')),
      fc.constantFrom('', 'NULL', 'null', '{}', '"', '\\', '\\n', '\\\\n', '\n', '\u001f', 'a,b', ' ', '\u2028', '𐍈'),
      fc.json(),
    );
    const column = fc
      .array(fc.option(text), { minLength: 1 })
      .filter((values) => values.some((value) => value !== null));
    await fc.assert(
      fc.asyncProperty(column, async (values) => assert.deepEqual(await readBack(values, 'text'), values)),
    );
  });

  it('supports numbers, booleans and nulls', async () => {
    assert.deepEqual(await readBack([1, null, -0.5, 1e21, 2 ** 53], 'float8'), [1, null, -0.5, 1e21, 2 ** 53]);
    assert.deepEqual(await readBack([true, null, false], 'boolean'), [true, null, false]);
  });

  it('is omitted when every value is null', () => {
    assert.equal(arrayLiteral([null, null]), null);
  });
});
