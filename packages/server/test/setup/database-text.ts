// Reads the whole database as text, for tests that something is not stored.
import { type RawBuilder, sql } from 'kysely';
import { type Db, rows } from '../../src/kernel/database/db.ts';

/** Returns every row of our tables and of the job queue, one a line, preceded by the name of its table. */
export async function readWholeDatabase(db: Db): Promise<string> {
  const tables = await rows(
    db,
    sql<{ table_schema: string; table_name: string }>`select table_schema, table_name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const texts = await Promise.all(
    tables.map(async ({ table_schema, table_name }) => {
      const all: RawBuilder<{ text: string }> =
        sql`select t::text as text from ${sql.table(`${table_schema}.${table_name}`)} t`;
      return (await rows(db, all)).map(({ text }) => `${table_name} ${text}`);
    }),
  );
  return texts.flat().join('\n');
}
