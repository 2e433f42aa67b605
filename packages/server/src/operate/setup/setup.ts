// The first run: an installation without an operator gets its first one, who has a code that the server printed.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/setup';
import { PAGES } from '@chauffeur/contract/pages';
import type { Context } from '../../context.ts';
import { SERVER_COMMAND } from '../../folders.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { appointOperator, createOperatorAccount } from '../../people/accounts/accounts.ts';
import { countSetupCode } from '../../request/address-limit.ts';
import { isOwnOrigin } from '../../request/origins.ts';
import { answer } from '../../request/perform.ts';
import { handle, stream } from '../../request/route.ts';
import { hashSetupCode, isIssued, newSetupCode } from './code.ts';
import { countProxies } from './forwarded.ts';
import * as sql from './setup.sql.ts';

/** Each of several processes prints its own code, and so does each restart. All of these work. */
const MAX_CODES = 20;

/**
 * Creates a code while there is no operator, and returns the link to the set-up page with the code; otherwise null.
 * The code is in the fragment, which browsers don't send, so it is in no log of a server or proxy.
 */
export async function issueSetupLink(ctx: Context): Promise<string | null> {
  const { open } = await sql.readSetup(ctx.db);
  if (!open) return null;
  const code = newSetupCode();
  await transact(ctx.db, (tx) => sql.insertCode(tx, hashSetupCode(code), ctx.clock.now(), MAX_CODES));
  return `${ctx.publicUrl}${PAGES.setup}#code=${code}`;
}

/** Ends the first run permanently, even if there is no operator later. */
export function endSetup(db: Db): Promise<void> {
  return transact(db, (tx) => sql.endSetup(tx));
}

/** Whether a set-up code can be used, and whether there is an account. */
export function readSetup(ctx: Context): Promise<sql.SetupRow> {
  return sql.readSetup(ctx.db);
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
    const hashes = await sql.lockCodes(tx);
    const { open } = await sql.readSetup(tx);
    if (!isIssued(code, hashes) || !open) throw errors.wrongSetupCode();
    const appointed = await appoint(tx);
    await sql.endSetup(tx);
    ctx.log.warn('the installation has its first operator, and the set-up codes are no longer valid');
    return appointed;
  });
}
