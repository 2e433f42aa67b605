// Deleting a game: announces the consequences first, then hides the game immediately, and a job removes all of its
// data: now, and again when no earlier request or job can still write any.

import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/deletion';
import type { Context } from '../../context.ts';
import { deleteReportsOfGame } from '../../crash/crashes/crashes.ts';
import { revokeSymbolToken } from '../../crash/symbols/symbols.sql.ts';
import { deleteBelow } from '../../kernel/blobs/sweep.ts';
import { DAY, HOUR, utcDayOf } from '../../kernel/clock.ts';
import { retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { type Attempt, addJob, bindJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { requirePassword } from '../../people/accounts/accounts.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { listReachable } from '../../people/game-access/game-access.sql.ts';
import { type Game, lockGame, requireOwner, requireRole, roleOf } from '../../people/game-access/game-access.ts';
import { auditChange } from '../../request/audit.ts';
import { RESERVED_DAYS } from '../../request/former-addresses.sql.ts';
import { handle } from '../../request/route.ts';
import { revokeDeployKeys } from '../../ship/deploy-keys/deploy-keys.ts';
import { describeDeletion, isNameTyped } from './consequences.ts';
import * as deletion from './game-deletion.sql.ts';
import { deleteRows, listTenantTables, orderTables } from './tenant-tables.sql.ts';

export type RemoveGame = { gameId: string };

/**
 * The attempts have delays of e^n seconds, and cover an outage of about a day. `finishDeletions` tries again
 * afterwards.
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
  const emails = (await listReachable(tx, gameId)).map(({ email: to }) => deletionEmail({ to, game: game.name, by }));
  await enqueueEmails(ctx, tx, 'game_deleted', emails);
  auditChange('game', { name: game.name, slug, visibility: game.visibility }, null);
  await revokeDeployKeys(tx, gameId);
  await revokeSymbolToken(tx, gameId);
  await deletion.revokeAgentsOfGame(tx, gameId, now);
  // A game that was never public has no links to protect.
  if (game.published_at !== null || game.visibility !== 'draft')
    await deletion.reserveSlugs(tx, { gameId, slug }, ownerId, new Date(now.getTime() + RESERVED_DAYS * DAY));
  await deletion.forgetFormerSlugs(tx, gameId);
  await deletion.markDeleted(tx, gameId, now);
  await addJob(tx, removeGameJob, { gameId });
}

export function deletionEmail({ to, game, by }: { to: string; game: string; by: string }): Email {
  return {
    to,
    subject: `${oneLine(game)} was deleted`,
    text: [
      `${quote(by)}, its owner, deleted the game ${quote(game)} with its builds, store page, crash reports, events and bug tickets.`,
      "This can't be undone. If you didn't expect it, contact the owner or the operator of this server.\n",
    ].join('\n\n'),
  };
}

export const finishDeletionsJob = defineJob(
  'game-deletion:finish',
  { attempts: 3, cron: '23 * * * *', lane: 'long' },
  finishDeletions,
);

/** The prefixes of the game's id in the keys of its blobs. Files of crash reports are found through their rows. */
const BLOB_FOLDERS = ['files/', 'patches/', 'media/', 'videos/', 'bugs/', 'symbols/', 'events/game_id='];

/** After this time, requests, jobs and batches that started before the deletion have ended. */
const SETTLED_AFTER = HOUR;

export const removeGameBinding = bindJob(removeGameJob, removeGame);

export async function removeGame(ctx: Context, { gameId }: RemoveGame, { signal }: Attempt): Promise<void> {
  // This safeguard keeps the data of a game that is not deleted.
  if (!(await deletion.isDeleted(ctx.db, gameId))) return;
  await removeAll(ctx, gameId, signal);
}

/**
 * An hour after a deletion, removes data that was written after the first removal, and then the last row. It also
 * completes interrupted removals and releases expired slug reservations.
 */
export async function finishDeletions(ctx: Context, _payload: object, { signal }: Attempt): Promise<void> {
  const now = ctx.clock.now();
  await deletion.freeSlugs(ctx.db, now);
  for (const gameId of await deletion.listDeleted(ctx.db, new Date(now.getTime() - SETTLED_AFTER))) {
    await removeAll(ctx, gameId, signal);
    await deletion.deleteLastRow(ctx.db, gameId);
    ctx.log.info({ game: gameId }, 'deleted game removed completely');
  }
}

/**
 * Files of crash reports are deleted before their rows. Every step can be repeated, so an interrupted removal starts
 * over.
 */
async function removeAll(ctx: Context, gameId: string, signal: AbortSignal): Promise<void> {
  await deleteReportsOfGame(ctx, gameId, signal);
  for (const table of orderTables(await listTenantTables(ctx.db))) await deleteRows(ctx.db, table, gameId, signal);
  await deletion.deleteCounters(ctx.db, gameId);
  for (const folder of BLOB_FOLDERS) await deleteBelow(ctx.blobs, `${folder}${gameId}/`, signal);
}
