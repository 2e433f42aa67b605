// Sends a person everything that is stored about their account as one JSON document, page by page, so that any number
// of rows needs little memory.
import { Readable } from 'node:stream';
import * as contract from '@chauffeur/contract/operations/account-export';
import type { Context, User } from '../../context.ts';
import { transact } from '../../kernel/database/db.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { requireFreshSession } from '../../people/accounts/accounts.ts';
import { stream } from '../../request/route.ts';
import { readPage } from './account-export.sql.ts';
import { SECTIONS, type Section } from './sections.ts';

const LIMIT = { name: 'account exports', max: 5, windowSeconds: 3600, scope: 'account' } as const;
const PAGE_SIZE = 500;

/**
 * Throws `signInTooOld` if the person signed in more than an hour ago, and `limitReached`. If the database fails later,
 * the response ends without its last chunk, so the reader detects that it is incomplete.
 */
export const exportAccount = stream(contract.exportAccount, async (ctx, { caller, reply }) => {
  requireFreshSession(ctx, caller);
  // The transaction's commit writes the entry in the audit log before anything is sent.
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
