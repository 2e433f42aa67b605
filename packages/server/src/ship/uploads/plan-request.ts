// `POST …/tool/upload/plans`: which blocks of a zip are in earlier files of the game.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/uploads';
import { MAX_RECIPE_BYTES } from '@chauffeur/deltas/bundle';
import { DeltaError } from '@chauffeur/deltas/error';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { PRIVATE_FILE, withWorkFolder } from '../../kernel/private-files.ts';
import { limitConcurrency } from '../../kernel/threads/concurrency.ts';
import { runInThread, ThreadCrashError, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import { BodyTooLargeError, receiveBody, UnreadableBodyError } from '../../request/body.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { type Build, requireBuild } from '../builds/builds.ts';
import { newestFile } from '../files/files.sql.ts';
import type { Source } from './block-sources.ts';
import { uploadedFileOf } from './complete-file.ts';
import { sourcesFor } from './compose.job.ts';
import type { PlanInput, PlannedUpload } from './plan.thread.ts';

const THREAD = new URL('./plan.thread.ts', import.meta.url);
const LIMITS = { timeoutMs: 60_000, maxHeapMb: 768 };
/** A plan of the largest recipe takes a second and 300 MB. */
const inTurn = limitConcurrency(2);

export const planUpload = stream(contract.planUpload, async (ctx, { caller, input, request }) => {
  // It takes about as much as a chunk does.
  await countUse(ctx, ctx.db, caller.gameId, { name: 'chunks', max: ctx.config.limitChunks, windowSeconds: 3600 });
  const build = await requireBuild(ctx.db, caller.gameId, { buildId: input.build_id });
  // The recipe is kept in a file while it is queued.
  const planned = await withWorkFolder(ctx.config.dataFolder, async (folder) => {
    const recipePath = join(folder, 'recipe');
    await storeRecipe(ctx, request, recipePath);
    const sources = await sourcesFor(ctx, build);
    const found = await inTurn(() => plan(ctx, sources, recipePath));
    return { ...found, files: sources.length };
  });
  return answer(200, {
    same_file: await findSame(ctx, build, planned.same),
    earlier_files: planned.files,
    known_blocks: planned.knownBlocks,
    known_bytes: planned.knownBytes,
    missing: Buffer.from(planned.missing).toString('base64'),
  });
});

async function storeRecipe(ctx: Context, request: FastifyRequest, path: string): Promise<void> {
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  await using file = await open(path, 'wx', PRIVATE_FILE);
  try {
    await receiveBody(request.raw, { encoding: 'none', maxBytes: MAX_RECIPE_BYTES, idleMs }, async (body) => {
      for await (const bytes of body) await file.writeFile(bytes);
    });
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) throw errors.tooLarge('The recipe is too large. Upload the whole zip.');
    if (cause instanceof UnreadableBodyError)
      throw errors.unreadableForm(`The recipe could not be read: ${cause.message}`);
    throw cause;
  }
}

async function plan(ctx: Context, sources: readonly Source[], recipePath: string): Promise<PlannedUpload> {
  const input: PlanInput = { blobSettings: ctx.blobs.settings, recipePath, sources };
  try {
    return await runInThread(THREAD, input, LIMITS, [DeltaError, ...BLOB_FAILURES]);
  } catch (cause) {
    if (cause instanceof DeltaError) throw errors.unreadableForm(`The recipe is not valid. ${cause.message}`);
    if (cause instanceof ThreadCrashError || cause instanceof ThreadTimeoutError)
      throw errors.unreadableForm('The recipe takes too much memory or time. Upload the whole zip.', { cause });
    throw cause;
  }
}

/** The build's newest file, if it is one of these. Rejected files don't count, because players get an earlier one. */
async function findSame(ctx: Context, build: Build, fileIds: readonly string[]): Promise<contract.UploadedFile | null> {
  const newest = await newestFile(ctx.db, build);
  return newest !== undefined && fileIds.includes(newest.file_id) ? uploadedFileOf(newest, build) : null;
}
