// Sends a person everything that is stored about their account as one JSON document, page by page, so that any number
// of rows needs little memory.

import { Readable } from 'node:stream';
import * as contract from '@chauffeur/contract/operations/accounts';
import { sql } from 'kysely';
import type { Context, User } from '../../context.ts';
import { type Db, rows, transact } from '../../kernel/database/db.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { requireFreshSession } from '../../people/accounts/accounts.ts';
import { stream } from '../../request/route.ts';
import { SECTIONS, type Section } from './sections.ts';

const LIMIT = { name: 'account exports', max: 5, windowSeconds: 3600, scope: 'account' } as const;
const PAGE_SIZE = 500;

/**
 * Throws `signInTooOld` if the person signed in more than an hour ago, and `limitReached`. If the database fails later,
 * the response ends without its last chunk, so the reader detects that it is incomplete.
 */
export const exportAccount = stream(contract.exportAccount, async (ctx, { caller, reply }) => {
  requireFreshSession(ctx, caller);
  // The commit of the transaction writes the entry in the audit log before anything is sent.
  await transact(ctx.db, (tx) => countUse(ctx, tx, caller.user.id, LIMIT));
  const day = ctx.clock.now().toISOString().slice(0, 10);
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'private, no-store')
    .header('content-disposition', `attachment; filename="chauffeur-account-${day}.json"`)
    .send(Readable.from(writeDocument(ctx, caller.user)));
});

async function* writeDocument(ctx: Context, user: User): AsyncGenerator<string> {
  yield `{\n"service": ${JSON.stringify(ctx.publicUrl)},\n"exported_at": ${JSON.stringify(ctx.clock.now())}`;
  for (const section of SECTIONS) {
    yield `,\n${JSON.stringify(section.name)}: [`;
    yield* writeRows(ctx, user, section);
    yield ']';
  }
  yield '\n}\n';
}

async function* writeRows(ctx: Context, user: User, section: Section): AsyncGenerator<string> {
  let after: string | null = null;
  let isFirst = true;
  for (;;) {
    const page = await readPage(ctx.db, section, user, { after, limit: PAGE_SIZE });
    for (const { value } of page) {
      yield `${isFirst ? '' : ','}\n${value}`;
      isFirst = false;
    }
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)!.key;
  }
}

type Page = { readonly after: string | null; readonly limit: number };

/** Reads the rows of a section after the one with the key `after`, each as JSON with its key. */
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
