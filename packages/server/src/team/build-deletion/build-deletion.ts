// Deleting a build: announces the consequences first, then deletes it in one transaction.

import { describeDeletion } from '@chauffeur/contract/consequences';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/deletion';
import { sql } from 'kysely';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { changed, type Db, onlyRow, retryConflicts, rows, type Tx, transact } from '../../kernel/database/db.ts';
import { type Game, requireMember } from '../../people/game-access/game-access.ts';
import { auditChange } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { type Build, findBuild } from '../../ship/builds/builds.ts';
import { emptyChannels, isExpired, type Pointer, pointersAt } from '../../ship/channels/channels.ts';

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
  const since = utcDayOf(new Date(now.getTime() - (DEVICE_DAYS - 1) * DAY));
  const key = { gameId: game.game_id, buildId: build.build_id };
  const [holdings, pointers] = [
    await countHoldings(db, key, now, since),
    await pointersAt(db, key.gameId, key.buildId),
  ];
  const offers = pointers.filter((pointer) => !isExpired(pointer, now)).sort((a, b) => rankOf(a) - rankOf(b));
  return {
    build_id: build.build_id,
    version: build.version,
    os: build.os,
    arch: build.arch,
    channels: offers.map(({ channel, expires_at }) => ({ channel, expires_at: expires_at?.toISOString() ?? null })),
    touches_players: game.visibility !== 'draft' && offers.some(({ channel }) => channel === 'stable'),
    files: holdings.files,
    bytes: holdings.bytes,
    symbols: holdings.symbols,
    upload_sessions: holdings.upload_sessions,
    crash_reports: holdings.crash_reports,
    devices_30_days: holdings.devices,
    consequences: describeConsequences(game, build, offers, holdings),
  };
}

/** Ordered from the largest audience to the smallest. */
const KNOWN_CHANNELS = ['stable', 'beta', 'dev'];

function rankOf({ channel }: Pointer): number {
  const rank = KNOWN_CHANNELS.indexOf(channel);
  return rank === -1 ? KNOWN_CHANNELS.length : rank;
}

function describeConsequences(game: Game, build: Build, offers: readonly Pointer[], holdings: Holdings): string[] {
  return describeDeletion({
    build,
    channels: offers.map(({ channel }) => channel),
    files: holdings.files,
    bytes: holdings.bytes,
    symbols: holdings.symbols,
    crashReports: holdings.crash_reports,
    devices: holdings.devices,
    uploads: holdings.upload_sessions,
    visibility: game.visibility,
  });
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
  const key = { gameId, buildId: build.build_id };
  const files = await lockWork(tx, key);
  const emptied = await emptyChannels(tx, { ...key, movedBy, now });
  if (!(await deleteRow(tx, key, movedBy, now))) throw unknownBuild();
  auditChange('build', { version: build.version, os: build.os, arch: build.arch }, null);
  const channels = emptied.filter((pointer) => !isExpired(pointer, now)).map(({ channel }) => channel);
  return { build_id: build.build_id, version: build.version, channels, files };
}

function unknownBuild(): ApiError {
  return errors.unknownBuild('build_id: this game has no such build. List the builds and use one of their ids.');
}

type BuildKey = { gameId: string; buildId: string };

type Holdings = {
  files: number;
  bytes: number;
  symbols: number;
  upload_sessions: number;
  crash_reports: number;
  devices: number;
};

/** Counts what belongs to a build. Devices are counted if they sent events with it on `since` or later. */
function countHoldings(db: Db, { gameId, buildId }: BuildKey, now: Date, since: string): Promise<Holdings> {
  const ofBuild = sql`game_id = ${gameId} and build_id = ${buildId}`;
  return onlyRow(
    db,
    sql<Holdings>`select
      (select count(*) from files where ${ofBuild}) as files,
      (select coalesce(sum(size), 0)::bigint from files where ${ofBuild}) as bytes,
      (select count(*) from symbols where ${ofBuild}) as symbols,
      (select count(*) from upload_sessions where ${ofBuild} and finished_at is null and expires_at > ${now}) as upload_sessions,
      (select coalesce(sum(count), 0)::bigint from crash_group_totals where ${ofBuild}) as crash_reports,
      (select coalesce(sum(devices), 0)::bigint from event_device_days where ${ofBuild} and day >= ${since}::date) as devices`,
  );
}

/**
 * Waits for scans and uploads of the build that are ending, blocks others, and returns the number of files. Call it
 * before taking other locks: a scan that ends locks the file and then the channel, an upload that ends its session and
 * then the build.
 */
async function lockWork(tx: Tx, { gameId, buildId }: BuildKey): Promise<number> {
  const ofBuild = sql`game_id = ${gameId} and build_id = ${buildId}`;
  await rows(tx, sql`select from upload_sessions where ${ofBuild} order by session_id for update`);
  const files = await rows(tx, sql`select from files where ${ofBuild} order by file_id for update`);
  return files.length;
}

/**
 * Deletes the build and everything that refers to it, and keeps its name. Returns false if the build does not exist.
 */
async function deleteRow(tx: Tx, { gameId, buildId }: BuildKey, by: string, now: Date): Promise<boolean> {
  const count = await changed(
    tx,
    sql`with deleted as (
        delete from builds where game_id = ${gameId} and build_id = ${buildId}
        returning game_id, build_id, version, os, arch, created_at
      )
      insert into deleted_builds (game_id, build_id, version, os, arch, created_at, deleted_at, deleted_by)
      select game_id, build_id, version, os, arch, created_at, ${now}, ${by} from deleted`,
  );
  return count === 1;
}
