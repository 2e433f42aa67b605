// Reads the rows of a section of an export, in pages.
import { sql } from 'kysely';
import type { User } from '../../context.ts';
import { type Db, rows } from '../../kernel/database/db.ts';
import type { Section } from './sections.ts';

type Page = { readonly after: string | null; readonly limit: number };

/** The rows after the one with the key `after`: each as JSON, with its key. */
export function readPage(
  db: Db,
  { table, key: [key, type], person, email, columns, namesGame }: Section,
  user: User,
  { after, limit }: Page,
): Promise<{ key: string; value: string }[]> {
  const owned = person.map((column) => sql`${sql.ref(column)} = ${user.id}`);
  // Anyone can sign up with the address of somebody else, but not confirm it.
  if (email !== undefined && user.emailVerified) owned.push(sql`lower(${sql.ref(email)}) = lower(${user.email})`);
  const next = after === null ? sql`true` : sql`${sql.ref(key)} > cast(${after} as ${sql.raw(type)})`;
  const game = sql`(select name from all_games where all_games.game_id = ${sql.table(table)}.game_id)`;
  const fields = [
    ...columns.map((column) => sql`${sql.lit(column)}, ${sql.ref(column)}`),
    ...(namesGame === true ? [sql`'game', ${game}`] : []),
  ];
  return rows(
    db,
    sql<{ key: string; value: string }>`
      select cast(${sql.ref(key)} as text) as key, cast(json_build_object(${sql.join(fields)}) as text) as value
      from ${sql.table(table)} where (${sql.join([sql`false`, ...owned], sql` or `)}) and ${next}
      order by ${sql.ref(key)} limit ${limit}`,
  );
}
