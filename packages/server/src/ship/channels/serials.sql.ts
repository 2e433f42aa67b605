// The serial of what a channel offers on a platform to any device. Each change of that raises it, in the same
// transaction, so that clients can refuse an answer which is older than one they have seen.
//
// A serial is the time of the change in seconds, or the previous one plus 1 if that is larger. After a restore of an older
// state of the database, the next change therefore continues above the serials that clients have seen, and so does the
// job that raises all of them once a day.
import { sql } from 'kysely';
import { changed, type Tx } from '../../kernel/database/db.ts';

const seconds = sql`floor(extract(epoch from clock_timestamp()))::bigint`;

/** The serial of a new pointer. */
export const firstSerial = seconds;

/** The next serial of a row of `channel_pointers`. */
export const raisedSerial = sql`greatest(channel_pointers.serial + 1, ${seconds})`;

/** Raises them where the rollout is, which starts, changes or ends. Call with a lock on its row, or when inserting it. */
export async function raiseSerialsOfRollout(tx: Tx, gameId: string, rolloutId: string): Promise<void> {
  await changed(
    tx,
    sql`update channel_pointers set serial = ${raisedSerial} from rollout_builds as builds
      where channel_pointers.game_id = ${gameId} and builds.game_id = ${gameId} and builds.rollout_id = ${rolloutId}
        and channel_pointers.channel = builds.channel and channel_pointers.os = builds.os
        and channel_pointers.arch = builds.arch`,
  );
}

/** Raises them where the build is offered, which has a new file. Call with a lock on all channels of the game. */
export async function raiseSerialsOfBuild(tx: Tx, gameId: string, buildId: string): Promise<void> {
  await changed(
    tx,
    sql`update channel_pointers set serial = ${raisedSerial}
      where game_id = ${gameId} and (
        exists (select from channel_moves as moves
          where moves.game_id = ${gameId} and moves.move_id = channel_pointers.move_id and moves.build_id = ${buildId})
        or exists (select from rollout_builds as builds
          where builds.game_id = ${gameId} and builds.build_id = ${buildId} and active
            and builds.channel = channel_pointers.channel and builds.os = channel_pointers.os
            and builds.arch = channel_pointers.arch))`,
  );
}
