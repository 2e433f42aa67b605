// A game's usage of its limits, and the storage quota for its builds, symbols, event files, videos and patches.

import { type ApiError, errors } from '@chauffeur/contract/errors';
import { formatBytes } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/usage';
import { USAGE_NOTICE } from '@chauffeur/contract/operations/usage';
import type { Context } from '../../context.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { countLimit } from '../../kernel/limits/rate-limit.ts';
import { raiseAlerts } from '../../notify/alerts/alerts.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import { readLimits } from '../quotas/quotas.ts';
import * as sql from './usage.sql.ts';

type Usage = OutputOf<typeof contract.getUsage>;

export const getUsage = handle(contract.getUsage, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readUsage(ctx, game.game_id);
});

export async function readUsage(ctx: Context, gameId: string): Promise<Usage> {
  const { config, clock, db } = ctx;
  const day = new Date(Math.floor(clock.now().getTime() / DAY) * DAY);
  const [limits, storage, crashes] = await Promise.all([
    readLimits(ctx, db, gameId),
    sql.readStorage(db, gameId),
    sql.readCrashCounters(db, gameId, day),
  ]);
  return {
    storage: {
      used_bytes: sumOf(storage),
      limit_bytes: limits.storage,
      builds_bytes: storage.builds,
      sessions_bytes: storage.sessions,
      symbols_bytes: storage.symbols,
      event_files_bytes: storage.event_files,
      videos_bytes: storage.videos,
      patches_bytes: storage.patches,
    },
    crashes_today: {
      reports: usedOf(crashes.reports, config.limitCrashes),
      files: usedOf(crashes.files, config.limitCrashUploads),
      bytes: usedOf(crashes.bytes, limits.crashFiles),
      resets_at: new Date(day.getTime() + DAY).toISOString(),
    },
  };
}

/** Caps the number, because the counters include refused requests. */
function usedOf(used: number, limit: number): { used: number; limit: number } {
  return { used: limit === 0 ? used : Math.min(used, limit), limit };
}

/** The storage that is available to an upload. */
export type FreeStorage = {
  /** Infinity without a quota. */
  bytes: number;
  /** Creates the error for an upload that needs more. */
  exceeded(): ApiError;
};

/**
 * Checks the available storage before an upload is received. Throws `storageLimitReached` if it is less than `bytes`.
 */
export async function requireFreeStorage(ctx: Context, gameId: string, bytes = 1): Promise<FreeStorage> {
  const { storage: quota } = await readLimits(ctx, ctx.db, gameId);
  if (quota === 0) return { bytes: Number.POSITIVE_INFINITY, exceeded: () => quotaExceeded(0, 0) };
  const storage = await sql.readStorage(ctx.db, gameId);
  // Patches make room for uploads.
  const used = sumOf(storage) - storage.patches;
  const free = Math.max(0, quota - used);
  if (!countLimit(ctx.metrics, 'storage', free >= bytes)) throw quotaExceeded(used, quota);
  return { bytes: free, exceeded: () => quotaExceeded(used, quota) };
}

/**
 * Call it in the transaction that uses storage, after its rows are written. Throws `storageLimitReached` if they do not
 * fit, which rolls them back. From here on, transactions of the same game are serialized, so that together they cannot
 * exceed the quota.
 */
export async function enforceQuota(ctx: Context, tx: Tx, gameId: string): Promise<void> {
  const { storage: quota } = await readLimits(ctx, tx, gameId);
  if (quota === 0) return;
  await sql.lockStorage(tx, gameId);
  const storage = await sql.readStorage(tx, gameId);
  const needed = Math.max(0, Math.min(storage.patches, sumOf(storage) - quota));
  if (needed > 0) await sql.dropPatches(tx, gameId, needed);
  const used = sumOf(storage) - needed;
  if (!countLimit(ctx.metrics, 'storage', used <= quota)) throw quotaExceeded(used, quota);
  if (used < USAGE_NOTICE * quota) return sql.deleteUsageWarning(tx, gameId);
  const now = ctx.clock.now();
  if (!(await sql.insertWarning(tx, gameId, now))) return;
  // Each warning has another subject, so there is one each time that usage gets this high.
  const subject = `storage ${now.toISOString()}`;
  const data = { quota: 'storage', used, limit: quota } as const;
  await raiseAlerts(tx, gameId, [{ kind: 'quota_low', subject, happenedAt: now, data }]);
}

/**
 * Whether the game can store so many more bytes of patches. Transactions of the same game that use storage are
 * serialized from here on.
 */
export async function hasRoom(ctx: Context, tx: Tx, gameId: string, bytes = 1): Promise<boolean> {
  const { storage: quota } = await readLimits(ctx, tx, gameId);
  if (quota === 0) return true;
  await sql.lockStorage(tx, gameId);
  return sumOf(await sql.readStorage(tx, gameId)) + bytes <= quota;
}

function sumOf({ builds, sessions, symbols, event_files, videos, patches }: sql.StorageRow): number {
  return builds + sessions + symbols + event_files + videos + patches;
}

function quotaExceeded(used: number, quota: number): ApiError {
  return errors.storageLimitReached(
    `The upload exceeds the ${formatBytes(quota)} of storage that this game has for builds, symbols, event files and videos. Delete some, or complete or abort open uploads.`,
    { data: { used_bytes: Math.min(used, quota), limit_bytes: quota } },
  );
}

/** Raises an alert when a game has nearly reached a daily limit of its crash reports. */
export const limitAlertsJob = defineJob('usage:alerts', { attempts: 1, cron: '*/5 * * * *' }, raiseLimitAlerts);

export async function raiseLimitAlerts(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  const counters = await sql.listCrashCounters(ctx.db, new Date(Math.floor(now.getTime() / DAY) * DAY));
  for (const { game_id: gameId, name, used } of counters) {
    const isCount = name === 'crashes';
    const limit = isCount ? ctx.config.limitCrashes : (await readLimits(ctx, ctx.db, gameId)).crashFiles;
    if (limit === 0 || used < USAGE_NOTICE * limit) continue;
    const quota = isCount ? 'crash_reports' : 'crash_files';
    // The counters include refused requests.
    const data = { quota, used: Math.min(used, limit), limit } as const;
    await raiseAlerts(ctx.db, gameId, [
      { kind: 'quota_low', subject: `${quota} ${utcDayOf(now)}`, happenedAt: now, data },
    ]);
  }
}
