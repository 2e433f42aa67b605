// The SQL of updates: the installed build, even if it was deleted, and the changes since.
import type { Arch, Os } from '@chauffeur/contract/identity';
import { sql } from 'kysely';
import { type Db, row, rows } from '../../kernel/database/db.ts';

export type InstalledRow = {
  build_id: string;
  version: string;
  os: Os;
  arch: Arch;
  created_at: Date;
  /** Null if it exists. */
  deleted_at: Date | null;
};

export function findInstalled(db: Db, gameId: string, buildId: string): Promise<InstalledRow | undefined> {
  return row(
    db,
    sql<InstalledRow>`select build_id, version, os, arch, created_at, null::timestamptz as deleted_at
      from builds where game_id = ${gameId} and build_id = ${buildId}
      union all
      select build_id, version, os, arch, created_at, deleted_at
      from deleted_builds where game_id = ${gameId} and build_id = ${buildId} limit 1`,
  );
}

type Place = { readonly gameId: string; readonly channel: string; readonly os: string; readonly arch: string };

export type ChangesRow = {
  version: string;
  title: string;
  changelog: { title: string; description: string }[];
};

/** The builds that the channel offered, registered after the installed one and up to the offered one, the newest first. */
export function listChanges(
  db: Db,
  { gameId, channel, os, arch }: Place,
  { installedId, offeredId }: { installedId: string; offeredId: string },
  limit: number,
): Promise<ChangesRow[]> {
  const registeredAt = (buildId: string) =>
    sql`(select created_at from build_names where game_id = ${gameId} and build_id = ${buildId})`;
  return rows(
    db,
    sql<ChangesRow>`select version, title, changelog from builds
      where game_id = ${gameId} and os = ${os} and arch = ${arch}
        and created_at > ${registeredAt(installedId)} and created_at <= ${registeredAt(offeredId)}
        and (build_id = ${offeredId} or exists (
          select from channel_moves as moves
          where moves.game_id = ${gameId} and moves.channel = ${channel} and moves.os = ${os} and moves.arch = ${arch}
            and moves.build_id = builds.build_id and moves.action in ('advance', 'promote')))
      order by created_at desc, build_id desc limit ${limit}`,
  );
}
