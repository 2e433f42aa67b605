// Converts an uploaded program or debug file to symbol files, in a thread with limited time and memory, and records
// them as if they were uploaded: they are compiled, and reports without them are processed again. A file that can't be
// converted stays in the list of symbols with the reason.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import { bytesOf } from '../../kernel/blobs/byte-source.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { MINUTE, secondsSince } from '../../kernel/clock.ts';
import { type Attempt, bindJob } from '../../kernel/jobs/jobs.ts';
import { withWorkFolder } from '../../kernel/private-files.ts';
import { inSpan } from '../../kernel/telemetry/tracing.ts';
import { limitConcurrency } from '../../kernel/threads/concurrency.ts';
import { runInThread, ThreadCrashError, type ThreadLimits, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import { perContext } from '../../request/per-context.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import { requireFreeStorage } from '../../ship/usage/usage.ts';
import * as native from './native.sql.ts';
import { recordSymbols } from './record.ts';
import { dropSymbolBlobs, type StoredText, storeText } from './store-text.ts';
import { type ConvertPayload, convertJob } from './symbols.ts';

export const convertSymbolsBinding = bindJob(convertJob, convertNative);

/** One at a time in each process, because a conversion may take a gigabyte of memory. */
const inTurn = perContext(() => limitConcurrency(1));

/** Safe to run twice, even at the same time: equal texts are stored once. */
export function convertNative(ctx: Context, payload: ConvertPayload, attempt: Attempt): Promise<void> {
  return inTurn(ctx)(() => convertInTurn(ctx, payload, attempt));
}

async function convertInTurn(ctx: Context, { gameId, nativeUid }: ConvertPayload, attempt: Attempt): Promise<void> {
  const file = await native.findNative(ctx.db, gameId, nativeUid);
  if (file === undefined) return;
  const version = { nativeUid, blobKey: file.blob_key };
  const begun = performance.now();
  const observe = (outcome: Outcome) => ctx.metrics.symbolConversions.observe({ outcome }, secondsSince(begun));
  try {
    await withWorkFolder(ctx.config.dataFolder, (folder) => convertAndRecord(ctx, gameId, { version, file, folder }));
    observe('converted');
  } catch (error) {
    observe(outcomeOf(error));
    const problem = reasonOf(error) ?? (attempt.last ? 'The file could not be converted. Upload it again.' : undefined);
    if (problem === undefined) throw error;
    ctx.log.warn({ err: error, key: file.blob_key }, 'a native file could not be converted');
    await native.recordUnreadable(ctx.db, gameId, version, problem);
  }
  // The row no longer refers to the blob, or another job has already done this.
  await dropSymbolBlobs(ctx, [file.blob_key]);
}

type Outcome = 'converted' | 'unreadable' | 'timeout' | 'memory' | 'broken' | 'failed';

function outcomeOf(error: unknown): Outcome {
  if (error instanceof ThreadTimeoutError) return 'timeout';
  if (error instanceof ThreadCrashError && error.reason === 'memory') return 'memory';
  if (error instanceof UnreadableError) return error.isBug ? 'broken' : 'unreadable';
  return 'failed';
}

type Task = {
  readonly version: { readonly nativeUid: string; readonly blobKey: string };
  readonly file: native.NativeRow;
  readonly folder: string;
};

async function convertAndRecord(ctx: Context, gameId: string, { version, file, folder }: Task): Promise<void> {
  const path = await openLocally(ctx, file, folder);
  const result = await inSpan('convert symbols', {}, () =>
    convertInThread({ path, folder, supplementary: null }, limitsOf(file.size)),
  );
  if ('needs' in result) throw new Error('an uploaded file was asked for another one');
  if ('unreadable' in result) {
    if (result.bug !== undefined) ctx.log.error({ key: file.blob_key, bug: result.bug }, 'the symbol converter failed');
    throw new UnreadableError(result.unreadable, { isBug: result.bug !== undefined });
  }
  if (file.build_id !== null && (await findBuild(ctx.db, gameId, file.build_id)) === null) return;
  const free = await requireFreeStorage(ctx, gameId, 0);
  // The file itself is deleted afterwards.
  const storage = { ...free, bytes: free.bytes + file.size };
  const texts: StoredText[] = [];
  try {
    for (const text of result.texts) {
      const source = bytesOf(() => createReadStream(text));
      texts.push(await storeText(ctx, gameId, { name: file.file_name, source, storage }));
    }
  } catch (error) {
    await dropSymbolBlobs(
      ctx,
      texts.map(({ blobKey }) => blobKey),
    );
    throw error;
  }
  const converted = { ...version, checksum: file.checksum };
  const owner = { game_id: gameId, build_id: file.build_id };
  await recordSymbols(ctx, { owner, keyRef: file.key_ref, texts, natives: [], converted });
}

/** A path of the file with its own name, which becomes that of the module if the file has none. */
async function openLocally(ctx: Context, file: native.NativeRow, folder: string): Promise<string> {
  const named = join(folder, 'native');
  await mkdir(named);
  const path = join(named, file.file_name);
  const local = await ctx.blobs.localPath(file.blob_key);
  if (local !== null) await symlink(resolve(local), path);
  else await pipeline(await ctx.blobs.read(file.blob_key), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return path;
}

/** The message says why a file can't be converted, as a clause. */
class UnreadableError extends Error {
  readonly isBug: boolean;

  constructor(message: string, { isBug }: { isBug: boolean }) {
    super(message);
    this.isBug = isBug;
  }
}

/** The reason for an error that another try can't fix. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof UnreadableError) return `The file can't be converted: ${error.message}.`;
  if (error instanceof BlobMissingError) return 'The stored file is missing. Upload it again.';
  if (error instanceof ThreadTimeoutError)
    return 'Converting timed out. Convert the file with `chauffeur symbols`; or it may be malformed or malicious.';
  if (error instanceof ThreadCrashError && error.reason === 'memory')
    return 'Converting ran out of memory. Convert the file with `chauffeur symbols`; or it may be malformed or malicious.';
  // A refusal of the symbols; the storage may be away for a while.
  if (error instanceof ApiError && error.status < 500) return error.message;
  return undefined;
}

export type ConvertInput = {
  readonly path: string;
  /** The program of a debug file, or the other way round. */
  readonly counterpart?: string;
  /** What dwz moved out of the debug file; null if it can't be had. If it is left out, the result asks for it. */
  readonly supplementary?: string | null;
  /** Where the symbol files are written. */
  readonly folder: string;
};

/**
 * The paths of symbol files; or the build id of the file that is needed first; or why the file can't be converted, as a
 * clause, with the stack of an unexpected error.
 */
export type ConvertResult =
  | { readonly texts: readonly string[] }
  | { readonly needs: string }
  | { readonly unreadable: string; readonly bug?: string };

const THREAD = new URL('./convert.thread.ts', import.meta.url);
/** A program or PDB of a gigabyte takes half of each. More is needed by files that are made to fill memory. */
const MAX_HEAP_MB = 768;
const MAX_BUFFER_MB = 512;
const MAX_TIME = 10 * MINUTE;
/** Several times what a slow machine needs for a mebibyte. */
const TIME_PER_MIB = 500;

/** Rejects with ThreadTimeoutError and ThreadCrashError, and with errors of the disk. */
export function convertInThread(input: ConvertInput, limits: ThreadLimits): Promise<ConvertResult> {
  return runInThread(THREAD, input, limits);
}

/** A small file that takes long is malicious, and would keep other jobs waiting. */
export function limitsOf(size: number): ThreadLimits {
  return {
    timeoutMs: Math.min(MAX_TIME, MINUTE + TIME_PER_MIB * (size / MIB)),
    maxHeapMb: MAX_HEAP_MB,
    maxBufferMb: MAX_BUFFER_MB,
  };
}
