// Deleting a build: announces the consequences first, then deletes it in one transaction.

import { type Deletion, describeDeletions } from '@chauffeur/contract/consequences';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/deletion';
import { sql } from 'kysely';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { type Db, retryConflicts, rows, type Tx, transact } from '../../kernel/database/db.ts';
import { type Game, requireMember } from '../../people/game-access/game-access.ts';
import { auditChange } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { type Build, findBuild } from '../../ship/builds/builds.ts';
import { emptyChannels, isExpired, type Pointer, pointersAt } from '../../ship/channels/channels.ts';
import { rolloutsOfBuilds } from '../../ship/rollouts/rollouts.sql.ts';

type Consequences = OutputOf<typeof contract.getBuildDeletion>;
type Deleted = OutputOf<typeof contract.deleteBuild>;

/** The period of launch health: today and the 29 days before. */
const DEVICE_DAYS = 30;

export const getBuildDeletion = handle(contract.getBuildDeletion, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return previewDeletion(ctx.db, game, input.build_id, ctx.clock.now());
});

/** Returns what deleting the build now would remove. Throws `unknownBuild`. */
export async function previewDeletion(db: Db, game: Game, buildId: string, now: Date): Promise<Consequences> {
  const build = await findBuild(db, game.game_id, buildId);
  if (build === null) throw unknownBuild();
  const [deletion] = await previewBuilds(db, game, [build], now);
  return { ...deletion!, consequences: describeDeletions([deletionOf(game, deletion!)]) };
}

/** What deleting a build would remove, without sentences. */
export type BuildDeletion = Omit<Consequences, 'consequences'>;

/** Returns what deleting each of the builds now would remove, in their order. */
export async function previewBuilds(db: Db, game: Game, builds: readonly Build[], now: Date): Promise<BuildDeletion[]> {
  const since = utcDayOf(new Date(now.getTime() - (DEVICE_DAYS - 1) * DAY));
  const buildIds = builds.map(({ build_id }) => build_id);
  const holdings = await countHoldings(db, { gameId: game.game_id, buildIds }, now, since);
  const holdingsOf = new Map(holdings.map((row) => [row.build_id, row]));
  const pointers = Map.groupBy(await pointersAt(db, game.game_id, buildIds), ({ build_id }) => build_id);
  const rollouts = Map.groupBy(await rolloutsOfBuilds(db, game.game_id, buildIds), ({ build_id }) => build_id);
  return builds.map(({ build_id, version, os, arch }) => {
    const current = (pointers.get(build_id) ?? []).filter((pointer) => !isExpired(pointer, now));
    const offers = current.sort((a, b) => rankOf(a) - rankOf(b));
    const rolledOut = (rollouts.get(build_id) ?? []).map(({ channel }) => channel);
    const { build_id: _, devices, ...counts } = holdingsOf.get(build_id)!;
    return {
      ...{ build_id, version, os, arch },
      channels: offers.map(({ channel, expires_at }) => ({ channel, expires_at: expires_at?.toISOString() ?? null })),
      rollouts: rolledOut,
      touches_players:
        game.visibility !== 'draft' &&
        (offers.some(({ channel }) => channel === 'stable') || rolledOut.includes('stable')),
      ...counts,
      devices_30_days: devices,
    };
  });
}

/** Ordered from the largest audience to the smallest. */
const KNOWN_CHANNELS = ['stable', 'beta', 'dev'];

function rankOf({ channel }: Pointer): number {
  const rank = KNOWN_CHANNELS.indexOf(channel);
  return rank === -1 ? KNOWN_CHANNELS.length : rank;
}

/** The deletion as its sentences need it. */
export function deletionOf(game: Game, { version, os, arch, ...deletion }: BuildDeletion): Deletion {
  return {
    build: { version, os, arch },
    channels: deletion.channels.map(({ channel }) => channel),
    rollouts: deletion.rollouts,
    files: deletion.files,
    bytes: deletion.bytes,
    symbols: deletion.symbols,
    crashReports: deletion.crash_reports,
    devices: deletion.devices_30_days,
    uploads: deletion.upload_sessions,
    visibility: game.visibility,
  };
}

export const deleteBuild = handle(contract.deleteBuild, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const by = { movedBy: caller.user.name, now: ctx.clock.now() };
  // An upload that is being completed and the deletion may wait for each other's locks.
  return retryConflicts(() =>
    transact(ctx.db, (tx) => deleteBuildWithin(tx, { gameId: game.game_id, buildId: input.build_id, ...by })),
  );
});

/**
 * Deletes the build within a transaction, with its files, symbols, open uploads and entry lists. The sweeps remove its
 * blobs a day later. Throws `unknownBuild`, after which the transaction can continue.
 */
export async function deleteBuildWithin(
  tx: Tx,
  { gameId, buildId, movedBy, now }: { gameId: string; buildId: string; movedBy: string; now: Date },
): Promise<Deleted> {
  const build = await findBuild(tx, gameId, buildId);
  if (build === null) throw unknownBuild();
  const { channels, files } = await deleteBuildsWithin(tx, { gameId, builds: [build], movedBy, now });
  return {
    build_id: build.build_id,
    version: build.version,
    channels: channels.map(({ channel }) => channel),
    files,
  };
}

/**
 * Deletes several builds of a version within a transaction, and returns the pointers that offered them, and the number
 * of their files. Throws `unknownBuild` with the platform of a build that was deleted in the meantime.
 */
export async function deleteBuildsWithin(
  tx: Tx,
  { gameId, builds, movedBy, now }: { gameId: string; builds: readonly Build[]; movedBy: string; now: Date },
): Promise<{ channels: Pointer[]; files: number }> {
  const key = { gameId, buildIds: builds.map(({ build_id }) => build_id) };
  const files = await lockWork(tx, key);
  const emptied = await emptyChannels(tx, { ...key, movedBy, now });
  const deleted = new Set(await deleteRows(tx, key, movedBy, now));
  const missing = builds.find(({ build_id }) => !deleted.has(build_id));
  if (missing !== undefined && builds.length === 1) throw unknownBuild();
  if (missing !== undefined)
    throw errors.unknownBuild(
      `The build of ${missing.version} for ${formatPlatform(missing)} was deleted in the meantime. Nothing else was deleted. Try again.`,
    );
  const [only] = builds;
  if (builds.length === 1) auditChange('build', { version: only!.version, os: only!.os, arch: only!.arch }, null);
  else auditChange('version', { version: only!.version, builds: builds.map(formatPlatform) }, null);
  return { channels: emptied.filter((pointer) => !isExpired(pointer, now)), files };
}

function unknownBuild(): ApiError {
  return errors.unknownBuild('build_id: this game has no such build. List the builds and use one of their ids.');
}

type BuildKeys = { gameId: string; buildIds: readonly string[] };

type Holdings = {
  build_id: string;
  files: number;
  bytes: number;
  symbols: number;
  upload_sessions: number;
  crash_reports: number;
  devices: number;
};

/** Counts what belongs to each build. Devices are counted if they sent events with it on `since` or later. */
function countHoldings(db: Db, { gameId, buildIds }: BuildKeys, now: Date, since: string): Promise<Holdings[]> {
  const ofBuild = sql`game_id = ${gameId} and build_id = given.build_id`;
  return rows(
    db,
    sql<Holdings>`select given.build_id,
      (select count(*) from files where ${ofBuild}) as files,
      (select coalesce(sum(size), 0)::bigint from files where ${ofBuild}) as bytes,
      (select count(*) from symbols where ${ofBuild}) as symbols,
      (select count(*) from upload_sessions where ${ofBuild} and finished_at is null and expires_at > ${now}) as upload_sessions,
      (select coalesce(sum(count), 0)::bigint from crash_group_totals where ${ofBuild}) as crash_reports,
      (select coalesce(sum(devices), 0)::bigint from event_device_days where ${ofBuild} and day >= ${since}::date) as devices
      from unnest(${buildIds}::uuid[]) as given (build_id)`,
  );
}

/**
 * Waits for scans and uploads of the builds that are ending, blocks others, and returns the number of files. Call it
 * before taking other locks: a scan that ends locks the file and then the channel, an upload that ends its session and
 * then the build.
 */
async function lockWork(tx: Tx, { gameId, buildIds }: BuildKeys): Promise<number> {
  const ofBuilds = sql`game_id = ${gameId} and build_id = any(${buildIds}::uuid[])`;
  await rows(tx, sql`select from upload_sessions where ${ofBuilds} order by session_id for update`);
  const files = await rows(tx, sql`select from files where ${ofBuilds} order by file_id for update`);
  return files.length;
}

/** Deletes the builds and everything that refers to them, and keeps their names. Returns the builds that existed. */
async function deleteRows(tx: Tx, { gameId, buildIds }: BuildKeys, by: string, now: Date): Promise<string[]> {
  const deleted = await rows(
    tx,
    sql<{ build_id: string }>`with deleted as (
        delete from builds where game_id = ${gameId} and build_id = any(${buildIds}::uuid[])
        returning game_id, build_id, version, os, arch, created_at
      )
      insert into deleted_builds (game_id, build_id, version, os, arch, created_at, deleted_at, deleted_by)
      select game_id, build_id, version, os, arch, created_at, ${now}, ${by} from deleted returning build_id`,
  );
  return deleted.map(({ build_id }) => build_id);
}
