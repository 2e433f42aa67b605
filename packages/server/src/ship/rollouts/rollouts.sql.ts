// The SQL of rollouts, except what ends them (channels/rollout-ends.sql.ts).
import type { Arch, Os } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getRollout, listRollouts as listOperation, RolloutState } from '@chauffeur/contract/operations/rollouts';

import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import { raiseSerialsOfRollout } from '../channels/serials.sql.ts';
import { enqueuePatches } from '../patches/patches.ts';

type RolloutDetails = OutputOf<typeof getRollout>;
/** What was counted last. */
export type RolloutFigures = Pick<RolloutDetails, 'side' | 'base_side' | 'new_groups'>;
type RolloutRecord = OutputOf<typeof listOperation>['rollouts'][number];

export type RolloutBuildRow = {
  os: Os;
  arch: Arch;
  build_id: string;
  base_build_id: string;
  base_version: string;
  base_move_id: string;
};

export type RolloutRow = {
  game_id: string;
  rollout_id: string;
  channel: string;
  version: string;
  state: RolloutState;
  steps: RolloutRecord['steps'];
  step: number;
  share: number;
  step_since: Date;
  paused_ms: number;
  paused_at: Date | null;
  guards: Omit<RolloutRecord['guards'][number], 'overruled'>[];
  min_devices: number;
  overruled: string[];
  stall_alerted: boolean;
  started_at: Date;
  /** Microseconds since 1970, for a cursor. */
  started_us: string;
  started_by: string;
  ended_at: Date | null;
  observed_until: Date;
  figures: RolloutFigures | null;
  builds: RolloutBuildRow[];
};

const columns =
  sql.raw(`rollouts.game_id, rollouts.rollout_id, rollouts.channel, rollouts.version, state, steps, step, share,
  step_since, paused_ms, paused_at, guards, min_devices, overruled, stall_alerted, started_at,
  (extract(epoch from started_at) * 1000000)::bigint::text as started_us, started_by, ended_at, observed_until, figures,
  coalesce((select json_agg(json_build_object('os', os, 'arch', arch, 'build_id', build_id, 'base_build_id', base_build_id,
      'base_version', base_version, 'base_move_id', base_move_id) order by os, arch)
    from rollout_builds where rollout_builds.game_id = rollouts.game_id and rollout_builds.rollout_id = rollouts.rollout_id), '[]'::json) as builds`);

export function findRollout(db: Db, gameId: string, rolloutId: string): Promise<RolloutRow | undefined> {
  return row(
    db,
    sql<RolloutRow>`select ${columns} from rollouts where game_id = ${gameId} and rollout_id = ${rolloutId}`,
  );
}

/** Call with locks on the rollout's pointers. */
export async function lockRollout(tx: Tx, gameId: string, rolloutId: string): Promise<RolloutRow | undefined> {
  await rows(tx, sql`select from rollouts where game_id = ${gameId} and rollout_id = ${rolloutId} for update`);
  return findRollout(tx, gameId, rolloutId);
}

export type RolloutPosition = { startedUs: string; rolloutId: string };
export type RolloutFilters = {
  readonly channel?: string | undefined;
  readonly version?: string | undefined;
  readonly states?: readonly string[] | undefined;
};

/** Rollouts after `after`, the newest first. */
export function listRollouts(
  db: Db,
  gameId: string,
  { channel, version, states }: RolloutFilters,
  { after, limit }: { after: RolloutPosition | null; limit: number },
): Promise<RolloutRow[]> {
  const conditions = [sql`true`];
  if (channel !== undefined) conditions.push(sql`channel = ${channel}`);
  if (version !== undefined) conditions.push(sql`version = ${version}`);
  if (states !== undefined) conditions.push(sql`state = any(${states}::text[])`);
  if (after !== null)
    conditions.push(
      sql`(started_at, rollout_id) < (to_timestamp(0) + ${after.startedUs}::bigint * interval '1 microsecond', ${after.rolloutId}::uuid)`,
    );
  return rows(
    db,
    sql<RolloutRow>`select ${columns} from rollouts where game_id = ${gameId} and ${sql.join(conditions, sql` and `)}
      order by started_at desc, rollout_id desc limit ${limit}`,
  );
}

/** The running and paused rollouts of all games, and the aborted ones that ended since a time. */
export function listToObserve(db: Db, abortedSince: Date): Promise<{ game_id: string; rollout_id: string }[]> {
  return rows(
    db,
    sql<{ game_id: string; rollout_id: string }>`select rollouts.game_id, rollout_id
      from rollouts join games on games.game_id = rollouts.game_id
      where state in ('running', 'paused') or (state = 'aborted' and ended_at > ${abortedSince})
      order by rollouts.game_id, rollout_id`,
  );
}

export type NewRollout = Pick<
  RolloutRow,
  'game_id' | 'rollout_id' | 'channel' | 'version' | 'steps' | 'share' | 'guards' | 'min_devices' | 'started_by'
> & { readonly now: Date; readonly builds: readonly RolloutBuildRow[] };

export async function insertRollout(tx: Tx, rollout: NewRollout): Promise<void> {
  const { game_id, rollout_id, channel, now, builds } = rollout;
  await changed(
    tx,
    sql`insert into rollouts (game_id, rollout_id, channel, version, state, steps, step, share, step_since, guards,
        min_devices, started_at, started_by, observed_until)
      values (${game_id}, ${rollout_id}, ${channel}, ${rollout.version}, 'running', ${JSON.stringify(rollout.steps)}::jsonb, 0,
        ${rollout.share}, ${now}, ${JSON.stringify(rollout.guards)}::jsonb, ${rollout.min_devices}, ${now},
        ${rollout.started_by}, ${now})`,
  );
  for (const build of builds)
    await changed(
      tx,
      sql`insert into rollout_builds (game_id, rollout_id, channel, os, arch, build_id, base_build_id, base_version,
          base_move_id, active)
        values (${game_id}, ${rollout_id}, ${channel}, ${build.os}, ${build.arch}, ${build.build_id},
          ${build.base_build_id}, ${build.base_version}, ${build.base_move_id}, true)`,
    );
  await raiseSerialsOfRollout(tx, game_id, rollout_id);
  await enqueuePatches(tx, game_id);
}

/** The versions that are being rolled out on these platforms of a channel. */
export function findActive(
  db: Db,
  gameId: string,
  channel: string,
  platforms: readonly { os: string; arch: string }[],
): Promise<{ version: string; os: string; arch: string }[]> {
  const [oses, arches] = [platforms.map(({ os }) => os), platforms.map(({ arch }) => arch)];
  return rows(
    db,
    sql<{ version: string; os: string; arch: string }>`select version, os, arch
      from rollout_builds join rollouts using (game_id, rollout_id, channel)
      where game_id = ${gameId} and channel = ${channel} and active
        and (os, arch) in (select * from unnest(${oses}::text[], ${arches}::text[]))
      order by os, arch`,
  );
}

/** Call with a lock on the row. */
export async function updateRollout(tx: Tx, { game_id, rollout_id, ...rollout }: RolloutRow): Promise<void> {
  await changed(
    tx,
    sql`update rollouts set state = ${rollout.state}, step = ${rollout.step}, share = ${rollout.share},
        step_since = ${rollout.step_since}, paused_ms = ${rollout.paused_ms}, paused_at = ${rollout.paused_at},
        overruled = ${rollout.overruled}::text[], stall_alerted = ${rollout.stall_alerted}
      where game_id = ${game_id} and rollout_id = ${rollout_id}`,
  );
  await raiseSerialsOfRollout(tx, game_id, rollout_id);
}

export type HistoryRow = { kind: string; at: Date; by: string; data: Record<string, unknown> };

export function listHistory(db: Db, gameId: string, rolloutId: string): Promise<HistoryRow[]> {
  return rows(
    db,
    sql<HistoryRow>`select kind, at, by, data from rollout_history
      where game_id = ${gameId} and rollout_id = ${rolloutId} order by at desc, entry_id desc limit 200`,
  );
}

/** What a rollout offers devices on a platform of a channel. */
export type OfferRow = {
  rollout_id: string;
  build_id: string;
  base_move_id: string;
  state: RolloutState;
  share: number;
};

export function findOffer(
  db: Db,
  gameId: string,
  { channel, os, arch }: { channel: string; os: string; arch: string },
): Promise<OfferRow | undefined> {
  return row(
    db,
    sql<OfferRow>`select rollout_id, build_id, base_move_id, state, share
      from rollout_builds join rollouts using (game_id, rollout_id, channel)
      where game_id = ${gameId} and channel = ${channel} and os = ${os} and arch = ${arch} and active`,
  );
}

/** The channels of which running and paused rollouts offer the build. */
export async function channelsRollingOut(db: Db, gameId: string, buildId: string): Promise<string[]> {
  const found = await rows(
    db,
    sql<{
      channel: string;
    }>`select channel from rollout_builds where game_id = ${gameId} and build_id = ${buildId} and active`,
  );
  return found.map(({ channel }) => channel);
}

/** The running and paused rollouts that offer the builds. */
export function rolloutsOfBuilds(
  db: Db,
  gameId: string,
  buildIds: readonly string[],
): Promise<{ build_id: string; channel: string }[]> {
  return rows(
    db,
    sql<{ build_id: string; channel: string }>`select build_id, channel from rollout_builds
      where game_id = ${gameId} and build_id = any(${buildIds}::uuid[]) and active order by channel`,
  );
}

/** The channels of which rollouts offered the build until `since` or later. */
export async function channelsRolledOutSince(db: Db, gameId: string, buildId: string, since: Date): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ channel: string }>`select channel from rollout_builds join rollouts using (game_id, rollout_id, channel)
      where game_id = ${gameId} and build_id = ${buildId} and (active or ended_at > ${since})`,
  );
  return found.map(({ channel }) => channel);
}

/** Deletes what rollouts recorded about a device. */
export async function forgetRolloutDevice(db: Db, gameId: string, deviceUid: string): Promise<void> {
  await changed(db, sql`delete from rollout_devices where game_id = ${gameId} and device_uid = ${deviceUid}`);
}

/** The guards that found the version worse at their last check. */
export async function listWorse(db: Db, gameId: string, rolloutId: string): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ guard: string }>`select guard from rollout_checks
      where game_id = ${gameId} and rollout_id = ${rolloutId} and result ->> 'verdict' = 'worse'`,
  );
  return found.map(({ guard }) => guard);
}
