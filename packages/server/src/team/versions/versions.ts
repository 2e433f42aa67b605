// Versions: the builds of a game with the same version, with what is known about them together.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/versions';
import { healthOfBuilds, launchesOfVersions, ratedLaunches } from '../../analytics/health/health.ts';
import type { Caller, Context } from '../../context.ts';
import { readVersionGroups, type VersionGroupRow } from '../../crash/crashes/crashes.sql.ts';
import { listMissingOfBuilds } from '../../crash/crashes/crashes.ts';
import { utcDayOf } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/database/db.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { onReplica, type Reader } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { type BuildListRow, listBuilds } from '../../ship/builds/builds.sql.ts';
import { currentPointers, type Pointer } from '../../ship/channels/channels.ts';
import { fileSummaryOf } from '../../ship/files/files.ts';
import * as versions from './versions.sql.ts';

type VersionPage = OutputOf<typeof contract.listVersions>;
type Details = Omit<OutputOf<typeof contract.getVersion>, 'new_groups' | 'fixed_groups'>;
type Groups = OutputOf<typeof contract.getVersion>['new_groups'];
type ListInput = Omit<InputOf<typeof contract.listVersions>, 'uid'>;

const PAGE_SIZE = 20;

export const listVersions = handle(contract.listVersions, async (ctx, { caller, input: { uid, ...input } }) => {
  const { game } = await requireMember(ctx, caller, uid);
  return listPage(ctx, caller, game.game_id, input);
});

export const listVersionsWithKey = handle(contract.listVersionsWithKey, (ctx, { caller, input }) =>
  listPage(ctx, caller, caller.gameId, input),
);

/** Reads a page with the same number of statements, whatever it contains. */
async function listPage(
  ctx: Context,
  caller: Caller,
  gameId: string,
  { cursor, limit = PAGE_SIZE, search, channel }: ListInput,
): Promise<VersionPage> {
  const list = ['versions', gameId, { search, channel }];
  const [registeredUs, version] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'text']);
  const after = registeredUs === undefined || version === undefined ? null : { registeredUs, version };
  return onReplica(ctx, { caller, gameId }, async (reader) => {
    const pointers = await currentPointers(reader.db, gameId, reader.clock.now());
    const offered = pointers.filter((pointer) => pointer.channel === channel).map((pointer) => pointer.version);
    const filters = { search, channel: channel === undefined ? undefined : { name: channel, offered } };
    const found = await versions.listVersions(reader.db, gameId, filters, { after, limit: limit + 1 });
    const { page, last } = cutPage(found, limit);
    return {
      versions: await summariesOf(reader, gameId, page, pointers),
      next_cursor: last === null ? null : writeCursor(list, [last.registered_us, last.version]),
    };
  });
}

async function summariesOf(
  reader: Reader,
  gameId: string,
  page: readonly versions.VersionRow[],
  pointers: readonly Pointer[],
): Promise<VersionPage['versions']> {
  const names = page.map(({ version }) => version);
  const [builds, facts, launches] = await Promise.all([
    versions.readBuilds(reader.db, gameId, names, LIMITS.versionBuildsListed),
    versions.readFacts(reader.db, gameId, names),
    launchesOfVersions(reader, gameId, names),
  ]);
  const buildsOf = Map.groupBy(builds, ({ version }) => version);
  const factsOf = new Map(facts.map((fact) => [fact.version, fact]));
  return page.map((row) => ({
    ...identityOf(row),
    builds: (buildsOf.get(row.version) ?? []).map(({ version: _, ...build }) => build),
    channels: offersOf(pointers, row.version),
    downloads: factsOf.get(row.version)?.downloads ?? 0,
    notes: factsOf.get(row.version)?.notes ?? null,
    launch: launches.get(row.version) ?? ratedLaunches(),
  }));
}

function identityOf({ version, registered_at, builds }: versions.VersionRow) {
  return { version, registered_at: registered_at.toISOString(), build_count: builds };
}

function offersOf(pointers: readonly Pointer[], version: string): Details['channels'] {
  return pointers
    .filter((pointer) => pointer.version === version)
    .map(({ channel, os, arch, build_id, expires_at, moved_at }) => ({
      ...{ channel, os, arch, build_id },
      expires_at: expires_at?.toISOString() ?? null,
      moved_at: moved_at.toISOString(),
    }));
}

export const getVersion = handle(contract.getVersion, async (ctx, { caller, input: { uid, version } }) => {
  const { game } = await requireMember(ctx, caller, uid);
  const { details, groups } = await readVersion(ctx, caller, game.game_id, version.trim());
  return { ...details, new_groups: groupsOf(groups, 'new'), fixed_groups: groupsOf(groups, 'fixed') };
});

/** Leaves out the titles of crashes, which a token for uploads does not need. */
export const getVersionWithKey = handle(contract.getVersionWithKey, async (ctx, { caller, input }) => {
  const { details, groups } = await readVersion(ctx, caller, caller.gameId, input.version.trim());
  return {
    ...details,
    new_groups: { count: groupsOf(groups, 'new').count },
    fixed_groups: { count: groupsOf(groups, 'fixed').count },
  };
});

/** Throws `unknownBuild`. */
async function readVersion(
  ctx: Context,
  caller: Caller,
  gameId: string,
  version: string,
): Promise<{ details: Details; groups: VersionGroupRow[] }> {
  return onReplica(ctx, { caller, gameId }, async (reader) => {
    const { db } = reader;
    const [found, deleted] = await Promise.all([
      versions.findVersion(db, gameId, version),
      versions.listDeletedBuilds(db, gameId, version, LIMITS.versionBuilds),
    ]);
    if (found === undefined) throw unknownVersion(version, deleted[0]);
    const builds = await listBuilds(db, gameId, { version }, { limit: LIMITS.versionBuilds });
    const buildIds = builds.map(({ build_id }) => build_id);
    const [pointers, neighbours, health, symbols, missing, groups] = await Promise.all([
      currentPointers(db, gameId, reader.clock.now()),
      versions.findNeighbours(db, gameId, version),
      healthOfBuilds(reader, gameId, buildIds),
      versions.countSymbols(db, gameId, buildIds),
      listMissingOfBuilds(ctx, gameId, buildIds),
      readVersionGroups(db, gameId, { version, limit: LIMITS.versionGroups }),
    ]);
    const symbolsOf = new Map(symbols.map((row) => [row.build_id, row.symbols]));
    const previous = neighbourOf(neighbours, 'previous');
    const details: Details = {
      ...identityOf(found),
      previous,
      next: neighbourOf(neighbours, 'next'),
      builds: builds.toSorted(byPlatform).map((build) => ({
        ...summaryOf(build),
        symbols: symbolsOf.get(build.build_id) ?? 0,
        missing_symbols: missing.filter(({ build_ids }) => build_ids.includes(build.build_id)).length,
        launch: health.launchOf.get(build.build_id) ?? ratedLaunches(),
      })),
      deleted_builds: deleted.map(({ deleted_at, ...build }) => ({ ...build, deleted_at: deleted_at.toISOString() })),
      channels: offersOf(pointers, version),
      downloads: builds.reduce((sum, { downloads }) => sum + downloads, 0),
      notes: notesOf(builds),
      commits: previous === null ? null : await commitsOf(db, gameId, builds, previous.version),
      launch: health.launch,
      crash_free: health.crashFree,
      adoption: health.adoption,
      missing_symbols: missing,
    };
    return { details, groups };
  });
}

/** Names the deletion of a version whose builds were all deleted. */
function unknownVersion(version: string, deleted: versions.DeletedBuildRow | undefined): ApiError {
  if (deleted === undefined)
    return errors.unknownBuild('version: this game has no such version. List the versions and use one of them.');
  return errors.unknownBuild(
    `Version ${version} was deleted on ${utcDayOf(deleted.deleted_at)} by ${deleted.deleted_by}.`,
  );
}

function neighbourOf(neighbours: readonly versions.NeighbourRow[], side: versions.NeighbourRow['side']) {
  const found = neighbours.find((neighbour) => neighbour.side === side);
  return found === undefined ? null : { version: found.version, registered_at: found.registered_at.toISOString() };
}

/** The builds are the newest first, and stay so on each platform. */
function byPlatform(a: BuildListRow, b: BuildListRow): number {
  return compareTexts(a.os, b.os) || compareTexts(a.arch, b.arch);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function summaryOf(build: BuildListRow) {
  const { build_id, os, arch, build_type, channel, state, title, engine_version, commit, downloads, file } = build;
  return {
    ...{ build_id, os, arch, build_type, channel, state, title, engine_version, commit, downloads },
    size: file?.size ?? null,
    registered_at: build.created_at.toISOString(),
    file: file === null ? null : fileSummaryOf(file),
  };
}

function notesOf(builds: readonly BuildListRow[]): Details['notes'] {
  const noted = builds.find(({ changelog, description }) => changelog.length > 0 || description.trim() !== '');
  return noted === undefined
    ? null
    : { title: noted.title, description: noted.description, changelog_items: noted.changelog };
}

/** Two builds whose commits can be compared, of one platform if there are some. */
async function commitsOf(
  db: Db,
  gameId: string,
  builds: readonly BuildListRow[],
  previous: string,
): Promise<Details['commits']> {
  const known = builds.flatMap(({ commit, ...build }) => (commit === null ? [] : { ...build, commit }));
  const [newest] = known;
  if (newest === undefined) return null;
  const earlier = await versions.listCommitsOfBuilds(db, gameId, previous, LIMITS.versionBuilds);
  const pairs = known.flatMap((build) => {
    const since = earlier.find(({ os, arch }) => os === build.os && arch === build.arch);
    return since === undefined ? [] : { build, since };
  });
  const [pair = earlier[0] && { build: newest, since: earlier[0] }] = pairs;
  if (pair === undefined) return null;
  return {
    build_id: pair.build.build_id,
    commit: pair.build.commit,
    since: pair.since.build_id,
    since_commit: pair.since.commit,
  };
}

function groupsOf(rows: readonly VersionGroupRow[], kind: VersionGroupRow['kind']): Groups {
  const groups = rows.filter((row) => row.kind === kind);
  return {
    count: groups[0]?.groups ?? 0,
    groups: groups.map(({ kind: _, groups: __, first_seen, last_seen, ...group }) => ({
      ...group,
      first_seen: first_seen.toISOString(),
      last_seen: last_seen.toISOString(),
    })),
  };
}
