// The limits of a game's crash reports and their files for each UTC day, and how much of them it has used.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { DAY, SECOND } from '../../../kernel/clock.ts';
import { changed, type Db, keepPlan, row } from '../../../kernel/database/db.ts';

/**
 * The limits of the day that begins at `day`; 0 means no limit. `bytes` limits the compressed size of dumps and logs of
 * games without their own quota.
 */
export type DailyLimits = { day: Date; crashes: number; uploads: number; bytes: number };

export function dailyLimits({ config, clock }: Context): DailyLimits {
  return {
    day: dayOf(clock.now()),
    crashes: config.limitCrashes,
    uploads: config.limitCrashUploads,
    bytes: config.limitCrashMb * MIB,
  };
}

/** How much of its limits a game has used today. `quota_mb` is its own limit of bytes in MiB; null for the setting. */
export type UsedToday = { uploads: number; bytes: number; quota_mb: number | null };

/** The bytes that may still be stored today: infinite without a limit, 0 if the limit of files is reached. */
export function bytesLeft(limits: DailyLimits, used: UsedToday): number {
  if (limits.uploads > 0 && used.uploads >= limits.uploads) return 0;
  const maxBytes = used.quota_mb === null ? limits.bytes : used.quota_mb * MIB;
  return maxBytes === 0 ? Number.POSITIVE_INFINITY : Math.max(0, maxBytes - used.bytes);
}

/** Seconds until the next UTC day. */
export function secondsLeft({ clock }: Context): number {
  const now = clock.now();
  return Math.max(1, Math.ceil((dayOf(now).getTime() + DAY - now.getTime()) / SECOND));
}

export function tooManyBytes(ctx: Context): ApiError {
  const seconds = secondsLeft(ctx);
  return errors.limitReached(
    `This game has reached its daily limit of bytes of crash files. Try again in ${seconds} s.`,
    { data: { retry_after: seconds } },
  );
}

function dayOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / DAY) * DAY);
}

/** The limit of bytes for one day, in a query with `game_quotas`; 0 for none. */
export function maxBytes(setting: number): RawBuilder<unknown> {
  return sql`coalesce(crash_mb * ${sql.lit(MIB)}, ${setting}::bigint)`;
}

/**
 * How much of its limits the game has used today, to be checked before a large body is read. Undefined if the build is
 * not the game's.
 */
export function findUsed(db: Db, gameId: string, buildId: string, day: Date): Promise<UsedToday | undefined> {
  return row(
    db,
    keepPlan(sql<UsedToday>`select ${usedToday(day)} from builds join games using (game_id)
      where game_id = ${gameId} and build_id = ${buildId}`),
  );
}

export function usedToday(day: Date): RawBuilder<unknown> {
  const counter = (name: string) => sql`coalesce((select used from rate_counters
    where subject = game_id::text and name = ${sql.lit(name)} and window_start = ${day}::timestamptz), 0)`;
  return sql`${counter('crash uploads')} as uploads, ${counter('crash bytes')} as bytes,
    (select crash_mb from game_quotas where game_quotas.game_id = games.game_id) as quota_mb`;
}

/** Does the same as `findUsed` for a game of which no build is known yet. Undefined if there is no such game. */
export function findUsedOfGame(db: Db, gameId: string, day: Date): Promise<UsedToday | undefined> {
  return row(db, keepPlan(sql<UsedToday>`select ${usedToday(day)} from games where game_id = ${gameId}`));
}

/** Counts bytes of files that are stored apart from a report. They may exceed the limit: they are stored already. */
export async function countStored(db: Db, gameId: string, bytes: number, day: Date): Promise<void> {
  if (bytes === 0) return;
  await changed(
    db,
    sql`insert into rate_counters (subject, name, window_start, used)
      values (${gameId}, 'crash bytes', ${day}::timestamptz, ${bytes}::bigint)
      on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used`,
  );
}
