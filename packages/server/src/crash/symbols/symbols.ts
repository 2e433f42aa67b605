// Breakpad symbols of a game's builds: lists and deletes them, finds them for the modules of a dump, and issues the
// token with which other stackwalkers download them.
import { join } from 'node:path';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/symbols';
import { CACHE_VERSION } from '@chauffeur/minidump/symbols/cache/footer';
import { identifyModule, type ModuleIdentity } from '@chauffeur/minidump/symbols/module-identity';
import { DETAILS } from '@chauffeur/minidump/symbols/symbol-contents';
import { isSafeName } from '@chauffeur/minidump/symbols/symbol-path';
import type { AccountCaller, Context } from '../../context.ts';
import type { Db } from '../../kernel/database/db.ts';
import { addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { hashSecret, newSecret } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { perContext } from '../../request/per-context.ts';
import { handle } from '../../request/route.ts';
import { type Build, findBuild, requireBuild } from '../../ship/builds/builds.ts';
import { openCacheFolder } from './cache-folder.ts';
import { deleteMappings } from './mappings/mappings.sql.ts';
import { describeShortcoming } from './module-facts.ts';
import { deleteNatives } from './native.sql.ts';
import { findSystemSymbols } from './sources/system-symbols.ts';
import { dropSymbolBlobs } from './store-text.ts';
import type { SymbolOwner, SymbolRow } from './symbol-rows.ts';
import * as symbols from './symbols.sql.ts';
import { type FoundSymbols, findModules } from './symbols.sql.ts';

type SymbolList = OutputOf<typeof contract.listToolSymbols>;
type SymbolRecord = SymbolList['symbols'][number];

export type ConvertPayload = { gameId: string; nativeUid: string };

/** With delays of e^n seconds, the attempts cover an outage of about a day. */
export const convertJob = defineJob<ConvertPayload>('symbols:convert', { attempts: 12, lane: 'long' });

/** Other jobs run first, because conversions of one upload can take hours together. */
const CONVERT_PRIORITY = 1;

/** Enqueues the conversion of a native file within a transaction. */
export function enqueueConvert(db: Db, gameId: string, nativeUid: string): Promise<void> {
  const key = `${convertJob.task}/${gameId}/${nativeUid}`;
  return addJob(db, convertJob, { gameId, nativeUid }, key, CONVERT_PRIORITY);
}

export type CompilePayload = { gameId: string; checksum: string };

/** With delays of e^n seconds, the attempts cover an outage of about a day. */
export const compileJob = defineJob<CompilePayload>('symbols:compile', { attempts: 12, lane: 'long' });

/** Enqueues the compilation of a text within a transaction. A pending job is not duplicated. */
export function enqueueCompile(db: Db, gameId: string, checksum: string): Promise<void> {
  return addJob(db, compileJob, { gameId, checksum }, `${compileJob.task}/${gameId}/${checksum}`);
}

/**
 * The symbols of a module have become readable, so reports without them can be processed again. The ids are canonical.
 * Jobs of earlier releases have no code id.
 */
export type SymbolsArrived = { gameId: string; debugFile: string; debugId: string; codeId?: string };

export const symbolsArrivedJob = defineJob<SymbolsArrived>('symbols:arrived', { attempts: 6, lane: 'long' });

/**
 * Enqueues the job that reprocesses reports without these symbols, within the transaction that makes the symbols
 * readable.
 */
export function enqueueArrived(
  db: Db,
  gameId: string,
  { debug_file: debugFile, debug_id: debugId, code_id: codeId }: Pick<SymbolRow, 'debug_file' | 'debug_id' | 'code_id'>,
): Promise<void> {
  const arrived = { gameId, debugFile, debugId, ...(codeId !== '' && { codeId }) };
  return addJob(db, symbolsArrivedJob, arrived, `${symbolsArrivedJob.task}/${gameId}/${debugId}/${debugFile}`);
}

/** The builds in which reports may have been missing symbols that arrived, under any name of their module. */
export function buildsWithSymbols(
  db: Db,
  { gameId, debugId, codeId = '' }: SymbolsArrived,
  limit: number,
): Promise<string[]> {
  return symbols.buildsWithIds(db, gameId, { debugId, codeId }, limit);
}

/** Whether symbols with one of these ids belong to no build. */
export function areOfNoBuild(db: Db, { gameId, debugId, codeId = '' }: SymbolsArrived): Promise<boolean> {
  return symbols.hasIdsWithoutBuild(db, gameId, { debugId, codeId });
}

/** A module in a dump: paths or names, and ids, in any letter case. */
export type WantedModule = {
  readonly debugFile: string;
  readonly debugId: string;
  readonly codeFile?: string;
  readonly codeId?: string;
};

/** The symbols of a module. */
export type SymbolAnswer =
  | {
      readonly state: 'compiled';
      readonly cacheKey: string;
      readonly cacheSize: number;
      /** The cache of another file of the module, which has more unwind rules. */
      readonly unwindKey: string | null;
      /** Whether there are only functions or only unwind rules. */
      readonly isPartial: boolean;
      readonly hasUnwind: boolean;
    }
  /** Uploaded, or from a symbol server, but not compiled yet; `symbolsArrivedJob` runs when it is. */
  | { readonly state: 'pending'; readonly ofServer?: true }
  | { readonly state: 'unreadable'; readonly problem: string }
  | { readonly state: 'missing'; readonly why: 'never_uploaded' }
  /**
   * There are symbols for a file of this name with another debug id: the binary and its symbols come from different
   * compilations.
   */
  | { readonly state: 'missing'; readonly why: 'wrong_debug_id'; readonly uploadedDebugId: string };

/**
 * Returns the symbols of each module, in order: those of the build, otherwise those of any build of the game, otherwise
 * those of the symbol servers in the settings.
 */
export async function findSymbols(
  ctx: Context,
  gameId: string,
  buildId: string,
  modules: readonly WantedModule[],
): Promise<SymbolAnswer[]> {
  if (modules.length === 0) return [];
  const queries = modules.map(toQuery);
  const rows = await findModules(ctx.db, gameId, buildId, queries);
  for (const { checksum, state, cache_version, unwind_checksum, unwind_version } of rows) {
    if (checksum !== null && state === 'compiled' && cache_version !== CACHE_VERSION)
      await enqueueCompile(ctx.db, gameId, checksum);
    if (unwind_checksum !== null && unwind_version !== CACHE_VERSION)
      await enqueueCompile(ctx.db, gameId, unwind_checksum);
  }
  const isMissing = rows.map(({ checksum, state }) => checksum === null || state === 'unreadable');
  const ofSystem = await findSystemSymbols(
    ctx,
    queries.filter((_, index) => isMissing[index]),
  );
  return rows.map((row, index) => (isMissing[index] ? ofSystem.shift() : null) ?? answerOf(row));
}

/**
 * Names from a dump are untrusted. A name that is not a valid file name, or that PostgreSQL would reject, becomes
 * empty.
 */
function toQuery({ debugFile, debugId, codeFile = '', codeId = '' }: WantedModule): ModuleIdentity {
  const { name, ...ids } = identifyModule({ debugFile, debugId, codeFile, codeId });
  return { name: isSafeName(name) ? name : '', ...ids };
}

function answerOf(row: FoundSymbols): SymbolAnswer {
  if (row.checksum === null) {
    return row.other_debug_id === null
      ? { state: 'missing', why: 'never_uploaded' }
      : { state: 'missing', why: 'wrong_debug_id', uploadedDebugId: row.other_debug_id };
  }
  if (row.state === 'unreadable') return { state: 'unreadable', problem: row.problem ?? '' };
  const { cache_key: cacheKey, cache_size: cacheSize } = row;
  if (cacheKey === null || cacheSize === null || row.cache_version !== CACHE_VERSION) return { state: 'pending' };
  const unwindKey = row.unwind_version === CACHE_VERSION ? row.unwind_key : null;
  const hasUnwind = row.has_unwind !== false || unwindKey !== null;
  const isPartial = row.has_functions === false || !hasUnwind;
  return { state: 'compiled', cacheKey, cacheSize, unwindKey, isPartial, hasUnwind };
}

/** One per context, so that concurrent requests share a copy. */
const cacheFolderOf = perContext(({ config, blobs, clock }) =>
  openCacheFolder({
    blobs,
    folder: join(config.dataFolder, 'symbol-cache'),
    maxBytes: config.symbolCacheMb * MIB,
    now: () => clock.now(),
  }),
);

/**
 * Returns the path of a file with the compiled symbols under `cacheKey`, to be opened soon by `FileReader`. Rejects
 * with BlobMissingError if they were deleted or compiled again in the meantime; then call `findSymbols` again.
 */
export function openCacheFile(ctx: Context, cacheKey: string): Promise<string> {
  return cacheFolderOf(ctx).fileOf(cacheKey);
}

/** The symbols of a build, so that deploy tools can skip them. Throws `unknownBuildOfFile`. */
export const listToolSymbols = handle(contract.listToolSymbols, async (ctx, { caller: { gameId }, input }) => {
  const build = await requireBuild(ctx.db, gameId, { buildId: input.build_id });
  return listOfBuild(ctx, build, input);
});

export const listBuildSymbols = handle(contract.listBuildSymbols, async (ctx, { caller, input }) => {
  return listOfBuild(ctx, await requireMembersBuild(ctx, caller, input), input);
});

type Page = { cursor?: string; limit?: number };

async function listOfBuild(ctx: Context, build: Build, page: Page): Promise<SymbolList> {
  const { rows, next_cursor } = await listPage(ctx, build, page);
  return { symbols: rows.map(symbolRecordOf), next_cursor };
}

/** Each page starts after the last file of the previous one, so added or deleted symbols do not shift it. */
async function listPage(ctx: Context, owner: SymbolOwner, { cursor, limit = LIMITS.pageSize }: Page) {
  const { game_id: gameId, build_id: buildId } = owner;
  const list = ['symbols', gameId, buildId];
  const [fileName = '', sortId = ''] = cursor === undefined ? [] : readCursor(list, cursor, ['text', 'text']);
  const after = cursor === undefined ? null : { fileName, sortId };
  const rows = await symbols.listSymbols(ctx.db, gameId, buildId, { after, limit: limit + 1 });
  const { page, last } = cutPage(rows, limit);
  return {
    rows: page.map(({ file_name: _, sort_id: __, ...symbol }) => symbol),
    next_cursor: last === null ? null : writeCursor(list, [last.file_name, last.sort_id]),
  };
}

export const listSymbolsWithoutBuild = handle(contract.listSymbolsWithoutBuild, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { rows, next_cursor } = await listPage(ctx, { game_id: game.game_id, build_id: null }, input);
  return { symbols: rows.map(factsOf), next_cursor };
});

/** A symbol file of a build as it appears in responses. */
export function symbolRecordOf(row: SymbolRow): SymbolRecord {
  return { ...factsOf(row), build_id: row.build_id! };
}

function factsOf(row: SymbolRow): Omit<SymbolRecord, 'build_id'> {
  const { detail, build_id: _, best_detail: __, best_unwind: ___, uploaded_at, poorer_at, ...symbol } = row;
  return {
    ...symbol,
    code_id: symbol.code_id || null,
    has_lines: detail === null ? null : detail === DETAILS.lines,
    problem: describeProblem(row),
    uploaded_at: uploaded_at.toISOString(),
    poorer_at: poorer_at?.toISOString() ?? null,
  };
}

/** Whether it is a native file that was not converted, or no symbol file at all. */
function hasNoFacts({ kind, checksum, native_checksum: nativeChecksum }: SymbolRow): boolean {
  return kind !== 'symbols' || checksum === nativeChecksum;
}

function describeProblem(symbol: SymbolRow): string | null {
  if (symbol.state === 'unreadable' || hasNoFacts(symbol)) return symbol.problem;
  const problems = [describeShortcoming(symbol), symbol.problem].filter((problem) => problem !== null);
  return problems.length === 0 ? null : problems.join(' ');
}

/**
 * Deletes one symbol file, or all of the build without a uid. Throws `notFound` if the build has no symbol file with
 * the uid.
 */
export const deleteBuildSymbols = handle(contract.deleteBuildSymbols, async (ctx, { caller, input }) => {
  const build = await requireMembersBuild(ctx, caller, input);
  return deleteOf(ctx, build, input.symbol_uid ?? null);
});

/** The same for symbols without a build. */
export const deleteSymbolsWithoutBuild = handle(contract.deleteSymbolsWithoutBuild, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return deleteOf(ctx, { game_id: game.game_id, build_id: null }, input.symbol_uid ?? null);
});

async function deleteOf(
  ctx: Context,
  { game_id: gameId, build_id: buildId }: SymbolOwner,
  uid: string | null,
): Promise<{ deleted: number }> {
  const natives = await deleteNatives(ctx.db, gameId, buildId, uid);
  await dropSymbolBlobs(
    ctx,
    natives.flatMap(({ blob_key: key }) => (key === null ? [] : [key])),
  );
  const mappings = await deleteMappings(ctx.db, gameId, buildId, uid);
  const texts = await symbols.deleteSymbols(ctx.db, gameId, buildId, uid);
  const deleted = natives.length + mappings + texts;
  if (uid !== null && deleted === 0)
    throw errors.notFound('symbol_uid: there is no such symbol file. List the symbols and use one of their uids.');
  return { deleted };
}

async function requireMembersBuild(
  ctx: Context,
  caller: AccountCaller,
  { uid, build_id }: { uid: string; build_id: string },
): Promise<Build> {
  const { game } = await requireMember(ctx, caller, uid);
  const build = await findBuild(ctx.db, game.game_id, build_id);
  if (build === null) throw errors.unknownBuild();
  return build;
}

/** A token has about 186 bits. */
const TOKEN_LENGTH = 32;
const PREFIX_LENGTH = 8;

/** Returns the new URL, which is shown only once. The previous URL stops working. */
export const issueSymbolToken = handle(contract.issueSymbolToken, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const token = newSecret(TOKEN_LENGTH);
  await symbols.replaceToken(ctx.db, game.game_id, hashSecret(token), token.slice(0, PREFIX_LENGTH));
  return { symbols_url: `${ctx.publicUrl}/api/v1/symbols/${token}` };
});
