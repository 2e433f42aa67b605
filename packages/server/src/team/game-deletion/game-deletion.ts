// Deleting a game: announces the consequences first, then hides the game immediately, and a job removes all of its
// data.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/game-deletion';
import type { Context } from '../../context.ts';
import { revokeSymbolToken } from '../../crash/symbols/symbols.sql.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import { addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { requirePassword } from '../../people/accounts/accounts.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { listReachable } from '../../people/games/games.sql.ts';
import { type Game, lockGame, requireOwner, requireRole, roleOf } from '../../people/games/games.ts';
import { recordChange } from '../../request/audit.ts';
import { RESERVED_DAYS } from '../../request/former-addresses.sql.ts';
import { handle } from '../../request/route.ts';
import { revokeDeployKeys } from '../../ship/deploy-keys/deploy-keys.ts';
import { describeDeletion } from './consequences.ts';
import { deletionEmail } from './deletion-emails.ts';
import * as deletion from './game-deletion.sql.ts';
import { isNameTyped } from './typed-name.ts';

export type RemoveGame = { gameId: string };

/**
 * With delays of e^n seconds, the attempts cover an outage of about a day. `finishDeletions` tries again afterwards.
 */
export const removeGameJob = defineJob<RemoveGame>('game-deletion:remove', { attempts: 12, lane: 'long' });

/** The period of launch health: today and the 29 days before. */
const DEVICE_DAYS = 30;

export const getGameDeletion = handle(contract.getGameDeletion, async (ctx, { caller, input }) => {
  const game = await requireOwner(ctx, caller, input.uid);
  const now = ctx.clock.now();
  const since = utcDayOf(new Date(now.getTime() - (DEVICE_DAYS - 1) * DAY));
  const holdings = await deletion.countHoldings(ctx.db, game.game_id, now, since);
  const { devices, ...counts } = holdings;
  return {
    game_uid: game.game_id,
    name: game.name,
    touches_players: game.visibility !== 'draft',
    ...counts,
    devices_30_days: devices,
    consequences: describeDeletion({ ...game, reservedDays: RESERVED_DAYS }, holdings),
  };
});

/**
 * Throws `invalid` for a wrong name and `wrongPassword` for a wrong password. The game is hidden from everyone when it
 * returns.
 */
export const deleteGame = handle(contract.deleteGame, async (ctx, { caller, input }) => {
  const { game_id: gameId } = await requireOwner(ctx, caller, input.uid);
  await requirePassword(ctx, caller.user.id, input.password);
  const game = await retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      const locked = await lockGame(tx, gameId);
      requireRole((await roleOf(tx, locked, caller)) ?? 'viewer', 'owner');
      if (!isNameTyped(locked.name, input.name))
        throw errors.invalid('name: this is not the name of the game. Type it exactly as shown.');
      await hide(ctx, tx, locked, caller.user.name);
      return locked;
    }),
  );
  ctx.log.info({ game: gameId, user: caller.user.id }, 'game deleted');
  return { game_uid: gameId, name: game.name };
});

async function hide(ctx: Context, tx: Tx, game: Game, by: string): Promise<void> {
  const { game_id: gameId, slug, owner_id: ownerId } = game;
  const now = ctx.clock.now();
  const mails = (await listReachable(tx, gameId)).map(({ email: to }) => deletionEmail({ to, game: game.name, by }));
  await enqueueEmails(ctx, tx, 'game_deleted', mails);
  recordChange('game', { name: game.name, slug, visibility: game.visibility }, null);
  await revokeDeployKeys(tx, gameId);
  await revokeSymbolToken(tx, gameId);
  await deletion.revokeAgents(tx, gameId, now);
  // A game that was never public has no links to protect.
  if (game.published_at !== null || game.visibility !== 'draft')
    await deletion.reserveSlugs(tx, { gameId, slug }, ownerId, new Date(now.getTime() + RESERVED_DAYS * DAY));
  await deletion.forgetFormerSlugs(tx, gameId);
  await deletion.markDeleted(tx, gameId, now);
  await addJob(tx, removeGameJob, { gameId });
}
