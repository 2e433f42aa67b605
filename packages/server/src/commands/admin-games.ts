// `admin game list|transfer`: lets the operator find games, and give a game to another account or organisation.
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { findUser } from '../people/accounts/accounts.sql.ts';
import { isActive } from '../people/accounts/accounts.ts';
import { findGame, roleOnGame } from '../people/game-access/game-access.sql.ts';
import { listAllGames } from '../people/games/games.sql.ts';
import { findOrganisation } from '../people/organisations/organisations.sql.ts';
import { moveByOperator, transferByOperator } from '../team/invitations/transfer.ts';
import { UsageError } from './fail.ts';
import { withApp } from './open-parts.ts';
import { formatPage, type PageOptions, parsePage } from './pages.ts';
import { perform } from './perform.ts';

export function addGameCommands(game: Command): void {
  game
    .command('list')
    .description('list the games, newest first')
    .option('--search <text>', 'only games whose name or slug contains this')
    .option('--owner <email>', 'only games that this account owns')
    .option('--limit <count>', 'how many to list, up to 1000', '50')
    .option('--cursor <uid>', 'continue after the game with this uid')
    .option('--json', 'print one JSON object', false)
    .action(listCommand);
  game
    .command('transfer')
    .description('give a game to another account or organisation, and revoke its keys')
    .requiredOption('--game <uid>', 'uid or slug of the game')
    .option('--to <email>', 'the email address of the new owner')
    .option('--organisation <uid>', 'uid or slug of the organisation, instead of an account')
    .option('--json', 'print one JSON object', false)
    .action(transferCommand);
}

type ListOptions = PageOptions & { search?: string; owner?: string; json: boolean };

async function listCommand({ search, owner, json, ...page }: ListOptions): Promise<void> {
  const { limit, cursor } = parsePage(page);
  if (cursor !== undefined && !/^[0-9a-f-]{36}$/.test(cursor)) throw new UsageError('--cursor: use the uid of a game.');
  await withApp({ quiet: true }, async ({ ctx }) => {
    const user = owner === undefined ? undefined : await findUser(ctx.db, owner);
    if (user === null) throw new UsageError('--owner: there is no account with this email.');
    const found = await listAllGames(ctx.db, {
      search: search ?? null,
      ownerId: user?.id ?? null,
      before: cursor ?? null,
      limit: limit + 1,
    });
    const games = found.slice(0, limit);
    const next = found.length > limit ? games.at(-1)!.game_uid : null;
    const rows = games.map((game) => [game.game_uid, game.slug, game.visibility, game.owner, game.name]);
    process.stdout.write(json ? `${JSON.stringify({ games, next_cursor: next })}\n` : formatPage(rows, next));
  });
}

type TransferOptions = { game: string; to?: string; organisation?: string; json: boolean };

async function transferCommand({ game: ref, to, organisation, json }: TransferOptions): Promise<void> {
  if ((to === undefined) === (organisation === undefined))
    throw new UsageError('Use either --to with an email, or --organisation.');
  await perform('admin.gameTransfer', json, async ({ ctx }) => {
    const game = await findGame(ctx.db, ref);
    if (game === null) throw new UsageError('--game: there is no game with this uid or slug.');
    const owner =
      to === undefined
        ? await moveToOrganisation(ctx, game, organisation ?? '')
        : await transferToPerson(ctx, game.game_id, to);
    return { game_uid: game.game_id, slug: game.slug, ...owner };
  });
}

async function transferToPerson(ctx: Context, gameId: string, email: string) {
  const user = await findUser(ctx.db, email);
  if (user === null) throw new UsageError('--to: there is no account with this email. Create it first.');
  if (!user.emailVerified)
    throw new UsageError('--to: the email of this account is not verified: chauffeur-server admin user verify.');
  if (!(await isActive(ctx.db, user.id)))
    throw new UsageError('--to: this account is disabled: chauffeur-server admin user enable.');
  if ((await roleOnGame(ctx.db, gameId, user.id)) === 'owner')
    throw new UsageError('--to: this account owns the game already.');
  await transferByOperator(ctx, gameId, user);
  return { user_id: user.id, owner: user.email };
}

async function moveToOrganisation(ctx: Context, game: { game_id: string; organisation_id: string }, ref: string) {
  const organisation = await findOrganisation(ctx.db, ref);
  if (organisation === undefined)
    throw new UsageError('--organisation: there is no organisation with this uid or slug.');
  if (organisation.organisation_id === game.organisation_id)
    throw new UsageError('--organisation: it owns the game already.');
  if (!(await moveByOperator(ctx, game.game_id, organisation)))
    throw new UsageError('--organisation: it has no owner. Appoint one: chauffeur-server admin organisation owner.');
  return { organisation_uid: organisation.organisation_id, organisation: organisation.name };
}
