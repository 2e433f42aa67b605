// `admin token revoke`: lets the operator revoke what works without a password: keys and tokens of a game, or sessions,
// keys, API tokens, agents and logins of an account, or a single key or token that has leaked.
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { revokeSymbolToken } from '../crash/symbols/symbols.sql.ts';
import { transact } from '../kernel/database/db.ts';
import { findUser } from '../people/accounts/accounts.sql.ts';
import { endSessions } from '../people/accounts/accounts.ts';
import { revokeTokensByRef } from '../people/api-tokens/api-tokens.sql.ts';
import { revokeApiTokens } from '../people/api-tokens/api-tokens.ts';
import { revokeCliLogins, timesOf } from '../people/cli-logins/cli-logins.ts';
import { revokeLogins } from '../people/cli-logins/logins.sql.ts';
import { findGame } from '../people/game-access/game-access.sql.ts';
import { lockGame } from '../people/game-access/game-access.ts';
import { auditChanges } from '../request/audit.ts';
import { revokeByRef } from '../ship/deploy-keys/deploy-keys.sql.ts';
import { revokeDeployKey, revokeUploadTokens } from '../ship/deploy-keys/deploy-keys.ts';
import { revokeAgents } from '../team/agents/agents.ts';
import { revokeKeysByRef } from '../team/agents/keys.sql.ts';
import { UsageError } from './fail.ts';
import { perform } from './perform.ts';

const OF_ACCOUNT = ['sessions', 'personal-keys', 'api-tokens', 'agents', 'logins'] as const;
const OF_GAME = ['deploy-keys', 'upload-tokens', 'symbol-urls'] as const;

export function addTokenCommands(admin: Command): void {
  admin
    .command('token')
    .description('revoke keys and tokens')
    .command('revoke')
    .description(
      'revoke the keys and tokens of a game, or the sessions, keys, API tokens, agents and logins of an account',
    )
    .option('--game <uid>', `uid or slug of the game: ${OF_GAME.join(', ')}`)
    .option('--email <email>', `the email address of the account: ${OF_ACCOUNT.join(', ')}`)
    .option('--ref <reference>', 'a single key or token: its beginning, as lists show it, or all of it')
    .option('--only <kinds>', 'only these kinds, separated by commas')
    .option('--json', 'print one JSON object', false)
    .action(revokeCommand);
}

type Options = { game?: string; email?: string; ref?: string; only?: string; json: boolean };

async function revokeCommand({ game, email, ref, only, json }: Options): Promise<void> {
  if ([game, email, ref].filter((each) => each !== undefined).length !== 1)
    throw new UsageError('Use exactly one of --game, --email and --ref.');
  if (ref !== undefined) {
    if (only !== undefined) throw new UsageError('--only cannot be used with --ref, which names one key or token.');
    return perform('admin.tokenRevoke', json, ({ ctx }) => revokeOne(ctx, ref));
  }
  const all: readonly string[] = game === undefined ? OF_ACCOUNT : OF_GAME;
  const kinds = new Set(only === undefined ? all : only.split(',').map((kind) => kind.trim()));
  const unknown = [...kinds].find((kind) => !all.includes(kind));
  if (unknown !== undefined) throw new UsageError(`--only: ${unknown} is not one of ${all.join(', ')}.`);
  await perform('admin.tokenRevoke', json, ({ ctx }) =>
    game === undefined ? revokeOfAccount(ctx, email ?? '', kinds) : revokeOfGame(ctx, game, kinds),
  );
}

/** The lengths of references: a prefix and characters of the secret, or the beginning of an access token. */
const REFERENCE = /^(chf_(?:mcp|api|cli)_\w{6}|\w{8})/;

/** Keys and tokens are unknown apart from how they begin, by which lists and logs name them. */
async function revokeOne(ctx: Context, given: string) {
  const [ref] = REFERENCE.exec(given) ?? [];
  if (ref === undefined)
    throw new UsageError('--ref: too short. Copy the beginning of the key or token from its list.');
  return transact(ctx.db, async (tx) => {
    const now = ctx.clock.now();
    const counts = {
      personal_keys: await revokeKeysByRef(tx, ref, now),
      api_tokens: await revokeTokensByRef(tx, ref, now),
      logins: await revokeLogins(tx, { keyRef: ref }, timesOf(now)),
      deploy_keys: await revokeByRef(tx, ref),
    };
    if (Object.values(counts).every((count) => count === 0))
      throw new UsageError(`--ref: no active key or token begins with ${ref}.`);
    auditChanges({}, { reference: ref, revoked: counts });
    return { reference: ref, ...counts };
  });
}

async function revokeOfAccount(ctx: Context, email: string, kinds: ReadonlySet<string>) {
  const user = await findUser(ctx.db, email);
  if (user === null) throw new UsageError('--email: there is no account with this email.');
  const revoked = await transact(ctx.db, async (tx) => {
    const now = ctx.clock.now();
    const selection = { keys: kinds.has('personal-keys'), connections: kinds.has('agents') };
    const agents = await revokeAgents(tx, user.id, now, selection);
    const counts = {
      sessions: kinds.has('sessions') ? await endSessions(tx, user.id) : 0,
      personal_keys: agents.keys,
      api_tokens: kinds.has('api-tokens') ? await revokeApiTokens(tx, user.id, now) : 0,
      agents: agents.connections,
      logins: kinds.has('logins') ? await revokeCliLogins(tx, user.id, now) : 0,
    };
    auditChanges({}, { account: { id: user.id, name: user.name }, revoked: counts });
    return counts;
  });
  return { user_id: user.id, email: user.email, ...revoked };
}

async function revokeOfGame(ctx: Context, ref: string, kinds: ReadonlySet<string>) {
  const game = await findGame(ctx.db, ref);
  if (game === null) throw new UsageError('--game: there is no game with this uid or slug.');
  const { game_id: gameId, slug } = game;
  const revoked = await transact(ctx.db, async (tx) => {
    await lockGame(tx, gameId);
    const counts = {
      deploy_keys: kinds.has('deploy-keys') ? await revokeDeployKey(tx, gameId) : 0,
      upload_tokens: kinds.has('upload-tokens') ? await revokeUploadTokens(tx, gameId) : 0,
    };
    if (kinds.has('symbol-urls')) await revokeSymbolToken(tx, gameId);
    auditChanges({}, { revoked: counts });
    return counts;
  });
  return { game_uid: gameId, slug, ...revoked };
}
