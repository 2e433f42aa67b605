// `admin …`: lets the operator create accounts, games and deploy keys. Also works while a server runs on the same
// database.

import { createGame } from '@chauffeur/contract/operations/games';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { createUser, findUser, setUserOperator, verifyUser } from '../features/accounts/accounts.ts';
import { issueDeployKeyFor } from '../features/deploy-keys/deploy-keys.ts';
import { createGameFor, findGame } from '../features/games/games.ts';
import { UsageError } from './fail.ts';
import { withApp } from './with-app.ts';

type Output = Record<string, string | boolean>;

const OPERATOR = 'operator';
const MIN_PASSWORD_LENGTH = 10;

export function addAdminCommands(admin: Command): void {
  const user = admin.command('user').description('manage accounts');
  user
    .command('create')
    .description('create an account, with a password from standard input')
    .requiredOption('--email <email>', 'the email address of the account')
    .requiredOption('--password-stdin', 'read the password, one line, from standard input')
    .option('--name <name>', 'the name; defaults to the part of the email before @')
    .option('--verified', 'mark the email as verified without sending mail', false)
    .option('--json', 'print one JSON object', false)
    .action(createUserCommand);
  user
    .command('verify')
    .description("mark an account's email as verified")
    .requiredOption('--email <email>', 'the email address of the account')
    .option('--json', 'print one JSON object', false)
    .action((options: { email: string; json: boolean }) =>
      perform(options.json, async ({ ctx }) => {
        const { id, email } = await verifyUser(ctx, options.email);
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
      perform(options.json, async ({ ctx }) => {
        const { id, email } = await setUserOperator(ctx, options.email, !options.revoke);
        return { user_id: id, email, operator: !options.revoke };
      }),
    );
  admin
    .command('game')
    .description('manage games')
    .command('create')
    .description('create a game for an account')
    .requiredOption('--owner <email>', 'the email address of the owner')
    .requiredOption('--name <name>', 'the name')
    .option('--slug <slug>', 'the slug; derived from the name by default')
    .option('--visibility <visibility>', 'public, invisible or draft', 'draft')
    .option('--json', 'print one JSON object', false)
    .action(createGameCommand);
  admin
    .command('key')
    .description('manage deploy keys')
    .command('issue')
    .description("issue a deploy key and revoke the game's earlier keys")
    .requiredOption('--game <uid>', 'uid or slug of the game')
    .option('--json', 'print one JSON object', false)
    .action((options: { game: string; json: boolean }) =>
      perform(options.json, async ({ ctx }) => {
        const game = await findGame(ctx.db, options.game);
        if (game === null) throw new UsageError('--game: there is no game with this uid or slug.');
        return issueDeployKeyFor(ctx, game.game_id, OPERATOR);
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
  const password = await readLine();
  if (password.length < MIN_PASSWORD_LENGTH)
    throw new UsageError(`The password on standard input is shorter than ${MIN_PASSWORD_LENGTH} characters.`);
  const name = options.name ?? options.email.split('@')[0] ?? options.email;
  await perform(options.json, async ({ ctx, auth }) => {
    const user = await createUser(ctx, auth, { email: options.email, password, name, verified: options.verified });
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
  await perform(options.json, async ({ ctx }) => {
    const owner = await findUser(ctx, options.owner);
    if (owner === null) throw new UsageError(`--owner: there is no account with this email. Create it first.`);
    const { game_uid, slug, name, visibility } = await createGameFor(ctx, owner.id, input as never);
    return { game_uid, slug, name, visibility };
  });
}

/** Performs one action with the parts of the service and prints its result. */
async function perform(json: boolean, work: (app: App) => Promise<Output>): Promise<void> {
  await withApp({ quiet: true }, async (app) => {
    const output = await work(app);
    const lines = Object.entries(output).map(([name, value]) => `${name}=${value}\n`);
    process.stdout.write(json ? `${JSON.stringify(output)}\n` : lines.join(''));
  });
}

async function readLine(): Promise<string> {
  let text = '';
  for await (const data of process.stdin.setEncoding('utf8')) text += data;
  return text.split(/\r?\n/)[0] ?? '';
}
