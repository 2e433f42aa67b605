// Breakpad symbols of a game's builds: listed, deleted, looked up for a dump's modules, opened to other stackwalkers by a token.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/symbols';
import { CACHE_VERSION } from '@chauffeur/minidump/symbols/cache/footer';
import { isSafeName } from '@chauffeur/minidump/symbols/symbol-path';
import type { AccountCaller, Context, GameCaller } from '../../context.ts';
import { parseBlobSettings } from '../../kernel/blobs/open.ts';
import { cutPage, readCursor, writeCursor } from '../../kernel/cursor.ts';
import type { Db, Tx } from '../../kernel/db.ts';
import { newSecret } from '../../kernel/ids.ts';
import { addJob, defineJob } from '../../kernel/jobs.ts';
import { perContext } from '../../kernel/per-context.ts';
import { type Build, findBuild, requireBuild } from '../builds/builds.ts';
import { requireMember } from '../games/games.ts';
import { openCacheFolder } from './cache-folder.ts';
import { type FoundSymbols, findModules } from './lookup.sql.ts';
import { canonicalDebugId, lastPart } from './module-facts.ts';
import * as symbols from './symbols.sql.ts';

type SymbolList = OutputOf<typeof contract.listToolSymbols>;
type SymbolRecord = SymbolList['symbols'][number];

export type CompilePayload = { gameId: string; checksum: string };

/** With waits of e^n seconds, the store may be away for about a day. */
export const compileJob = defineJob<CompilePayload>('symbols:compile', 12);

/** Enqueues the compilation of a text, in the transaction that needs it; one that waits already is not doubled. */
export function enqueueCompile(db: Db, gameId: string, checksum: string): Promise<void> {
  return addJob(db, compileJob, { gameId, checksum }, `${compileJob.task}/${gameId}/${checksum}`);
}

/** A module's symbols have become readable: reports that lack them can be processed again. `debugId` as it is kept here. */
export type SymbolsArrived = { gameId: string; debugFile: string; debugId: string };

export const symbolsArrivedJob = defineJob<SymbolsArrived>('symbols:arrived', 6);

/** Has reports without this module's symbols processed again, in the transaction that makes them readable. */
export function tellArrived(db: Db, arrived: SymbolsArrived): Promise<void> {
  const { gameId, debugFile, debugId } = arrived;
  return addJob(db, symbolsArrivedJob, arrived, `${symbolsArrivedJob.task}/${gameId}/${debugId}/${debugFile}`);
}

/** A module as a dump names it: a path or a name in either case, an id in either case. */
export type WantedModule = { readonly debugFile: string; readonly debugId: string };

/** What there is for a module. */
export type SymbolAnswer =
  | { readonly state: 'compiled'; readonly cacheKey: string; readonly cacheSize: number }
  /** Uploaded and not yet compiled: `symbolsArrivedJob` tells when it is. */
  | { readonly state: 'pending' }
  | { readonly state: 'unreadable'; readonly problem: string }
  | { readonly state: 'missing'; readonly why: 'never_uploaded' }
  /** The file is known, of another debug id: the build was made again after its symbols were, or the reverse. */
  | { readonly state: 'missing'; readonly why: 'wrong_debug_id'; readonly uploadedDebugId: string };

/** For each module in its place what the build has, or else any other build of the game. */
export async function findSymbols(
  ctx: Context,
  gameId: string,
  buildId: string,
  modules: readonly WantedModule[],
): Promise<SymbolAnswer[]> {
  if (modules.length === 0) return [];
  const found = await findModules(ctx.db, gameId, buildId, modules.map(askable));
  for (const { checksum, state, cache_version } of found) {
    if (checksum !== null && state === 'compiled' && cache_version !== CACHE_VERSION)
      await enqueueCompile(ctx.db, gameId, checksum);
  }
  return found.map(answerOf);
}

/** Names come from a dump: one that cannot be a file's, or that PostgreSQL would not take, is no module's. */
function askable({ debugFile, debugId }: WantedModule): WantedModule {
  const name = lastPart(debugFile);
  const isAskable = isSafeName(name) && /^[0-9a-f]{1,64}$/i.test(debugId);
  return isAskable ? { debugFile: name, debugId: canonicalDebugId(debugId) } : { debugFile: '', debugId: '' };
}

function answerOf(found: FoundSymbols): SymbolAnswer {
  if (found.checksum === null) {
    return found.other_debug_id === null
      ? { state: 'missing', why: 'never_uploaded' }
      : { state: 'missing', why: 'wrong_debug_id', uploadedDebugId: found.other_debug_id };
  }
  if (found.state === 'unreadable') return { state: 'unreadable', problem: found.problem ?? '' };
  const { cache_key: cacheKey, cache_size: cacheSize } = found;
  if (cacheKey === null || cacheSize === null || found.cache_version !== CACHE_VERSION) return { state: 'pending' };
  return { state: 'compiled', cacheKey, cacheSize };
}

/** It knows which copies are being made. */
const cacheFolderOf = perContext(({ config, blobs, clock }) =>
  openCacheFolder(parseBlobSettings(config.blobs, config.dataFolder), {
    blobs,
    folder: join(config.dataFolder, 'symbol-cache'),
    mostBytes: config.symbolCacheMb * MIB,
    now: () => clock.now(),
  }),
);

/**
 * Path of a file with the compiled symbols under `cacheKey`, for `FileReader`; to be opened soon. Rejects with BlobMissingError when
 * they were deleted or compiled anew meanwhile: then `findSymbols` knows more.
 */
export function openCacheFile(ctx: Context, cacheKey: string): Promise<string> {
  return cacheFolderOf(ctx).fileOf(cacheKey);
}

/** The symbols of a build, for the deploy tool to see what need not be sent. Throws 4039. */
export async function listToolSymbols(
  ctx: Context,
  { gameId }: GameCaller,
  input: InputOf<typeof contract.listToolSymbols>,
): Promise<SymbolList> {
  const build = await requireBuild(ctx.db, gameId, { buildId: input.build_id });
  return listOf(ctx, build, input);
}

export async function listBuildSymbols(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.listBuildSymbols>,
): Promise<SymbolList> {
  return listOf(ctx, await requireMembersBuild(ctx, caller, input), input);
}

type Page = { cursor?: string; limit?: number };

/** A page begins behind the last file of the one before, so symbols that come or go meanwhile move nothing. */
async function listOf(ctx: Context, build: Build, { cursor, limit = LIMITS.pageSize }: Page): Promise<SymbolList> {
  const { game_id: gameId, build_id: buildId } = build;
  const list = ['symbols', gameId, buildId];
  const [place = '', debugId = ''] = cursor === undefined ? [] : readCursor(list, cursor, ['text', 'text']);
  const after = cursor === undefined ? null : { place, debugId };
  const found = await symbols.listSymbols(ctx.db, gameId, buildId, { after, limit: limit + 1 });
  const { page, last } = cutPage(found, limit);
  return {
    symbols: page.map(({ place: _, ...symbol }) => recordOf(symbol)),
    next_cursor: last === null ? null : writeCursor(list, [last.place, last.debug_id]),
  };
}

/** A symbol file as every answer shows it. */
export function recordOf({ uploaded_at, ...symbol }: symbols.SymbolRow): SymbolRecord {
  return { ...symbol, uploaded_at: uploaded_at.toISOString() };
}

/** Throws 4040 when the build has no symbol file of this uid. Without one, all of the build's are deleted, be they none. */
export async function deleteBuildSymbols(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.deleteBuildSymbols>,
): Promise<OutputOf<typeof contract.deleteBuildSymbols>> {
  const build = await requireMembersBuild(ctx, caller, input);
  const uid = input.symbol_uid ?? null;
  const deleted = await symbols.deleteSymbols(ctx.db, build.game_id, build.build_id, uid);
  if (uid !== null && deleted === 0)
    throw new ApiError(4040, 'symbol_uid: the build has no such symbol file; list its symbols.');
  return { deleted };
}

async function requireMembersBuild(
  ctx: Context,
  caller: AccountCaller,
  { uid, build_id }: { uid: string; build_id: string },
): Promise<Build> {
  const { game } = await requireMember(ctx, caller, uid);
  const build = await findBuild(ctx.db, game.game_id, build_id);
  if (build === null) throw new ApiError(4006);
  return build;
}

/** 32 characters of 5.8 bits: a plain SHA-256 of it cannot be guessed. */
const TOKEN_LENGTH = 32;
const PREFIX_LENGTH = 8;

/** The address is shown once; the one before stops working. */
export async function issueSymbolToken(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.issueSymbolToken>,
): Promise<OutputOf<typeof contract.issueSymbolToken>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const token = newSecret(TOKEN_LENGTH);
  await symbols.replaceToken(ctx.db, game.game_id, hashOfToken(token), token.slice(0, PREFIX_LENGTH));
  return { symbols_url: `${ctx.publicUrl}/api/v1/symbols/${token}` };
}

/** The address that other stackwalkers read symbols at stops working, as a part of a transaction. */
export function revokeSymbolToken(tx: Tx, gameId: string): Promise<void> {
  return symbols.deleteToken(tx, gameId);
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
