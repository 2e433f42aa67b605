// Revokes credentials that work without the password of an account: after a password reset and on request.

import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/credentials';
import type { Static } from 'typebox';
import type { Context, User } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine } from '../../kernel/email/html-email.ts';
import { deriveKey, isCurrent, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { findUserById } from '../../people/accounts/accounts.sql.ts';
import { endSessions } from '../../people/accounts/accounts.ts';
import { countApiTokens, revokeApiTokens } from '../../people/api-tokens/api-tokens.ts';
import { countCliLogins, revokeCliLogins } from '../../people/cli-logins/cli-logins.ts';
import { enqueueEmail } from '../../people/emails/emails.ts';
import { auditDone, noteActor } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { listOwnedDeployKeys, revokeOwnedDeployKeys } from '../../ship/deploy-keys/deploy-keys.ts';
import { countAgents, revokeAgents } from '../agents/agents.ts';

type Report = Static<typeof contract.ResetReport>;
type ActiveKey = Report['deploy_keys'][number];

export const getCredentials = handle(contract.getCredentials, async (ctx, { caller: { user } }) => {
  const now = ctx.clock.now();
  const [agents, apiTokens, cliLogins, deployKeys] = await Promise.all([
    countAgents(ctx.db, user.id, now),
    countApiTokens(ctx.db, user.id, now),
    countCliLogins(ctx.db, user.id, now),
    activeKeysOf(ctx.db, user.id),
  ]);
  return {
    personal_keys: agents.keys,
    api_tokens: apiTokens,
    programs: agents.connections,
    cli_logins: cliLogins,
    deploy_keys: deployKeys,
  };
});

async function activeKeysOf(db: Context['db'], userId: string): Promise<ActiveKey[]> {
  return (await listOwnedDeployKeys(db, userId)).map((key) => ({
    ...key,
    last_used_at: key.last_used_at?.toISOString() ?? null,
  }));
}

export const revokeCredentials = handle(contract.revokeCredentials, async (ctx, { caller: { user }, input }) => {
  const selection = { keys: input.personal_keys === true, connections: input.programs === true };
  return transact(ctx.db, async (tx) => {
    const now = ctx.clock.now();
    const agents = await revokeAgents(tx, user.id, now, selection);
    const apiTokens = input.api_tokens === true ? await revokeApiTokens(tx, user.id, now) : 0;
    const cliLogins = input.cli_logins === true ? await revokeCliLogins(tx, user.id, now) : 0;
    const deployKeys = input.deploy_keys === true ? await revokeOwnedDeployKeys(tx, user.id) : 0;
    return {
      personal_keys: agents.keys,
      api_tokens: apiTokens,
      programs: agents.connections,
      cli_logins: cliLogins,
      deploy_keys: deployKeys,
    };
  });
});

/**
 * Revokes all personal credentials that could have been created with the old password. Deploy keys keep working,
 * because builds on CI machines depend on them; the report lists them, and its token revokes them.
 */
export async function endAccessAfterReset(ctx: Context, userId: string): Promise<Report> {
  const now = ctx.clock.now();
  return transact(ctx.db, async (tx) => {
    const user = await findUserById(tx, userId);
    if (user !== null) noteActor(user);
    auditDone();
    const ended = await endAccess(ctx, tx, { userId, user });
    return { ...ended, revoke_token: writeToken(ctx, userId, now) };
  });
}

/** Does the same after an operator set a new password. Returns how many were revoked. */
export async function endAccessOf(ctx: Context, user: User): Promise<Revoked> {
  return (await transact(ctx.db, (tx) => endAccess(ctx, tx, { userId: user.id, user }))).revoked;
}

/** Reports it to the person. `user` is null if the account was deleted in the meantime. */
async function endAccess(
  ctx: Context,
  tx: Tx,
  { userId, user }: { userId: string; user: User | null },
): Promise<Omit<Report, 'revoke_token'>> {
  const now = ctx.clock.now();
  const sessions = await endSessions(tx, userId);
  const agents = await revokeAgents(tx, userId, now, { keys: true, connections: true });
  const revoked = {
    sessions,
    personal_keys: agents.keys,
    api_tokens: await revokeApiTokens(tx, userId, now),
    programs: agents.connections,
    cli_logins: await revokeCliLogins(tx, userId, now),
  };
  const deployKeys = await activeKeysOf(tx, userId);
  if (user !== null) {
    // The names of games and tokens may be those of others, which an unconfirmed address doesn't get.
    const listed = user.emailVerified ? deployKeys : null;
    await enqueueEmail(ctx, tx, 'reset_report', resetReportEmail(user.email, revoked, listed, ctx.publicUrl));
  }
  return { revoked, deploy_keys: deployKeys };
}

/** Throws `invalid` for an expired or invalid token. */
export const revokeAfterReset = handle(contract.revokeAfterReset, async (ctx, { input: { token } }) => {
  const userId = readToken(ctx, token);
  if (userId === null)
    throw errors.invalid('token: expired or invalid. Sign in and revoke the keys at /settings/security.');
  const user = await findUserById(ctx.db, userId);
  if (user !== null) noteActor(user);
  return { deploy_keys: await transact(ctx.db, (tx) => revokeOwnedDeployKeys(tx, userId)) };
});

const PURPOSE = 'revoking deploy keys after a reset';

function writeToken(ctx: Context, userId: string, now: Date): string {
  const payload = JSON.stringify([now.getTime() + HOUR, userId]);
  return signToken(deriveKey(ctx.secret, PURPOSE), Buffer.from(payload));
}

function readToken(ctx: Context, token: string): string | null {
  const payload = openToken(deriveKey(ctx.secret, PURPOSE), token);
  if (payload === null) return null;
  const [expiresAt, userId] = JSON.parse(payload.toString()) as [number, string];
  return isCurrent(expiresAt, HOUR, ctx.clock.now()) ? userId : null;
}

type Revoked = {
  readonly sessions: number;
  readonly personal_keys: number;
  readonly api_tokens: number;
  readonly programs: number;
  readonly cli_logins: number;
};
type ListedKey = { readonly name: string; readonly key_ref: string; readonly upload_token: string | null };

export function resetReportEmail(
  to: string,
  revoked: Revoked,
  deployKeys: readonly ListedKey[] | null,
  publicUrl: string,
): Email {
  return {
    to,
    subject: 'Your Chauffeur password was changed',
    text: [
      'The password of your Chauffeur account was reset.',
      [
        `Sessions ended: ${revoked.sessions}`,
        `Personal keys revoked: ${revoked.personal_keys}`,
        `API tokens revoked: ${revoked.api_tokens}`,
        `Agents disconnected: ${revoked.programs}`,
        `Commands signed out: ${revoked.cli_logins}`,
      ].join('\n'),
      ...keyParagraphs(deployKeys, publicUrl),
      "If you didn't do this, reset your password again and check who can read your email:",
      `${publicUrl}/reset\n`,
    ].join('\n\n'),
  };
}

/** Lists the keys and tokens that still work. `deployKeys` is null for an address that was never confirmed. */
function keyParagraphs(deployKeys: readonly ListedKey[] | null, publicUrl: string): string[] {
  if (deployKeys === null)
    return [
      'Deploy keys and upload tokens of your games still work. Sign in to see and revoke them:',
      `${publicUrl}/settings/security`,
    ];
  return deployKeys.length === 0
    ? ['Your games have no deploy keys or upload tokens.']
    : activeKeys(deployKeys, publicUrl);
}

function activeKeys(deployKeys: readonly ListedKey[], publicUrl: string): string[] {
  return [
    'These deploy keys and upload tokens still work:',
    deployKeys.map(formatKey).join('\n'),
    'If someone else may have had your password, revoke them too:',
    `${publicUrl}/settings/security`,
  ];
}

function formatKey({ name, key_ref, upload_token }: ListedKey): string {
  const token = upload_token === null ? '' : ` (token ${oneLine(upload_token)})`;
  return `  - ${oneLine(name)}: ${key_ref}…${token}`;
}
