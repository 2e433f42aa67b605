// The releases of a game: the versions that its stable channel has offered, with their changes and sizes. The builds of
// a version for several platforms are merged: what all of them say is said once, and the rest names its platforms.

import type { Arch, Os } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/store';
import { sql } from 'kysely';
import type { Caller, Context } from '../../context.ts';
import { type Db, rows } from '../../kernel/database/db.ts';
import { type Game, readGameAndOwner } from '../../people/game-access/game-access.ts';
import { pageOfWhole } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import { offered } from '../../ship/files/files.ts';
import { requireVisibleGame } from './store.ts';

type Releases = OutputOf<typeof contract.listReleases>;

/** Throws `notFound`, also for drafts of others. */
export const listReleases = handle(contract.listReleases, async (ctx, { caller, input }) => {
  const { game } = await requireVisibleGame(ctx, caller, input.uid);
  const found = await readReleases(ctx.db, game.game_id, { limit: LIMITS.releasesListed });
  const { items, ...next } = pageOfWhole(['releases', game.game_id], found, input);
  return {
    first_released_at: found[0]?.first_released_at.toISOString() ?? null,
    total: found[0]?.total ?? 0,
    releases: items.map(releaseOf),
    ...next,
  };
});

function releaseOf({ version, released_at, builds }: ReleaseRow): Releases['releases'][number] {
  const { titles, changes, platforms } = mergeRelease(version, builds);
  const [title] = titles;
  const releasedAt = released_at.toISOString();
  return { version, title: title?.title ?? '', titles, changelog_items: changes, released_at: releasedAt, platforms };
}

/** How many releases a feed has. */
const FEED_LENGTH = 20;

/** A version that the stable channel has offered. */
export type Release = MergedRelease & { readonly version: string; readonly releasedAt: Date };

export type ReleaseList = { readonly game: Game; readonly developer: string; readonly releases: readonly Release[] };

/** The latest releases of a game, newest first. Throws `notFound`, also for drafts of others. */
export async function latestReleases(ctx: Context, caller: Caller, ref: string): Promise<ReleaseList> {
  const { game } = await requireVisibleGame(ctx, caller, ref);
  const [{ owner_name: developer }, found] = await Promise.all([
    readGameAndOwner(ctx, game.game_id),
    readReleases(ctx.db, game.game_id, { limit: FEED_LENGTH }),
  ]);
  return { game, developer, releases: found.map(asRelease) };
}

/** Undefined if the stable channel has not offered the version, or its files were deleted. */
export async function findRelease(db: Db, gameId: string, version: string): Promise<Release | undefined> {
  const [found] = await readReleases(db, gameId, { limit: 1, version });
  return found && asRelease(found);
}

function asRelease({ version, released_at: releasedAt, builds }: ReleaseRow): Release {
  return { version, releasedAt, ...mergeRelease(version, builds) };
}

type Platform = { readonly os: Os; readonly arch: Arch };
type Change = { readonly title: string; readonly description: string };

export type ReleasedBuild = Platform & {
  readonly size: number;
  readonly title: string;
  readonly changelog: readonly Change[];
};

/** A title or change of some platforms. `platforms` is null if all of them have it. */
type OfPlatforms<Said> = Said & { readonly platforms: Platform[] | null };

export type MergedRelease = {
  readonly titles: OfPlatforms<{ readonly title: string }>[];
  readonly changes: OfPlatforms<Change>[];
  readonly platforms: (Platform & { readonly size: number })[];
};

const nameOf = ({ os, arch }: Platform) => `${os} ${arch}`;
const byName = (a: Platform, b: Platform) => (nameOf(a) < nameOf(b) ? -1 : 1);

/** Expects the newest build first. It is the only one that counts of several builds for a platform. */
export function mergeRelease(version: string, builds: readonly ReleasedBuild[]): MergedRelease {
  const newest = [...Map.groupBy(builds, nameOf).values()].map(([first]) => first!);
  const isTitled = ({ title }: ReleasedBuild) => title !== '' && title !== version;
  return {
    // A build without a title doesn't contradict that of the others.
    titles: mergeSaid(newest.filter(isTitled), ({ title }) => [{ title }]),
    changes: mergeSaid(newest, ({ changelog }) => changelog),
    platforms: newest.map(({ os, arch, size }) => ({ os, arch, size })).sort(byName),
  };
}

/** Merges in the order of the first build, followed by what only others have. */
function mergeSaid<Said extends object>(
  builds: readonly ReleasedBuild[],
  read: (build: ReleasedBuild) => readonly Said[],
): OfPlatforms<Said>[] {
  const merged = new Map<string, { said: Said; builds: Set<ReleasedBuild> }>();
  for (const build of builds)
    for (const said of read(build)) {
      const key = JSON.stringify(Object.entries(said).sort());
      const entry = merged.get(key) ?? { said, builds: new Set() };
      entry.builds.add(build);
      merged.set(key, entry);
    }
  return [...merged.values()].map(({ said, builds: having }) => ({
    ...said,
    platforms: having.size === builds.length ? null : [...having].map(({ os, arch }) => ({ os, arch })).sort(byName),
  }));
}

export type ReleaseRow = {
  version: string;
  /** When the first platform got the version. */
  released_at: Date;
  /** The builds, newest first, each with the size of its newest file. */
  builds: readonly ReleasedBuild[];
  /** The number of releases and the time of the first one, including those beyond the limit. */
  total: number;
  first_released_at: Date;
};

/**
 * The releases, newest first. Neither a temporary promotion nor a rollback is a release, and a version whose files were
 * all deleted is left out.
 */
function readReleases(
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
