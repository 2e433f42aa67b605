// `admin …`: lets the operator create accounts, games and deploy keys. Also works while a server runs on the same
// database.

import { createGame } from '@chauffeur/contract/operations/games';
import { MAX_QUOTA_MB } from '@chauffeur/contract/operations/usage';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import { endSetup } from '../operate/setup/setup.ts';
import { findUser } from '../people/accounts/accounts.sql.ts';
import {
  createUser,
  resetUserSecondFactor,
  setUserDisabled,
  setUserOperator,
  verifyUserByEmail,
} from '../people/accounts/accounts.ts';
import { findGame } from '../people/game-access/game-access.sql.ts';
import { createGameFor } from '../people/games/games.ts';
import { auditChange, auditChanges } from '../request/audit.ts';
import { issueDeployKeyFor } from '../ship/deploy-keys/deploy-keys.ts';
import { changeQuota } from '../ship/quotas/quotas.ts';
import { addDsnCommand } from './admin-dsns.ts';
import { addGameCommands } from './admin-games.ts';
import { addSigningKeyCommands } from './admin-signing-keys.ts';
import { addTokenCommands } from './admin-tokens.ts';
import { addUserCommands } from './admin-users.ts';
import { UsageError } from './fail.ts';
import { addOrganisationCommands } from './organisations.ts';
import { perform } from './perform.ts';
import { readPassword } from './read-line.ts';

const OPERATOR = 'operator';

export function addAdminCommands(admin: Command): void {
  const user = admin.command('user').description('manage accounts');
  user
    .command('create')
    .description('create an account, with a password from standard input')
    .requiredOption('--email <email>', 'the email address of the account')
    .requiredOption('--password-stdin', 'read the password, one line, from standard input')
    .option('--name <name>', 'the name; defaults to the part of the email before @')
    .option('--verified', 'mark the email as verified without sending a message', false)
    .option('--json', 'print one JSON object', false)
    .action(createUserCommand);
  user
    .command('verify')
    .description("mark an account's email as verified")
    .requiredOption('--email <email>', 'the email address of the account')
    .option('--json', 'print one JSON object', false)
    .action((options: { email: string; json: boolean }) =>
      perform('admin.userVerify', options.json, async ({ ctx }) => {
        const { id, name, email } = await verifyUserByEmail(ctx, options.email);
        auditChange('account', undefined, { id, name });
        return { user_id: id, email, verified: true };
      }),
    );
  user
    .command('operator')
    .description('give an account access to the operator pages at /operator')
    .requiredOption('--email <email>', 'the email address of the account')
    .option('--revoke', 'revoke this access', false)
    .option('--json', 'print one JSON object', false)
    .action((options: { email: string; revoke: boolean; json: boolean }) =>
      perform('admin.userOperator', options.json, async ({ ctx }) => {
        const { id, name, email } = await setUserOperator(ctx, options.email, !options.revoke);
        auditChanges({}, { account: { id, name }, operator: !options.revoke });
        await endSetup(ctx.db);
        return { user_id: id, email, operator: !options.revoke };
      }),
    );
  for (const [name, description, disabled] of [
    ['disable', 'disable an account: it cannot sign in, and its keys, agents and commands stop working', true],
    ['enable', 'enable a disabled account again', false],
  ] as const) {
    user
      .command(name)
      .description(description)
      .requiredOption('--email <email>', 'the email address of the account')
      .option('--json', 'print one JSON object', false)
      .action((options: { email: string; json: boolean }) =>
        perform(disabled ? 'admin.userDisable' : 'admin.userEnable', options.json, async ({ ctx }) => {
          const { id, email } = await setUserDisabled(ctx, options.email, disabled);
          auditChanges({}, { account: { id }, disabled });
          return { user_id: id, email, disabled };
        }),
      );
  }
  user
    .command('reset-second-factor')
    .description('remove the authenticator app, backup codes and passkeys of an account, and sign it out')
    .requiredOption('--email <email>', 'the email address of the account')
    .option('--json', 'print one JSON object', false)
    .action((options: { email: string; json: boolean }) =>
      perform('admin.userResetSecondFactor', options.json, async ({ ctx }) => {
        const { id, email, removed } = await resetUserSecondFactor(ctx, options.email);
        auditChanges({}, { account: { id }, removed });
        return { user_id: id, email, removed };
      }),
    );
  addUserCommands(user);
  const game = admin.command('game').description('manage games');
  game
    .command('create')
    .description('create a game for an account')
    .requiredOption('--owner <email>', 'the email address of the owner')
    .requiredOption('--name <name>', 'the name')
    .option('--slug <slug>', 'the slug; derived from the name by default')
    .option('--visibility <visibility>', 'public, invisible or draft', 'draft')
    .option('--json', 'print one JSON object', false)
    .action(createGameCommand);
  game
    .command('quota')
    .description('show the quotas of a game, or set quotas that override the settings')
    .requiredOption('--game <uid>', 'uid or slug of the game')
    .option('--storage-mb <n>', 'MiB of builds and symbols; 0 for no limit, "default" for the setting')
    .option('--crash-mb <n>', 'MiB of crash files per day; 0 for no limit, "default" for the setting')
    .option('--json', 'print one JSON object', false)
    .action(quotaCommand);
  addGameCommands(game);
  addOrganisationCommands(admin);
  addSigningKeyCommands(admin);
  addTokenCommands(admin);
  addDsnCommand(admin);
  admin
    .command('key')
    .description('manage deploy keys')
    .command('issue')
    .description("issue a deploy key and revoke the game's earlier keys")
    .requiredOption('--game <uid>', 'uid or slug of the game')
    .option('--revoke-tokens', "revoke the game's upload tokens too", false)
    .option('--json', 'print one JSON object', false)
    .action((options: { game: string; revokeTokens: boolean; json: boolean }) =>
      perform('admin.keyIssue', options.json, async ({ ctx }) => {
        const game = await findGame(ctx.db, options.game);
        if (game === null) throw new UsageError('--game: there is no game with this uid or slug.');
        return issueDeployKeyFor(ctx, game.game_id, OPERATOR, { revokeTokens: options.revokeTokens });
      }),
    );
}

async function createUserCommand(options: {
  email: string;
  name?: string;
  verified: boolean;
  json: boolean;
}): Promise<void> {
  if (!/^[^\s@]+@[^\s@]+$/.test(options.email)) throw new UsageError('--email: not an email address.');
  const password = await readPassword();
  const name = options.name ?? options.email.split('@')[0] ?? options.email;
  await perform('admin.userCreate', options.json, async ({ ctx, auth }) => {
    const user = await createUser(ctx, auth, { email: options.email, password, name, verified: options.verified });
    auditChange('account', undefined, { id: user.id, name: user.name });
    return { user_id: user.id, email: user.email, name: user.name, verified: user.emailVerified };
  });
}

async function createGameCommand(options: {
  owner: string;
  name: string;
  slug?: string;
  visibility: string;
  json: boolean;
}): Promise<void> {
  const input = {
    name: options.name,
    visibility: options.visibility,
    ...(options.slug !== undefined && { slug: options.slug }),
  };
  const problem = findProblem(createGame.body!, input);
  if (problem !== null) throw new UsageError(`--${problem}`);
  await perform('admin.gameCreate', options.json, async ({ ctx }) => {
    const owner = await findUser(ctx.db, options.owner);
    if (owner === null) throw new UsageError(`--owner: there is no account with this email. Create it first.`);
    const { game_uid, slug, name, visibility } = await createGameFor(ctx, owner.id, input as never);
    return { game_uid, slug, name, visibility };
  });
}

type QuotaOptions = { game: string; storageMb?: string; crashMb?: string; json: boolean };

async function quotaCommand({ game: gameRef, storageMb, crashMb, json }: QuotaOptions): Promise<void> {
  const changes = { storage_mb: parseMb('--storage-mb', storageMb), crash_mb: parseMb('--crash-mb', crashMb) };
  await perform('admin.gameQuota', json, async ({ ctx }) => {
    const found = await findGame(ctx.db, gameRef);
    if (found === null) throw new UsageError('--game: there is no game with this uid or slug.');
    const { game } = await changeQuota(ctx, found.game_id, changes, null);
    return {
      game_uid: game.game_uid,
      slug: game.slug,
      storage_mb: game.storage_mb ?? 'default',
      crash_mb: game.crash_mb ?? 'default',
      storage_limit_bytes: game.storage_limit_bytes,
      crash_limit_bytes: game.crash_limit_bytes,
      used_bytes: game.used_bytes,
    };
  });
}

/** Undefined if the option was not given, null for the setting of the server. */
function parseMb(option: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'default') return null;
  const mb = Number(text);
  if (/^\d+$/.test(text) && mb <= MAX_QUOTA_MB) return mb;
  throw new UsageError(`${option}: use a whole number from 0 to ${MAX_QUOTA_MB}, or default.`);
}
