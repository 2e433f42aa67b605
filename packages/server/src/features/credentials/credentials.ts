// Ends what acts for an account without its password: when the password is reset, and whenever its person asks.
import { ApiError } from '@chauffeur/contract/errors';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/credentials';
import type { Static } from 'typebox';
import type { AccountCaller, Caller, Context } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { transact } from '../../kernel/db.ts';
import { deriveKey, openToken, signToken } from '../../kernel/signed-token.ts';
import { endSessions, enqueueMail, findUserById } from '../accounts/accounts.ts';
import { countAgents, revokeAgents } from '../agents/agents.ts';
import { listOwnedDeployKeys, revokeOwnedDeployKeys } from '../deploy-keys/deploy-keys.ts';
import { resetReportMail } from './mails.ts';

type Report = Static<typeof contract.ResetReport>;
type LiveKey = Report['deploy_keys'][number];

export async function getCredentials(
  ctx: Context,
  { user }: AccountCaller,
): Promise<OutputOf<typeof contract.getCredentials>> {
  const [agents, deployKeys] = await Promise.all([
    countAgents(ctx.db, user.id, ctx.clock.now()),
    liveKeysOf(ctx.db, user.id),
  ]);
  return { personal_keys: agents.keys, programs: agents.connections, deploy_keys: deployKeys };
}

async function liveKeysOf(db: Context['db'], userId: string): Promise<LiveKey[]> {
  return (await listOwnedDeployKeys(db, userId)).map((key) => ({
    ...key,
    last_used_at: key.last_used_at?.toISOString() ?? null,
  }));
}

export async function revokeCredentials(
  ctx: Context,
  { user }: AccountCaller,
  input: InputOf<typeof contract.revokeCredentials>,
): Promise<OutputOf<typeof contract.revokeCredentials>> {
  const which = { keys: input.personal_keys === true, connections: input.programs === true };
  return transact(ctx.db, async (tx) => {
    const agents = await revokeAgents(tx, user.id, ctx.clock.now(), which);
    const deployKeys = input.deploy_keys === true ? await revokeOwnedDeployKeys(tx, user.id) : 0;
    return { personal_keys: agents.keys, programs: agents.connections, deploy_keys: deployKeys };
  });
}

/**
 * Everything that somebody could have got with the old password and that is the account's own. Deploy keys stay, because builds on CI machines
 * would fail without them; the report names them, and its token revokes them.
 */
export async function endAccessAfterReset(ctx: Context, userId: string): Promise<Report> {
  const now = ctx.clock.now();
  return transact(ctx.db, async (tx) => {
    const sessions = await endSessions(tx, userId);
    const agents = await revokeAgents(tx, userId, now, { keys: true, connections: true });
    const revoked = { sessions, personal_keys: agents.keys, programs: agents.connections };
    const deployKeys = await liveKeysOf(tx, userId);
    const user = await findUserById(tx, userId);
    if (user !== null) await enqueueMail(tx, resetReportMail(user.email, revoked, deployKeys, ctx.publicUrl));
    return { revoked, deploy_keys: deployKeys, revoke_token: writeToken(ctx, userId, now) };
  });
}

/** Throws 4002 for a token that is over, or none of ours. */
export async function revokeAfterReset(
  ctx: Context,
  _caller: Caller,
  { token }: InputOf<typeof contract.revokeAfterReset>,
): Promise<OutputOf<typeof contract.revokeAfterReset>> {
  const userId = readToken(ctx, token);
  if (userId === null)
    throw new ApiError(4002, 'token: expired or not valid; sign in and revoke the keys at /settings/security.');
  return { deploy_keys: await revokeOwnedDeployKeys(ctx.db, userId) };
}

const PURPOSE = 'revoking deploy keys after a reset';

function writeToken(ctx: Context, userId: string, now: Date): string {
  const payload = JSON.stringify([now.getTime() + HOUR, userId]);
  return signToken(deriveKey(ctx.secret, PURPOSE), Buffer.from(payload));
}

function readToken(ctx: Context, token: string): string | null {
  const payload = openToken(deriveKey(ctx.secret, PURPOSE), token);
  if (payload === null) return null;
  const [expiresAt, userId] = JSON.parse(payload.toString()) as [number, string];
  return ctx.clock.now().getTime() < expiresAt ? userId : null;
}
