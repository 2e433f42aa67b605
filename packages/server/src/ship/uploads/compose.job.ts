// Composes the zip of an upload that sent only what changed. Reading and writing a whole zip takes seconds, so a job does
// it, in a thread with limits.
//
// Each attempt writes another zip, under the id of a new file: if a worker dies, or two run the job at once, what
// one of them writes never replaces what the other has recorded. Zips that were not recorded are swept with the other
// blobs that belong to nothing.
import { ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import type { Tx } from '../../kernel/database/db.ts';
import { type Attempt, addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { runInThread, ThreadCrashError, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import { type Build, findBuild } from '../builds/builds.ts';
import { zipKeyOf } from '../files/blob-keys.ts';
import { enforceQuota, requireFreeStorage } from '../usage/usage.ts';
import type { Source } from './block-sources.ts';
import * as sql from './blocks.sql.ts';
import { admitFile } from './complete-file.ts';
import type { Composed, ComposeInput } from './compose.thread.ts';
import { zipTooLarge } from './upload-target.ts';
import { findUploadSession, type SessionRow } from './uploads.sql.ts';

/** The number of earlier files whose blocks are reused. */
const MAX_SOURCES = 8;

const THREAD = new URL('./compose.thread.ts', import.meta.url);
/** The heap in MiB: a recipe of 200,000 files and the manifests of earlier ones, one after the other. */
const MAX_HEAP_MB = 768;
const MIN_TIME_MS = 15 * 60_000;

type Payload = { gameId: string; sessionId: string };

export const composeJob = defineJob('uploads:compose', { attempts: 8, lane: 'long', changes: 'builds' }, composeBundle);

/** Enqueues the composition, in the transaction that finishes the session. */
export function enqueueComposition(tx: Tx, session: { game_id: string; session_id: string }): Promise<void> {
  return addJob(tx, composeJob, { gameId: session.game_id, sessionId: session.session_id });
}

/** The files whose blocks an upload to this build can reuse. */
export async function sourcesFor({ db }: Context, build: Build): Promise<Source[]> {
  const rows = await sql.listSources(db, build.game_id, build, MAX_SOURCES);
  return rows.map((row) => ({ fileId: row.file_id, zipKey: row.blob_key, manifestKey: row.manifest_key }));
}

/** Composes the zip, unless that is done. Does nothing if the session was deleted, because the sweep removes its bundle. */
export async function composeBundle(ctx: Context, { gameId, sessionId }: Payload, attempt: Attempt): Promise<void> {
  const session = await findUploadSession(ctx.db, gameId, sessionId);
  const bundle = await sql.findBundle(ctx.db, gameId, sessionId);
  if (session === undefined || bundle === undefined) return;
  if (bundle.composed_file_id === null && bundle.failure === null) {
    try {
      await compose(ctx, session, bundle);
    } catch (error) {
      const reason = reasonOf(error, attempt);
      if (reason === null) throw error;
      await sql.setFailure(ctx.db, bundle, { code: reason.code, message: reason.message });
    }
  }
  await ctx.blobs.delete(session.blob.key);
}

/** Why another attempt would not help; null if one could. */
function reasonOf(error: unknown, attempt: Attempt): ApiError | null {
  if (error instanceof ApiError && error.status < 500) return error;
  if (error instanceof BlobMissingError) return errors.blocksGone(undefined, { cause: error });
  if (error instanceof ThreadTimeoutError || error instanceof ThreadCrashError)
    return errors.invalidFile('The bundle took too much memory or time. Upload the whole zip.', { cause: error });
  return attempt.last ? errors.fileNotSaved(undefined, { cause: error }) : null;
}

async function compose(ctx: Context, session: SessionRow, bundle: sql.BundleRow): Promise<void> {
  const build = await findBuild(ctx.db, session.game_id, session.build_id);
  if (build === null) throw errors.unknownBuildOfFile();
  const storage = await requireFreeStorage(ctx, session.game_id);
  const fileId = newId();
  const key = zipKeyOf(session.game_id, fileId);
  const maxBytes = Math.min(LIMITS.fileBytes, storage.bytes);
  const input: ComposeInput = {
    blobSettings: ctx.blobs.settings,
    bundle: { key: session.blob.key, size: session.total_size },
    sources: await sourcesFor(ctx, build),
    key,
    maxBytes,
  };
  const limits = { timeoutMs: MIN_TIME_MS, maxHeapMb: MAX_HEAP_MB };
  try {
    const composed = await runInThread<Composed>(THREAD, input, limits, BLOB_FAILURES);
    switch (composed.outcome) {
      case 'invalid':
        throw errors.invalidFile(`The bundle is not valid. ${composed.detail}`);
      case 'gone':
        throw errors.blocksGone();
      case 'tooLarge':
        throw storage.bytes < LIMITS.fileBytes ? storage.exceeded() : zipTooLarge();
      case 'composed':
        await admit(ctx, session, bundle, build, { fileId, key, ...composed });
    }
  } catch (error) {
    await ctx.blobs.delete(key);
    throw error;
  }
}

type ComposedZip = Extract<Composed, { outcome: 'composed' }> & { readonly fileId: string; readonly key: string };

/** Another attempt has recorded a file, or the session was deleted. */
class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

async function admit(
  ctx: Context,
  session: SessionRow,
  bundle: sql.BundleRow,
  build: Build,
  { fileId, key, size, sha256, reused }: ComposedZip,
): Promise<void> {
  const arrival = {
    build,
    fileId,
    filename: session.filename,
    checksum: sha256,
    origin: session.origin ?? { type: 'deploy_key' as const, key_ref: session.key_ref },
    upload: { key, size },
    reused: reused.map((each) => ({ file_uid: each.fileId, bytes: each.bytes })),
  };
  const before = async (tx: Tx) => {
    if (!(await sql.setComposed(tx, bundle, fileId))) throw new TooLateError();
  };
  try {
    await admitFile(ctx, arrival, { before, after: (tx) => enforceQuota(ctx, tx, session.game_id) });
  } catch (error) {
    if (!(error instanceof ApiError && error.cause instanceof TooLateError)) throw error;
    await ctx.blobs.delete(key);
  }
}
