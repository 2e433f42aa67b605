// The first run: an installation without an operator gets its first one, who has a code that the server printed.

import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/setup';
import { PAGES } from '@chauffeur/contract/pages';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { SERVER_COMMAND } from '../../folders.ts';
import { changed, type Db, onlyRow, rows, type Tx, transact } from '../../kernel/database/db.ts';
import { appointOperator, createOperatorAccount } from '../../people/accounts/accounts.ts';
import { countSetupCode } from '../../request/address-limit.ts';
import { isOwnOrigin } from '../../request/origins.ts';
import { answer } from '../../request/perform.ts';
import { handle, stream } from '../../request/route.ts';
import { countProxies } from './checks.ts';
import { hashSetupCode, isIssued, newSetupCode } from './setup-code.ts';

/** Several processes and restarts each print another code. All of these codes work. */
const MAX_CODES = 20;

/**
 * Creates a code while there is no operator, and returns the link to the set-up page with the code; otherwise null.
 * The code is in the fragment, which browsers don't send, so it does not appear in logs of servers or proxies.
 */
export async function issueSetupLink(ctx: Context): Promise<string | null> {
  const { open } = await readState(ctx.db);
  if (!open) return null;
  const code = newSetupCode();
  await transact(ctx.db, (tx) => insertCode(tx, hashSetupCode(code), ctx.clock.now(), MAX_CODES));
  return `${ctx.publicUrl}${PAGES.setup}#code=${code}`;
}

/** Ends the first run permanently, even if there is no operator later. */
export function endSetup(db: Db): Promise<void> {
  return transact(db, writeEnd);
}

/** Whether a set-up code can be used, and whether there is an account. */
export function readSetup(ctx: Context): Promise<SetupRow> {
  return readState(ctx.db);
}

export const getSetup = stream(contract.getSetup, async (ctx, { input: { origin }, request }) => {
  return answer(200, {
    ...(await readSetup(ctx)),
    public_url: ctx.publicUrl,
    is_own_origin: origin === undefined || isOwnOrigin(ctx.publicUrl, origin),
    proxies: countProxies(request.headers),
    command: SERVER_COMMAND,
  });
});

/**
 * Throws `wrongSetupCode` without a valid code, and `invalid` for an invalid name or an email that another account has.
 */
export const createOperator = handle(
  contract.createOperator,
  async (ctx, { input: { code, ...account } }) => {
    return withCode(ctx, code, (tx) => createOperatorAccount(tx, account));
  },
  countSetupCode,
);

/** Throws `wrongSetupCode` without a valid code. */
export const claimOperator = handle(
  contract.claimOperator,
  async (ctx, { caller: { user }, input: { code } }) => {
    await withCode(ctx, code, (tx) => appointOperator(tx, user.id));
    return { email: user.email };
  },
  countSetupCode,
);

/** Runs `appoint` and ends the first run in one transaction. If `appoint` throws, the code stays valid. */
function withCode<T>(ctx: Context, code: string, appoint: (tx: Tx) => Promise<T>): Promise<T> {
  return transact(ctx.db, async (tx) => {
    const hashes = await lockCodes(tx);
    const { open } = await readState(tx);
    if (!isIssued(code, hashes) || !open) throw errors.wrongSetupCode();
    const appointed = await appoint(tx);
    await writeEnd(tx);
    ctx.log.warn('the installation has its first operator, and the set-up codes are no longer valid');
    return appointed;
  });
}

export type SetupRow = { open: boolean; has_accounts: boolean };

/** The first run is also over if an earlier version, which did not store its end, appointed an operator. */
function readState(db: Db): Promise<SetupRow> {
  return onlyRow(
    db,
    sql<SetupRow>`select
      not exists (select from setup_end) and not exists (select from users where operator) as open,
      exists (select from users) as has_accounts`,
  );
}

/** Adds a code, and forgets all but the newest `max`. */
async function insertCode(tx: Tx, codeHash: Buffer, now: Date, max: number): Promise<void> {
  // The later of two codes within a millisecond gets a later time.
  await changed(
    tx,
    sql`insert into setup_codes (code_hash, issued_at)
      select ${codeHash}, greatest(${now}, max(issued_at) + interval '1 microsecond') from setup_codes`,
  );
  await changed(
    tx,
    sql`delete from setup_codes where code_hash not in (
      select code_hash from setup_codes order by issued_at desc, code_hash limit ${max})`,
  );
}

/** Locks all codes, so that only one of several requests at the same time can use one. */
async function lockCodes(tx: Tx): Promise<Buffer[]> {
  const codes = await rows(
    tx,
    sql<{ code_hash: Buffer }>`select code_hash from setup_codes order by code_hash for update`,
  );
  return codes.map((code) => code.code_hash);
}

/** Stores the end of the first run. Safe to repeat. */
async function writeEnd(db: Db): Promise<void> {
  await changed(db, sql`insert into setup_end default values on conflict do nothing`);
  await changed(db, sql`delete from setup_codes`);
}
