import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { orderTables } from './tenant-tables.sql.ts';

const table = (name: string, ...parents: string[]) => ({ name, parents });
const namesOf = (tables: readonly { name: string }[]) => tables.map(({ name }) => name);

describe('the order in which tables are emptied', () => {
  it('puts every table before the tables that it references', () => {
    const tables = [table('builds', 'games'), table('files', 'builds'), table('scans', 'files'), table('events')];
    assert.deepEqual(namesOf(orderTables(tables)), ['scans', 'events', 'files', 'builds']);
  });

  it('includes tables that reference themselves or each other', () => {
    const tables = [table('a', 'b'), table('b', 'a'), table('c', 'c', 'a')];
    assert.deepEqual(namesOf(orderTables(tables)), ['c', 'a', 'b']);
  });
});
