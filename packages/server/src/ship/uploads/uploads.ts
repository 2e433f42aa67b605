// Uploads: sessions are opened, listed and aborted here, and jobs delete what uploads have left. The streaming routes
// are in upload-requests.ts, and the states of a session are described in upload-session.ts.
import { CODES, errors } from '@chauffeur/contract/errors';
import { canonicalChecksum } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/uploads';
import type { Context, GameCaller } from '../../context.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { HOUR } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { countLimit, countUse } from '../../kernel/limits/rate-limit.ts';
import { isAlive } from '../../kernel/processes/presence.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireVerifiedOwner } from '../../people/game-access/game-access.ts';
import { requireOwnProgram } from '../../people/games/games.ts';
import type { Fields } from '../../request/form.ts';
import { handle } from '../../request/route.ts';
import { findBuild, orDeletedBuild, requireBuild } from '../builds/builds.ts';
import { bundleKeyOf, FILES_PREFIX, fileIdOfKey, zipKeyOf } from '../files/blob-keys.ts';
import { existingFiles } from '../files/files.sql.ts';
import { findFile, originOf } from '../files/files.ts';
import { enforceQuota, requireFreeStorage } from '../usage/usage.ts';
import { type BundleRow, findBundle, insertBundle } from './blocks.sql.ts';
import { uploadedFileOf } from './complete-file.ts';
import { dropSession, lockSession, requireSession, type UploadSession, unknownSession } from './upload-session.ts';
import { readFilename, readFormat, readTarget, readTotalSize, requireSameTarget } from './upload-target.ts';
import * as sessions from './uploads.sql.ts';

type SessionRecord = OutputOf<typeof contract.openUploadSession>;

/** A guess, because it is unknown when a session will end. */
const SLOT_RETRY_SECONDS = 30;

/** Opens a session from the fields of its form. */
export async function openSession(ctx: Context, caller: GameCaller, fields: Fields): Promise<SessionRecord> {
  await requireVerifiedOwner(ctx, caller.gameId);
  const filename = readFilename(fields.filename);
  const totalSize = readTotalSize(fields.total_size);
  const format = readFormat(fields.format);
  const target = readTarget(fields);
  await requireOwnProgram(ctx, caller.gameId, fields, CODES.unknownBuildOfFile);
  const build = await requireBuild(ctx.db, caller.gameId, target.build);
  requireSameTarget(target, build);
  await requireFreeStorage(ctx, caller.gameId, totalSize);
  await countUse(ctx, ctx.db, caller.gameId, {
    name: 'uploads',
    max: ctx.config.limitUploads,
    windowSeconds: 3600,
  });
  const fileId = newId();
  const openedAt = ctx.clock.now();
  const session = await insertWithinLimit(ctx, {
    gameId: caller.gameId,
    sessionId: newId(),
    buildId: build.build_id,
    fileId,
    filename,
    totalSize,
    checksum: target.checksum,
    blob: await ctx.blobs.begin((format === 'zip' ? zipKeyOf : bundleKeyOf)(caller.gameId, fileId)),
    keyRef: caller.keyRef,
    origin: originOf(caller),
    openedAt,
    expiresAt: new Date(openedAt.getTime() + ctx.config.sessionHours * HOUR),
    format,
  });
  return recordOf(session);
}

type NewSession = sessions.NewSession & { readonly format: contract.UploadFormat };

async function insertWithinLimit(ctx: Context, session: NewSession): Promise<UploadSession> {
  try {
    return await transact(ctx.db, async (tx) => {
      await sessions.lockOpenings(tx, session.gameId);
      const open = await sessions.countOpenSessions(tx, session.gameId, session.openedAt);
      const max = ctx.config.limitSessions;
      if (max > 0 && !countLimit(ctx.metrics, 'open_sessions', open < max)) {
        throw errors.tooManySessions(
          `This game has ${open} open upload sessions, which is the limit. Complete or abort one.`,
          {
            data: { retry_after: SLOT_RETRY_SECONDS },
          },
        );
      }
      const opened = await sessions.insertSession(tx, session);
      if (session.format === 'blocks') await insertBundle(tx, session);
      await enforceQuota(ctx, tx, session.gameId);
      return opened;
    });
  } catch (error) {
    await ctx.blobs.delete(session.blob.key);
    throw orDeletedBuild(error);
  }
}

function recordOf(session: UploadSession): SessionRecord {
  return {
    session_id: session.session_id,
    expected_size: session.total_size,
    current_size: session.current_size,
    expires_at: session.expires_at.toISOString(),
  };
}

export const listUploadSessions = handle(contract.listUploadSessions, async (ctx, { caller, input }) => {
  const filter = {
    buildId: input.build_id ?? null,
    checksum: input.checksum === undefined ? null : canonicalChecksum(input.checksum),
  };
  const open = await sessions.listOpenSessions(ctx.db, caller.gameId, ctx.clock.now(), filter);
  return {
    sessions: open.map((session) => ({
      ...recordOf(session),
      build_id: session.build_id,
      filename: session.filename,
      checksum: session.checksum,
    })),
  };
});

export const getUploadSession = handle(contract.getUploadSession, async (ctx, { caller, input }) => {
  const session = await requireSession(ctx, caller, input.session_id);
  const bundle = await findBundle(ctx.db, caller.gameId, session.session_id);
  const state = stateOf(session, bundle);
  const fileId = bundle === undefined ? session.file_id : bundle.composed_file_id;
  const file = state !== 'done' || fileId === null ? null : await findFile(ctx.db, caller.gameId, fileId);
  const build = file === null ? null : await findBuild(ctx.db, caller.gameId, file.build_id);
  return {
    ...recordOf(session),
    state,
    file: file === null || build === null ? null : uploadedFileOf(file, build),
    error: bundle?.failure ?? null,
  };
});

function stateOf({ finished_at }: UploadSession, bundle: BundleRow | undefined): contract.SessionState {
  if (finished_at === null) return 'receiving';
  if (bundle === undefined || bundle.composed_file_id !== null) return 'done';
  return bundle.failure === null ? 'composing' : 'failed';
}

export const abortUploadSession = handle(contract.abortUploadSession, async (ctx, { caller, input }) => {
  const session = await requireSession(ctx, caller, input.session_id);
  if (session.finished_at !== null) throw unknownSession();
  const { release } = await lockSession(ctx, session);
  await dropSession(ctx, session).catch(async (error) => {
    await release();
    throw error;
  });
  return { session_id: session.session_id };
});

export const sweepSessionsJob = defineJob(
  'uploads:sweep-sessions',
  { attempts: 3, cron: '*/5 * * * *', lane: 'long', deletesOld: true },
  sweepSessions,
);
export const sweepBlobsJob = defineJob(
  'uploads:sweep-blobs',
  { attempts: 3, cron: '17 * * * *', lane: 'long', deletesOld: true },
  sweepBlobs,
);

const BATCH = 500;

/** Deletes expired sessions, with their bytes unless they became a file, or a job was to compose one from them. */
export async function sweepSessions(ctx: Context): Promise<void> {
  for (const session of await sessions.listExpired(ctx.db, ctx.clock.now(), BATCH)) {
    const { lock_process: holder } = session;
    // A chunk is still arriving. The session is swept in a later run.
    if (holder !== null && session.finished_at === null && (await isAlive(ctx.db, holder))) continue;
    if (session.finished_at === null) await dropSession(ctx, session);
    else await sessions.deleteUploadSession(ctx.db, session);
  }
}

/** Deletes blobs that belong to neither a file nor a session and have not been modified for a day. */
export function sweepBlobs(ctx: Context): Promise<void> {
  return sweepOrphans(ctx, FILES_PREFIX, async (keys) => {
    const fileIds = keys.map(fileIdOfKey);
    const referenced = (await existingFiles(ctx.db, fileIds)).union(await sessions.sessionFiles(ctx.db, fileIds));
    return new Set(keys.filter((key) => referenced.has(fileIdOfKey(key))));
  });
}
