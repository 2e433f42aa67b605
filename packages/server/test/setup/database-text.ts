// Everything that the database holds, as text: for looking that something is not in it.
import { type RawBuilder, sql } from 'kysely';
import { type Db, rows } from '../../src/kernel/database/db.ts';

/** Every row of every table of ours and of the job queue, each with its table's name in front. */
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
