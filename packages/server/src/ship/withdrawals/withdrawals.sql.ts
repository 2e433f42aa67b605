// Withdrawn builds: which builds players should not stay on, for each channel and why. `store.update` and the lists for
// developers follow this one rule.
//
// A build is withdrawn from a channel if the last thing that happened to it there was one of these:
//
// - its rollout was aborted,
// - the channel was rolled back from it,
// - the change to it was undone, and what the channel offered before is older or nothing. Undoing a rollback withdraws
//   nothing: it replaces a build by a newer one.
// - its promotion expired, and the channel has not moved since.
//
// Deleted builds are withdrawn from all channels, which needs no history.
import type { Arch, Os } from '@chauffeur/contract/identity';
import type { WithdrawalReason } from '@chauffeur/contract/operations/channels';
import { type RawBuilder, sql } from 'kysely';
import { type Db, row, rows } from '../../kernel/database/db.ts';

export type WithdrawalRow = {
  build_id: string;
  channel: string;
  version: string;
  os: Os;
  arch: Arch;
  reason: Exclude<WithdrawalReason, 'deleted'>;
  at: Date;
};

/** Why the build was withdrawn from the channel. Undefined if it was not, and for deleted builds. */
export function findWithdrawal(
  db: Db,
  { gameId, channel, buildId, now }: { gameId: string; channel: string; buildId: string; now: Date },
): Promise<WithdrawalRow | undefined> {
  const only = sql`moves.channel = ${channel} and touched.build_id = ${buildId}`;
  const onlyRollouts = sql`channel = ${channel} and build_id = ${buildId}`;
  return row(db, sql<WithdrawalRow>`${withdrawals({ gameId, now }, only, onlyRollouts)} limit 1`);
}

/**
 * The builds of a game that were withdrawn, without deleted builds and builds that a rollout on the channel offers now;
 * last withdrawn first.
 */
export function listWithdrawals(db: Db, gameId: string, now: Date): Promise<WithdrawalRow[]> {
  return rows(
    db,
    sql<WithdrawalRow>`${withdrawals({ gameId, now }, sql`true`, sql`true`)}
      and (state is null or state not in ('running', 'paused'))
      order by at desc, places.channel, builds.os, builds.arch, builds.build_id`,
  );
}

function withdrawals(
  { gameId, now }: { gameId: string; now: Date },
  touching: RawBuilder<unknown>,
  ofRollouts: RawBuilder<unknown>,
): RawBuilder<WithdrawalRow> {
  return sql`with last_moves as (
      select distinct on (channel, touched.build_id) channel, touched.build_id, action, moves.build_id as offered_id,
        moved_at, expires_at
      from channel_moves as moves
        cross join lateral (values (moves.build_id), (moves.previous_build_id)) as touched (build_id)
      where moves.game_id = ${gameId} and touched.build_id is not null and ${touching}
      order by channel, touched.build_id, moved_at desc, move_id desc
    ), last_rollouts as (
      select distinct on (channel, build_id) channel, build_id, state, ended_at
      from rollout_builds join rollouts using (game_id, rollout_id, channel)
      where game_id = ${gameId} and ${ofRollouts}
      order by channel, build_id, started_at desc, rollout_id desc
    ), places as (
      select channel, build_id from last_moves union select channel, build_id from last_rollouts
    )
    select builds.build_id, places.channel, builds.version, builds.os, builds.arch,
      case when aborted then 'rollout_aborted' when rolled_back then 'rolled_back' else 'expired' end as reason,
      case when aborted then ended_at when rolled_back then moved_at else expires_at end as at
    from places
      left join last_moves on last_moves.channel = places.channel and last_moves.build_id = places.build_id
      left join last_rollouts on last_rollouts.channel = places.channel and last_rollouts.build_id = places.build_id
      join builds on builds.game_id = ${gameId} and builds.build_id = places.build_id
      left join build_names as offered on offered.game_id = ${gameId} and offered.build_id = offered_id
      cross join lateral (select
        state = 'aborted' and (moved_at is null or moved_at <= ended_at) as aborted,
        case when offered_id = builds.build_id then action = 'undo' and expires_at = moved_at
          else action = 'rollback' or (action = 'undo' and (offered.deleted
            or (offered.created_at, offered.build_id) < (builds.created_at, builds.build_id))) end as rolled_back,
        offered_id = builds.build_id and expires_at <= ${now}::timestamptz as expired) as withdrawn
    where (aborted or rolled_back or expired)`;
}
