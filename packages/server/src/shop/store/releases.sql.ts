// The SQL of a game's releases: the versions that its stable channel has offered.
import { sql } from 'kysely';
import { type Db, rows } from '../../kernel/database/db.ts';
import { offered } from '../../ship/files/files.ts';
import type { ReleasedBuild } from './merge-release.ts';

export type ReleaseRow = {
  version: string;
  /** When the first platform got it. */
  released_at: Date;
  /** The newest first, with the size of its newest file. */
  builds: readonly ReleasedBuild[];
  /** How many releases there are, and when the first one was, also beyond the limit. */
  total: number;
  first_released_at: Date;
};

/**
 * The newest first. A temporary promotion isn't a release, and neither is a roll back; a version whose files were all
 * deleted is left out.
 */
export function listReleases(
  db: Db,
  gameId: string,
  { limit, version }: { readonly limit: number; readonly version?: string },
): Promise<ReleaseRow[]> {
  return rows(
    db,
    sql<ReleaseRow>`with released as (
        select builds.build_id, version, builds.os, builds.arch, title, changelog, min(moved_at) as released_at,
          (select size from files where files.game_id = builds.game_id and files.build_id = builds.build_id and ${offered}
            order by uploaded_at desc, file_id desc limit 1) as size
        from channel_moves as moves
        join builds on builds.game_id = moves.game_id and builds.build_id = moves.build_id
        where moves.game_id = ${gameId} and moves.channel = 'stable' and moves.action in ('advance', 'promote')
          and moves.expires_at is null ${version === undefined ? sql`` : sql`and version = ${version}`}
        group by builds.game_id, builds.build_id
      )
      select version, min(released_at) as released_at,
        jsonb_agg(jsonb_build_object('os', os, 'arch', arch, 'size', size, 'title', title, 'changelog', changelog)
          order by released_at desc, build_id desc) as builds,
        (count(*) over ())::int as total, min(min(released_at)) over () as first_released_at
      from released where size is not null
      group by version order by released_at desc, version desc limit ${limit}`,
  );
}
