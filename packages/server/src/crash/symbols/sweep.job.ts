// Deletes leftovers of symbols: texts that no build uses anymore, and blobs of interrupted uploads and compilations.
// Also counts what symbol texts of earlier releases contain, and reads their code ids, a few texts at a time. Later
// releases do both during the upload.

import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { bytesOfOpen } from '../../kernel/blobs/byte-source.ts';
import { peek } from '../../kernel/blobs/peek.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { DAY } from '../../kernel/clock.ts';
import { changed, type Db, rows, type Tx, transact } from '../../kernel/database/db.ts';
import { addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { deleteUnusedMappings } from './mappings/mappings.sql.ts';
import { MODULE_LINE_BYTES, readModuleFacts } from './module-facts.ts';
import { countContents, dropSymbolBlobs, SYMBOLS_PREFIX } from './store-text.ts';
import type { TextFacts } from './symbol-rows.ts';
import * as symbols from './symbols.sql.ts';
import { enqueueArrived } from './symbols.ts';

export const sweepSymbolsJob = defineJob(
  'symbols:sweep',
  { attempts: 3, cron: '47 * * * *', lane: 'long', deletesOld: true },
  sweepSymbols,
);

/** Players may keep an old version for long. */
const UNUSED_DAYS = 400;

/**
 * Deletes the texts that no build uses, mappings of releases without a build that no report has used for long, and the unreferenced blobs below `symbols/` that are older than a day. Also
 * starts the counting of texts of earlier releases.
 */
export async function sweepSymbols(ctx: Context): Promise<void> {
  for (const gameId of await gamesWithUnusedTexts(ctx.db)) await sweepTexts(ctx, gameId);
  await startCounting(ctx);
  await deleteUnusedMappings(ctx.db, new Date(ctx.clock.now().getTime() - UNUSED_DAYS * DAY));
  await sweepOrphans(ctx, SYMBOLS_PREFIX, (keys) => referencedKeys(ctx.db, keys));
}

/** Deletes the rows first, so that no row refers to a missing blob. */
async function sweepTexts(ctx: Context, gameId: string): Promise<void> {
  const keys = await transact(ctx.db, async (tx) => {
    await symbols.lockSymbols(tx, gameId);
    return deleteUnusedTexts(tx, gameId);
  });
  if (keys.length > 0) ctx.log.info({ game: gameId, blobs: keys.length }, 'deleting unused symbols');
  await dropSymbolBlobs(ctx, keys);
}

export const countContentsJob = defineJob('symbols:contents', { attempts: 6, lane: 'long' }, countOldContents);

const BATCH = 20;

/** Safe to run twice: a text that was counted is not counted again. */
export async function countOldContents(ctx: Context): Promise<void> {
  const texts = await listUncounted(ctx.db, BATCH);
  for (const text of texts) await countAndRecord(ctx, text);
  if (texts.length === BATCH) await enqueueCounting(ctx);
}

/** Enqueues the job if there are texts to count. */
export async function startCounting(ctx: Context): Promise<void> {
  if ((await listUncounted(ctx.db, 1)).length > 0) await enqueueCounting(ctx);
}

function enqueueCounting(ctx: Context): Promise<void> {
  return addJob(ctx.db, countContentsJob, {}, countContentsJob.task);
}

/** Reports that were missing these symbols under another name, or without a debug id, are processed again. */
async function countAndRecord(ctx: Context, text: UncountedText): Promise<void> {
  const { facts, module } = await readContents(ctx, text.blob_key);
  const replacesDebugId = module !== null && module.debugId === module.codeId;
  await transact(ctx.db, async (tx) => {
    const code = { codeId: module?.codeId ?? '', replacesDebugId };
    if (!(await recordFacts(tx, text, facts, code))) return;
    const { game_id: gameId, checksum } = text;
    if ((await symbols.findText(tx, gameId, checksum))?.state !== 'compiled') return;
    for (const found of await symbols.modulesOfText(tx, gameId, checksum)) await enqueueArrived(tx, gameId, found);
  });
}

async function readContents(ctx: Context, key: string) {
  const nothing = { facts: { functions: 0, detail: 0, records: 0, unwind: 0 } as const, module: null };
  try {
    const gunzip = createGunzip();
    // Errors reach the reader of the output.
    pipeline(await ctx.blobs.read(key), gunzip).catch(() => undefined);
    const { head, all } = await peek(bytesOfOpen(gunzip), MODULE_LINE_BYTES);
    const counted = countContents(all);
    for await (const _ of counted.bytes);
    const module = readModuleFacts(head);
    return { facts: counted.facts(), module: 'refused' in module ? null : module };
  } catch (error) {
    // Compiling the text reports a missing or damaged blob. Counting it again would not help.
    if (error instanceof BlobMissingError || isDamaged(error)) return nothing;
    throw error;
  }
}

/** Whether zlib could not unpack the bytes. */
function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

export type UncountedText = { game_id: string; checksum: string; blob_key: string };

/** The newest texts of all games whose facts are unknown, because an earlier release stored them. */
export function listUncounted(db: Db, limit: number): Promise<UncountedText[]> {
  return rows(
    db,
    sql<UncountedText>`select game_id, checksum, blob_key from symbol_texts where unwind is null
      order by created_at desc limit ${limit}`,
  );
}

/**
 * Records the facts of a text of an earlier release, and the code id of its modules. Returns whether they were unknown.
 * A module without a debug id gets its code id instead, unless the build has another one with it.
 */
export async function recordFacts(
  tx: Tx,
  { game_id: gameId, checksum }: UncountedText,
  { functions, detail, records, unwind }: TextFacts,
  { codeId, replacesDebugId }: { codeId: string; replacesDebugId: boolean },
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update symbol_texts set functions = ${functions}, detail = ${detail}, records = ${records}, unwind = ${unwind}
      where game_id = ${gameId} and checksum = ${checksum} and unwind is null`,
  );
  await changed(
    tx,
    sql`update symbols set code_id = ${codeId}, debug_id = case when ${replacesDebugId} and not exists (
          select from symbols other where other.game_id = symbols.game_id and other.build_id = symbols.build_id
            and lower(other.debug_file) = lower(symbols.debug_file) and other.debug_id = ${codeId}
        ) then ${codeId} else debug_id end
      where game_id = ${gameId} and checksum = ${checksum} and code_id = '' and ${codeId} <> ''`,
  );
  return count === 1;
}

/** The games with texts that no build uses anymore. */
export async function gamesWithUnusedTexts(db: Db): Promise<string[]> {
  const games = await rows(db, sql<{ game_id: string }>`select distinct game_id from symbol_texts where ${isUnused}`);
  return games.map(({ game_id }) => game_id);
}

/** Deletes a game's unused texts and returns the keys of their blobs. Requires `lockSymbols`. */
export async function deleteUnusedTexts(tx: Tx, gameId: string): Promise<string[]> {
  const deleted = await rows(
    tx,
    sql<{ blob_key: string; cache_key: string | null }>`delete from symbol_texts
      where game_id = ${gameId} and ${isUnused} returning blob_key, cache_key`,
  );
  return deleted.flatMap(({ blob_key, cache_key }) => (cache_key === null ? [blob_key] : [blob_key, cache_key]));
}

const isUnused = sql`not exists (select from symbols
  where symbols.game_id = symbol_texts.game_id and symbols.checksum = symbol_texts.checksum)`;

/** Returns the blob keys that a text refers to. */
export async function referencedKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const referenced = await rows(
    db,
    sql<{ key: string }>`
      select blob_key as key from symbol_texts where blob_key = any(${keys}::text[])
      union all select cache_key from symbol_texts where cache_key = any(${keys}::text[])
      union all select blob_key from system_symbols where blob_key = any(${keys}::text[])
      union all select cache_key from system_symbols where cache_key = any(${keys}::text[])
      union all select blob_key from native_symbols where blob_key = any(${keys}::text[])
      union all select blob_key from mappings where blob_key = any(${keys}::text[])
      union all select blob_key from sentry_chunks where blob_key = any(${keys}::text[])`,
  );
  return new Set(referenced.map(({ key }) => key));
}
