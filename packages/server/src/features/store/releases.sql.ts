// The SQL of a game's releases: the versions that its stable channel has offered.
import { sql } from 'kysely';
import { type Db, rows } from '../../kernel/database/db.ts';
import { offered } from '../files/files.ts';

export type ReleaseRow = {
  version: string;
  title: string;
  changelog: readonly { readonly title: string; readonly description: string }[];
  /** When the first platform got it. */
  released_at: Date;
};

/**
 * The newest first. A temporary promotion isn't a release, and neither is a roll back; a version whose files were all
 * deleted is left out.
 */
export function listReleases(db: Db, gameId: string, limit: number): Promise<ReleaseRow[]> {
  return rows(
    db,
    sql<ReleaseRow>`select builds.version, min(moves.moved_at) as released_at,
        (array_agg(builds.title order by moves.moved_at desc))[1] as title,
        (array_agg(builds.changelog order by moves.moved_at desc))[1] as changelog
      from channel_moves as moves
      join builds on builds.game_id = moves.game_id and builds.build_id = moves.build_id
      where moves.game_id = ${gameId} and moves.channel = 'stable' and moves.action in ('advance', 'promote')
        and moves.expires_at is null and exists (
          select from files where files.game_id = moves.game_id and files.build_id = moves.build_id and ${offered})
      group by builds.version order by released_at desc, builds.version desc limit ${limit}`,
  );
}
