// Quotas of single games: operators set them instead of the settings, and see the storage of all games.
import { MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/usage';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { type Db, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { lockGame, unknownGame } from '../../people/game-access/game-access.ts';
import { auditChanges, noteGame } from '../../request/audit.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import * as sql from './quotas.sql.ts';

type GameStorage = OutputOf<typeof contract.listGameStorage>['games'][number];
type GameQuota = OutputOf<typeof contract.getGameQuota>;

const PAGE_SIZE = 50;
const MAX_CHANGES = 20;

/** The active limits of a game in bytes; 0 for none. */
export type Limits = {
  readonly storage: number;
  /** The limit of one UTC day. */
  readonly crashFiles: number;
};

export async function readLimits({ config }: Pick<Context, 'config'>, db: Db, gameId: string): Promise<Limits> {
  return limitsOf(config, await sql.readQuota(db, gameId));
}

function limitsOf({ limitStorageMb, limitCrashMb }: Context['config'], quota: sql.QuotaRow): Limits {
  return {
    storage: (quota.storage_mb ?? limitStorageMb) * MIB,
    crashFiles: (quota.crash_mb ?? limitCrashMb) * MIB,
  };
}

export const listGameStorage = handle(
  contract.listGameStorage,
  async (ctx, { input: { search, cursor, limit = PAGE_SIZE } }) => {
    const list = ['game storage', search ?? null];
    const [rankBytes, gameId] = cursor === undefined ? [] : readCursor(list, cursor, ['bytes', 'uuid']);
    const after = rankBytes === undefined || gameId === undefined ? null : { rankBytes, gameId };
    const found = await sql.listGameStorage(ctx.db, {
      search: search ?? null,
      after,
      limit: limit + 1,
      day: today(ctx),
    });
    const { page, last } = cutPage(found, limit);
    return {
      games: page.map((row) => gameOf(ctx, row)),
      next_cursor: last === null ? null : writeCursor(list, [String(last.rank_bytes), last.game_id]),
    };
  },
);

/** Throws `notFound`. */
export const getGameQuota = handle(contract.getGameQuota, async (ctx, { input: { uid } }) => {
  const game = await findGame(ctx.db, uid);
  if (game === null) throw unknownGame();
  return readGameQuota(ctx, game.game_id);
});

/** Throws `notFound`. */
export const setGameQuota = handle(contract.setGameQuota, (ctx, { caller: { user }, input: { uid, ...quota } }) => {
  return changeQuota(ctx, uid, quota, user.name);
});

/**
 * Changes the limits of a game and records who did it, null for the command. Undefined limits stay as they are. Throws
 * `notFound`.
 */
export async function changeQuota(
  ctx: Context,
  gameRef: string,
  changes: { [Limit in keyof sql.QuotaRow]: sql.QuotaRow[Limit] | undefined },
  changedBy: string | null,
): Promise<GameQuota> {
  const game = await findGame(ctx.db, gameRef);
  if (game === null) throw unknownGame();
  const { game_id: gameId } = game;
  noteGame(game);
  await transact(ctx.db, async (tx) => {
    // The lock makes the second of two changes at the same time see the first.
    if ((await lockGame(tx, gameId)) === null) throw unknownGame();
    const before = await sql.readQuota(tx, gameId);
    const quota = {
      storage_mb: changes.storage_mb === undefined ? before.storage_mb : changes.storage_mb,
      crash_mb: changes.crash_mb === undefined ? before.crash_mb : changes.crash_mb,
    };
    if (quota.storage_mb === before.storage_mb && quota.crash_mb === before.crash_mb) return;
    auditChanges(before, quota);
    const now = ctx.clock.now();
    await sql.writeQuota(tx, gameId, quota);
    await sql.insertChange(tx, gameId, {
      ...quota,
      changeId: newId(now.getTime()),
      changed_at: now,
      changed_by: changedBy,
    });
    if (quota.storage_mb !== before.storage_mb) await sql.deleteQuotaWarning(tx, gameId);
  });
  return readGameQuota(ctx, gameId);
}

async function readGameQuota(ctx: Context, gameId: string): Promise<GameQuota> {
  const [row, changes] = await Promise.all([
    sql.readGameStorage(ctx.db, gameId, today(ctx)),
    sql.listQuotaChanges(ctx.db, gameId, MAX_CHANGES),
  ]);
  if (row === undefined) throw unknownGame();
  const { limitStorageMb, limitCrashMb } = ctx.config;
  return {
    game: gameOf(ctx, row),
    changes: changes.map(({ changed_at, changed_by, ...quota }) => ({
      at: changed_at.toISOString(),
      by: changed_by,
      ...quota,
    })),
    defaults: { storage_mb: limitStorageMb, crash_mb: limitCrashMb },
  };
}

function gameOf({ config }: Context, { game_id, rank_bytes: _, ...row }: sql.GameStorageRow): GameStorage {
  const limits = limitsOf(config, row);
  return {
    game_uid: game_id,
    ...row,
    storage_limit_bytes: limits.storage,
    crash_limit_bytes: limits.crashFiles,
  };
}

function today({ clock }: Context): Date {
  return new Date(Math.floor(clock.now().getTime() / DAY) * DAY);
}
