// Releases as sentry-cli has them: what it creates, and the versions of registered builds. Chauffeur's own pages show
// builds, so all that a release adds to them is its newest commit.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import * as buildContract from '@chauffeur/contract/operations/builds';
import { findProblem } from '@chauffeur/contract/validate';
import { readRelease } from '@chauffeur/sentry/release';
import Type, { type Static, type TSchema } from 'typebox';
import type { Context, GameCaller } from '../../../context.ts';
import { transact } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { lockGame } from '../../../people/game-access/game-access.ts';
import { auditChange, recordOperation } from '../../../request/audit.ts';
import * as sql from './releases.sql.ts';

/** The game as a project of Sentry, and who calls. */
export type Project = {
  readonly caller: GameCaller;
  readonly gameId: string;
  readonly slug: string;
  readonly name: string;
};

const MAX_VERSION_LENGTH = 250;
const MAX_RELEASES = 10_000;
const MAX_LISTED = 100;
/** Commits of one call, of which so many are kept. */
const MAX_COMMITS = 10_000;
const MAX_KEPT_COMMITS = 1000;
const MAX_REFS = 100;
const MAX_DEPLOYS = 20;
const MAX_URL_LENGTH = 2000;
const MAX_COMMIT_LENGTH = 64;

const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const Time = Type.String({ format: 'date-time' });
const Url = Type.String({ maxLength: MAX_URL_LENGTH });
/** Control characters and slashes are what Sentry doesn't allow either. */
const Version = Type.String({ minLength: 1, maxLength: MAX_VERSION_LENGTH, pattern: '^[^\\n\\r\\t\\f\\v/\\\\]+$' });
const CommitId = Type.String({ minLength: 1, maxLength: MAX_COMMIT_LENGTH });

const changes = {
  url: optional(Url),
  dateReleased: optional(Time),
  commits: optional(Type.Array(Type.Object({ id: CommitId }), { maxItems: MAX_COMMITS })),
  refs: optional(Type.Array(Type.Object({ commit: CommitId }), { maxItems: MAX_REFS })),
};
const NewRelease = Type.Object({ version: Version, ...changes });
const Changes = Type.Object(changes);
type Changes = Static<typeof Changes>;

const Deploy = Type.Object({
  environment: Type.String({ minLength: 1, maxLength: 64 }),
  name: optional(Type.String({ maxLength: 64 })),
  url: optional(Url),
  dateStarted: optional(Time),
  dateFinished: optional(Time),
});

/** Throws `invalid` for a body of another form. */
function check<T extends TSchema>(schema: T, body: unknown): Static<T> {
  const problem = findProblem(schema, body);
  if (problem !== null) throw errors.invalid(problem);
  return body as Static<T>;
}

/** Creates the release, or changes the one of this version. `isNew` says which. */
export async function createRelease(ctx: Context, project: Project, body: unknown) {
  const { version, ...input } = check(NewRelease, body);
  const isNew = await save(ctx, project, version, input);
  return { isNew, release: await readRequired(ctx, project, version) };
}

/** Throws `notFound` for a version that neither a release nor a build has. */
export async function updateRelease(ctx: Context, project: Project, version: string, body: unknown) {
  const input = check(Changes, body);
  await readRequired(ctx, project, version);
  await save(ctx, project, version, input);
  return readRequired(ctx, project, version);
}

/** Returns whether the release is new. */
async function save(ctx: Context, { caller, gameId }: Project, version: string, input: Changes): Promise<boolean> {
  const { url = null, dateReleased = null, commits, refs } = input;
  const ids = commits?.map(({ id }) => id) ?? refs?.map(({ commit }) => commit) ?? null;
  const [newest = ''] = ids ?? [];
  // Several refs are of several repositories, and a build has only one commit.
  const commit = (refs?.length ?? 1) === 1 && COMMIT_NAME.test(newest) ? newest : null;
  const kept = ids?.slice(0, MAX_KEPT_COMMITS) ?? null;
  const change = { version, url, releasedAt: dateReleased, commits: kept, commit };
  return recordOperation(ctx, { operation: buildContract.registerBuild, caller, input: {} }, () =>
    transact(ctx.db, async (tx) => {
      await lockGame(tx, gameId);
      const isNew = await sql.upsertRelease(tx, gameId, { ...change, now: ctx.clock.now() });
      if (isNew && (await sql.countReleases(tx, gameId)) > MAX_RELEASES) throw tooMany();
      if (commit !== null)
        for (const build of await sql.setCommit(tx, gameId, readRelease(version).versions, commit))
          auditChange('commit', null, `${build.version} ${build.os} ${build.arch}: ${commit}`);
      return isNew;
    }),
  );
}

/** What the commit of a build can be. */
const COMMIT_NAME = /^[\w.-]{1,64}$/;

function tooMany(): ApiError {
  return errors.invalid(`version: the game has ${MAX_RELEASES} releases, which is the limit. Use one that exists.`);
}

/** The newest releases, and the versions of builds that have none. */
export async function listReleases(ctx: Context, project: Project) {
  const releases = await sql.listReleases(ctx.db, project.gameId, MAX_LISTED);
  const named = new Set(releases.flatMap(({ version }) => readRelease(version).versions));
  const versions = await sql.listVersions(ctx.db, project.gameId, [...named], MAX_LISTED);
  return [...releases, ...versions.map(releaseOfBuilds)]
    .toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime())
    .slice(0, MAX_LISTED)
    .map((row) => recordOf(project, row));
}

/** The release, or the builds of its version; undefined without either. */
export async function findRelease(ctx: Context, project: Project, version: string) {
  const row = await findRow(ctx, project, version);
  return row === undefined ? undefined : recordOf(project, row);
}

/** Throws `notFound`. */
export async function listCommits(ctx: Context, project: Project, version: string): Promise<{ id: string }[]> {
  const row = await findRow(ctx, project, version);
  if (row === undefined) throw unknownRelease();
  return row.commits.map((id) => ({ id }));
}

/** The newest other release with commits; undefined without one. */
export async function findPrevious(ctx: Context, project: Project, version: string) {
  if (findProblem(Version, version) !== null) return undefined;
  const row = await sql.findPrevious(ctx.db, project.gameId, version);
  return row === undefined ? undefined : recordOf(project, row);
}

/** Throws `notFound` for a version that has neither a release nor a build. */
export async function addDeploy(ctx: Context, project: Project, version: string, body: unknown): Promise<object> {
  const { environment, name = null, url = null, dateStarted = null, dateFinished = null } = check(Deploy, body);
  await readRequired(ctx, project, version);
  const now = ctx.clock.now();
  const deploy = { id: newId(now.getTime()), environment, name, url, dateStarted, dateFinished: dateFinished ?? now };
  await save(ctx, project, version, {});
  await sql.addDeploy(ctx.db, project.gameId, { version, deploy, max: MAX_DEPLOYS });
  return deploy;
}

/** Throws `notFound`. */
export async function listDeploys(ctx: Context, project: Project, version: string): Promise<readonly object[]> {
  const row = await findRow(ctx, project, version);
  if (row === undefined) throw unknownRelease();
  return row.deploys;
}

/** Deletes what sentry-cli created. Builds stay. Throws `notFound` for a version without that. */
export async function deleteRelease(ctx: Context, { gameId }: Project, version: string): Promise<void> {
  const isVersion = findProblem(Version, version) === null;
  if (!isVersion || (await sql.deleteRelease(ctx.db, gameId, version)) === 0) throw unknownRelease();
}

async function readRequired(ctx: Context, project: Project, version: string) {
  const release = await findRelease(ctx, project, version);
  if (release === undefined) throw unknownRelease();
  return release;
}

async function findRow(ctx: Context, { gameId }: Project, version: string): Promise<sql.ReleaseRow | undefined> {
  if (findProblem(Version, version) !== null) return undefined;
  const release = await sql.findRelease(ctx.db, gameId, version);
  if (release !== undefined) return release;
  const { versions } = readRelease(version);
  const built = await sql.findVersion(ctx.db, gameId, versions);
  return built === undefined ? undefined : releaseOfBuilds({ ...built, version });
}

function releaseOfBuilds({ commit, ...row }: sql.VersionRow): sql.ReleaseRow {
  return { ...row, released_at: null, url: null, commits: commit === null ? [] : [commit], deploys: [] };
}

function recordOf({ gameId, slug, name }: Project, row: sql.ReleaseRow) {
  const [newest] = row.commits;
  return {
    version: row.version,
    shortVersion: row.version,
    url: row.url,
    dateCreated: row.created_at.toISOString(),
    dateReleased: row.released_at?.toISOString() ?? null,
    lastEvent: null,
    newGroups: 0,
    commitCount: row.commits.length,
    lastCommit: newest === undefined ? null : { id: newest },
    deployCount: row.deploys.length,
    projects: [{ id: gameId, slug, name }],
  };
}

function unknownRelease(): ApiError {
  return errors.notFound('The game has neither a release nor a build of this version.');
}
