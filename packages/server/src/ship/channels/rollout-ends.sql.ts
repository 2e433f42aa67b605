// Ends rollouts. Any move of a channel on a platform of a running rollout ends it, because the version is then no longer
// compared with what players get. The reason is in its history.
import { sql } from 'kysely';
import { changed, row, rows, type Tx } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { enqueuePatches } from '../patches/patches.ts';
import { raiseSerialsOfRollout } from './serials.sql.ts';

export type RolloutEnd = 'finished' | 'aborted' | 'superseded';

export type Ending = { readonly by: string; readonly now: Date; readonly data: object };

/** The reason for a `superseded` entry of the history. */
export type SupersededBy =
  | {
      readonly reason: 'moved';
      readonly action: string;
      readonly version: string;
      readonly os: string;
      readonly arch: string;
    }
  | { readonly reason: 'deleted'; readonly version: string; readonly os: string; readonly arch: string }
  | { readonly reason: 'expired' };

/** Call with locks on the rollout's pointers. Returns false if it has ended already. */
export async function endRollout(
  tx: Tx,
  gameId: string,
  rolloutId: string,
  { state, by, now, data }: Ending & { state: RolloutEnd },
): Promise<boolean> {
  const ended = await changed(
    tx,
    sql`update rollouts set state = ${state}, ended_at = ${now}, paused_at = null
      where game_id = ${gameId} and rollout_id = ${rolloutId} and state in ('running', 'paused')`,
  );
  if (ended === 0) return false;
  await changed(
    tx,
    sql`update rollout_builds set active = false where game_id = ${gameId} and rollout_id = ${rolloutId}`,
  );
  await raiseSerialsOfRollout(tx, gameId, rolloutId);
  await insertHistory(tx, { gameId, rolloutId, kind: state, at: now, by, data });
  // Its devices may go back.
  await enqueuePatches(tx, gameId);
  return true;
}

export type NewHistoryEntry = {
  readonly gameId: string;
  readonly rolloutId: string;
  readonly kind: string;
  readonly at: Date;
  readonly by: string;
  readonly data: object;
};

export async function insertHistory(tx: Tx, { gameId, rolloutId, kind, at, by, data }: NewHistoryEntry): Promise<void> {
  await changed(
    tx,
    sql`insert into rollout_history (game_id, rollout_id, entry_id, kind, at, by, data)
      values (${gameId}, ${rolloutId}, ${newId()}, ${kind}, ${at}, ${by}, ${JSON.stringify(data)}::jsonb)`,
  );
}

type Move = {
  readonly gameId: string;
  readonly channel: string;
  readonly os: string;
  readonly arch: string;
  readonly action: string;
  readonly buildId: string;
  readonly movedBy: string;
  readonly movedAt: Date;
};

/** Ends the rollout on the platform that a move changes. The caller has locked all pointers that it moves. */
export async function supersedeByMove(
  tx: Tx,
  { gameId, channel, os, arch, action, buildId, movedBy, movedAt }: Move,
): Promise<void> {
  const found = await row(
    tx,
    sql<{ rollout_id: string; version: string | null }>`select rollout_id,
        (select version from build_names where game_id = ${gameId} and build_id = ${buildId}) as version
      from rollout_builds
      where game_id = ${gameId} and channel = ${channel} and os = ${os} and arch = ${arch} and active`,
  );
  if (found === undefined) return;
  const data: SupersededBy = { reason: 'moved', action, version: found.version ?? '', os, arch };
  await endRollout(tx, gameId, found.rollout_id, { state: 'superseded', by: movedBy, now: movedAt, data });
}

/** Ends the rollouts that offer one of these builds, which are being deleted. The caller has locked all channels. */
export async function supersedeByDeletion(
  tx: Tx,
  { gameId, buildIds, movedBy, now }: { gameId: string; buildIds: readonly string[]; movedBy: string; now: Date },
): Promise<void> {
  const found = await rows(
    tx,
    sql<{ rollout_id: string; version: string; os: string; arch: string }>`
      select distinct on (rollout_id) rollout_id, version, os, arch
      from rollout_builds join build_names using (game_id, build_id, os, arch)
      where game_id = ${gameId} and build_id = any(${buildIds}::uuid[]) and active order by rollout_id, os, arch`,
  );
  for (const { rollout_id: rolloutId, ...build } of found) {
    const data: SupersededBy = { reason: 'deleted', ...build };
    await endRollout(tx, gameId, rolloutId, { state: 'superseded', by: movedBy, now, data });
  }
}
