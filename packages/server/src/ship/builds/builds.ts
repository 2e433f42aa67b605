// Builds: registered with a deploy key, found by id or identity, listed for tools and developers.
import { type ApiError, CODES, errors } from '@chauffeur/contract/errors';
import { type BuildIdentity, canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/builds';
import type { Context } from '../../context.ts';
import { utcDayOf } from '../../kernel/clock.ts';
import { type Db, isMissingReference } from '../../kernel/database/db.ts';
import { isUuid, newId } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { requireOwnProgram } from '../../people/games/games.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { answer } from '../../request/perform.ts';
import { handle } from '../../request/route.ts';
import { findTokenNames } from '../deploy-keys/deploy-keys.ts';
import { type FileOrigin, fileSummaryOf, filesOfBuild } from '../files/files.ts';
import * as builds from './builds.sql.ts';

export type Build = builds.BuildRow;
type BuildRecord = Omit<OutputOf<typeof contract.getGameBuild>, 'files'>;
type Optional<T> = { [Name in keyof T]?: T[Name] | undefined };
type Filters = Optional<Omit<InputOf<typeof contract.listGameBuilds>, 'uid' | 'cursor' | 'limit'>>;

const PAGE_SIZE = 20;

export const registerBuild = handle(contract.registerBuild, async (ctx, { caller, input }) => {
  await requireOwnProgram(ctx, caller.gameId, input, CODES.invalidBuild);
  const identity: BuildIdentity = {
    version: input.version.trim(),
    build_type: input.build_type ?? 'game',
    os: canonicalOs(input.os),
    arch: canonicalArch(input.arch),
    channel: input.channel ?? 'stable',
  };
  const { build_id, created } = await builds.upsertBuild(ctx.db, caller.gameId, {
    ...identity,
    buildId: newId(),
    title: input.title || identity.version,
    description: input.description ?? '',
    engineVersion: input.engine_version ?? null,
    commit: input.commit ?? null,
    changelog: (input.changelog_items ?? []).map(({ title, description = '' }) => ({ title, description })),
  });
  const data = { build_id, app_id: caller.gameId, ...identity, title: input.title || identity.version, created };
  return answer(created ? 201 : 200, data);
});

export const listBuilds = handle(contract.listBuilds, async (ctx, { caller, input }) => {
  const { rows, pagination } = await listPage(ctx.db, caller.gameId, input);
  const page = rows.map(recordOf);
  const contents = await builds.readContents(
    ctx.db,
    caller.gameId,
    page.map(({ build_id }) => build_id),
  );
  const contentOf = new Map(contents.map((content) => [content.build_id, content]));
  const listed = page.map((build) => {
    const { files = [], symbols = 0 } = contentOf.get(build.build_id) ?? {};
    return { ...build, app_id: caller.gameId, files: files.map(fileSummaryOf), symbols };
  });
  return { builds: listed, pagination, ...pagination };
});

export const listGameBuilds = handle(contract.listGameBuilds, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { page, page_size, cursor, limit, uid: _, sort, ...filters } = input;
  if (cursor !== undefined && sort !== undefined && sort !== 'registered')
    throw errors.invalid('cursor: only for builds by registration. Use page, or leave sort out.');
  const list = ['builds', game.game_id, filters];
  const [createdUs, buildId] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'uuid']);
  const { last, rows, pagination } = await listPage(ctx.db, game.game_id, {
    ...filters,
    sort,
    page,
    page_size: limit ?? page_size,
    after: createdUs === undefined || buildId === undefined ? undefined : { createdUs, buildId },
  });
  const files = await addTokenNames(
    ctx,
    game.game_id,
    rows.flatMap(({ file }) => (file === null ? [] : { ...fileSummaryOf(file), origin: file.origin })),
  );
  const fileOf = new Map(files.map((file) => [file.file_uid, file]));
  return {
    builds: rows.map((row) => ({ ...recordOf(row), file: fileOf.get(row.file?.file_id ?? '') ?? null })),
    pagination,
    next_cursor: last === null ? null : writeCursor(list, [last.created_us, last.build_id]),
  };
});

/** Throws `unknownBuild`. */
export const getGameBuild = handle(contract.getGameBuild, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const [build, files] = await Promise.all([
    builds.readBuild(ctx.db, game.game_id, input.build_id),
    filesOfBuild(ctx.db, game.game_id, input.build_id),
  ]);
  if (build === undefined) throw await unknownBuild(ctx.db, game.game_id, input.build_id);
  return { ...recordOf(build), files: await addTokenNames(ctx, game.game_id, files) };
});

/** The names of upload tokens are for members only, so the origin itself has none. */
async function addTokenNames<File extends { readonly origin: FileOrigin }>(
  ctx: Context,
  gameId: string,
  files: readonly File[],
) {
  const refOf = ({ origin }: File) => (origin.type === 'deploy_key' ? [origin.key_ref] : []);
  const names = await findTokenNames(ctx.db, gameId, files.flatMap(refOf));
  return files.map((file) => ({ ...file, upload_token: names.get(refOf(file)[0] ?? '') ?? null }));
}

/** Crash reports and channel histories still link to deleted builds, so the error names the deletion. */
async function unknownBuild(db: Db, gameId: string, buildId: string): Promise<ApiError> {
  const deleted = await builds.findDeleted(db, gameId, buildId);
  if (deleted === undefined) return errors.unknownBuild('build_id: this game has no such build.');
  const day = utcDayOf(deleted.deleted_at);
  return errors.unknownBuild(`Build ${deleted.version} was deleted on ${day} by ${deleted.deleted_by}.`);
}

/** A page by its number, or after the position `after`. `last` is its last build if another page follows. */
async function listPage(db: Db, gameId: string, input: Filters & { after?: builds.BuildPosition | undefined }) {
  const page = input.page ?? 1;
  const pageSize = input.page_size ?? PAGE_SIZE;
  const filters = {
    version: input.version?.trim(),
    os: input.os === undefined ? undefined : canonicalOs(input.os),
    arch: input.arch === undefined ? undefined : canonicalArch(input.arch),
    channel: input.channel,
    state: input.state,
    search: input.search,
  };
  const position = { after: input.after, offset: input.after === undefined ? (page - 1) * pageSize : 0 };
  const order = input.sort;
  const [candidates, total] = await Promise.all([
    builds.listBuilds(db, gameId, filters, { ...position, order, limit: pageSize + 1 }),
    builds.countBuilds(db, gameId, filters),
  ]);
  const { page: shown, last } = cutPage(candidates, pageSize);
  // The cursor is a position in the order of registration.
  const isOrdered = order === undefined || order === 'registered';
  return { rows: shown, pagination: { page, page_size: pageSize, total }, last: isOrdered ? last : null };
}

function recordOf(row: builds.BuildListRow): BuildRecord {
  const { file, created_at, created_us: _, updated_at, changelog, ...rest } = row;
  return {
    ...rest,
    changelog_items: changelog,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    file: file === null ? null : fileSummaryOf(file),
  };
}

/** The number of builds of the game. */
export function countBuilds(ctx: Context, gameId: string): Promise<number> {
  return builds.countBuilds(ctx.db, gameId, {});
}

/** The game's newest builds, for `chauffeur info` and the deploy page. */
export async function recentBuilds(ctx: Context, gameId: string): Promise<BuildRecord[]> {
  return (await builds.listBuilds(ctx.db, gameId, {}, { limit: 10, offset: 0 })).map(recordOf);
}

/** Finds a build of the game by its id; null if there is none. */
export async function findBuild(db: Db, gameId: string, buildId: string): Promise<Build | null> {
  return isUuid(buildId) ? ((await builds.findBuilds(db, gameId, [buildId]))[0] ?? null) : null;
}

/** Finds builds of the game by their ids and returns them keyed by id. */
export async function findBuilds(
  db: Db,
  gameId: string,
  buildIds: readonly string[],
): Promise<ReadonlyMap<string, Build>> {
  const matches = await builds.findBuilds(db, gameId, buildIds);
  return new Map(matches.map((build) => [build.build_id, build]));
}

/** The builds of a version of the game, the newest first. */
export function buildsOfVersion(db: Db, gameId: string, version: string): Promise<Build[]> {
  return builds.findBuildsOfVersion(db, gameId, version);
}

/** Returns the game's build with this id or identity. Throws `unknownBuildOfFile`. */
export async function requireBuild(db: Db, gameId: string, key: { buildId: string } | BuildIdentity): Promise<Build> {
  const build =
    'buildId' in key ? await findBuild(db, gameId, key.buildId) : await builds.findByIdentity(db, gameId, key);
  if (build) return build;
  const message =
    'buildId' in key
      ? 'build_id: this game has no such build. Register it first.'
      : 'This game has no build with this build_type, version, os, arch and channel. Register it first.';
  throw errors.unknownBuildOfFile(message);
}

/** Returns the error for an upload whose row could not refer to its build; other errors unchanged. */
export function orDeletedBuild(cause: unknown): unknown {
  if (!isMissingReference(cause)) return cause;
  return errors.unknownBuildOfFile('The build was deleted during the upload. Register it again.', { cause });
}
