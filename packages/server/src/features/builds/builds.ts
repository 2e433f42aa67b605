// Builds: registered by the deploy key under their identity, found again by id or identity, listed for tools and developers.
import { ApiError } from '@chauffeur/contract/errors';
import { type BuildIdentity, canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/builds';
import type { AccountCaller, Context, GameCaller } from '../../context.ts';
import { answer } from '../../kernel/answer.ts';
import type { Db } from '../../kernel/db.ts';
import { isUuid, newId } from '../../kernel/ids.ts';
import { filesOfBuild, summaryOf } from '../files/files.ts';
import { requireMember } from '../games/games.ts';
import * as builds from './builds.sql.ts';

export type Build = builds.BuildRow;
type BuildRecord = OutputOf<typeof contract.listBuilds>['builds'][number];
type Filters = Omit<InputOf<typeof contract.listGameBuilds>, 'uid'>;

const PAGE_SIZE = 20;

export async function registerBuild(ctx: Context, caller: GameCaller, input: InputOf<typeof contract.registerBuild>) {
  const identity: BuildIdentity = {
    version: input.version,
    build_type: input.build_type ?? 'game',
    os: canonicalOs(input.os),
    arch: canonicalArch(input.arch),
    channel: input.channel ?? 'stable',
  };
  const { build_id, created } = await builds.upsertBuild(ctx.db, caller.gameId, {
    ...identity,
    buildId: newId(),
    title: input.title || input.version,
    description: input.description ?? '',
    engineVersion: input.engine_version ?? null,
    changelog: (input.changelog_items ?? []).map(({ title, description = '' }) => ({ title, description })),
  });
  const data = { build_id, app_id: caller.gameId, ...identity, title: input.title || input.version, created };
  return answer(created ? 201 : 200, data);
}

export function listBuilds(
  ctx: Context,
  caller: GameCaller,
  input: InputOf<typeof contract.listBuilds>,
): Promise<OutputOf<typeof contract.listBuilds>> {
  return listPage(ctx.db, caller.gameId, input);
}

export async function listGameBuilds(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.listGameBuilds>,
) {
  const { game } = await requireMember(ctx, caller, input.uid);
  return listPage(ctx.db, game.game_id, input);
}

/** Throws 4006. */
export async function getGameBuild(
  ctx: Context,
  caller: AccountCaller,
  input: { uid: string; build_id: string },
): Promise<OutputOf<typeof contract.getGameBuild>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const [build, files] = await Promise.all([
    builds.readBuild(ctx.db, game.game_id, input.build_id),
    filesOfBuild(ctx.db, game.game_id, input.build_id),
  ]);
  if (build === undefined) throw new ApiError(4006, 'build_id: this game has no such build.');
  return { ...recordOf(build), files };
}

async function listPage(db: Db, gameId: string, input: Filters): Promise<OutputOf<typeof contract.listBuilds>> {
  const page = input.page ?? 1;
  const pageSize = input.page_size ?? PAGE_SIZE;
  const filters = {
    version: input.version,
    os: input.os === undefined ? undefined : canonicalOs(input.os),
    arch: input.arch === undefined ? undefined : canonicalArch(input.arch),
    channel: input.channel,
    state: input.state,
    search: input.search,
  };
  const [found, total] = await Promise.all([
    builds.listBuilds(db, gameId, filters, { limit: pageSize, offset: (page - 1) * pageSize }),
    builds.countBuilds(db, gameId, filters),
  ]);
  return { builds: found.map(recordOf), pagination: { page, page_size: pageSize, total } };
}

function recordOf(row: builds.BuildListRow): BuildRecord {
  const { file, created_at, updated_at, changelog, ...rest } = row;
  return {
    ...rest,
    changelog_items: changelog,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    file: file === null ? null : summaryOf(file),
  };
}

/** The game's newest builds, for `chauffeur info` and the deploy page. */
export async function recentBuilds(ctx: Context, gameId: string): Promise<BuildRecord[]> {
  return (await builds.listBuilds(ctx.db, gameId, {}, { limit: 10, offset: 0 })).map(recordOf);
}

/** The game's build with this id, or null. */
export async function findBuild(db: Db, gameId: string, buildId: string): Promise<Build | null> {
  return isUuid(buildId) ? ((await builds.findBuild(db, gameId, buildId)) ?? null) : null;
}

/** The game's build with this id or identity. Throws 4039. */
export async function requireBuild(db: Db, gameId: string, key: { buildId: string } | BuildIdentity): Promise<Build> {
  const found =
    'buildId' in key ? await builds.findBuild(db, gameId, key.buildId) : await builds.findByIdentity(db, gameId, key);
  if (found !== undefined) return found;
  const what =
    'buildId' in key
      ? 'build_id: this game has no such build'
      : 'This game has no build of this build_type, version, os, arch and channel';
  throw new ApiError(4039, `${what}; register it first.`);
}
