// The streaming routes of videos: the form that adds a video, and the files.
import { ApiError, CODES, errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/videos';
import { refuseVideo, VIDEO_TOO_LARGE } from '@chauffeur/contract/video-rules';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import { BlobMissingError, type BlobSettings } from '../../kernel/blobs/store.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { runInThread, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import { requireMember, requireVerifiedOwner, unknownGame } from '../../people/game-access/game-access.ts';
import { readForm } from '../../request/form.ts';
import { type Answer, answer } from '../../request/perform.ts';
import { createReceiver, type Receiver, storeBytes } from '../../request/receive-bytes.ts';
import { stream } from '../../request/route.ts';
import { sendBlob } from '../../request/send-blob.ts';
import { findFilenameProblem } from '../../request/text-rules.ts';
import { type FreeStorage, requireFreeStorage } from '../usage/usage.ts';
import type { VideoReading } from './read-video.ts';
import { videoBlobKey } from './videos.sql.ts';
import { dropBlob, type NewVideo, requireSpace, requireVisibleVideo, saveVideo, unknownVideo } from './videos.ts';

type Added = OutputOf<typeof contract.addVideo>;

/** The maximum size of the part headers of a form, in addition to its file. */
const FORM_BYTES = MIB;

/** `POST …/tool/videos`. */
export const addVideo = stream(contract.addVideo, (ctx, { caller, request }) => {
  return receiveVideo(ctx, caller.gameId, request);
});

/** `POST …/games/{uid}/videos`: adds a video on the website. */
export const addGameVideo = stream(contract.addGameVideo, async (ctx, { caller, input, request }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return receiveVideo(ctx, game.game_id, request);
});

/** Refuses whatever it can before the bytes arrive. */
async function receiveVideo(ctx: Context, gameId: string, request: FastifyRequest): Promise<Answer<Added>> {
  await requireVerifiedOwner(ctx, gameId);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > LIMITS.videoBytes + FORM_BYTES) throw tooLarge();
  await requireSpace(ctx.db, gameId);
  const storage = await requireFreeStorage(ctx, gameId, Math.max(1, announced - FORM_BYTES));
  await countUse(ctx, ctx.db, gameId, { name: 'media uploads', max: ctx.config.limitMedia, windowSeconds: 3600 });

  const video = await storeVideo(ctx, gameId, storage, request);
  const added = await saveVideo(ctx, video).catch(async (error: unknown) => {
    // After any other error, the row may exist, so the sweep deletes the blob if it doesn't.
    if (error instanceof ApiError) await dropBlob(ctx, video.blob_key);
    throw error;
  });
  ctx.metrics.uploadedBytes.inc({ way: 'video' }, video.size);
  return answer(201, added);
}

/** Stores the video of the form, without a row, if browsers can play it. */
async function storeVideo(
  ctx: Context,
  gameId: string,
  storage: FreeStorage,
  request: FastifyRequest,
): Promise<NewVideo> {
  const id = newId();
  const key = videoBlobKey(gameId, id);
  const receiver = createReceiver({
    maxBytes: Math.min(LIMITS.videoBytes, storage.bytes),
    tooLarge: storage.bytes < LIMITS.videoBytes ? storage.exceeded : tooLarge,
  });
  try {
    const filename = await storeForm(ctx, key, receiver, request);
    const reading = await inspectVideo(ctx.blobs.settings, key);
    if ('refused' in reading) throw errors.videoRefused(`${filename}: ${reading.refused}`);
    const { type, width, height, seconds } = reading;
    return {
      game_id: gameId,
      video_id: id,
      filename,
      content_type: type,
      width,
      height,
      duration_ms: seconds === null ? null : Math.round(seconds * 1000),
      size: receiver.size,
      checksum: receiver.hash!.digest('hex'),
      blob_key: key,
    };
  } catch (error) {
    await dropBlob(ctx, key);
    // The blobs of a deleted game are removed at any moment.
    throw error instanceof BlobMissingError ? unknownGame(error) : error;
  }
}

/** Stores the only file of the form while it arrives, and returns its name. */
async function storeForm(ctx: Context, key: string, receiver: Receiver, request: FastifyRequest): Promise<string> {
  let filename = '';
  await readForm(ctx, request, {
    maxBytes: LIMITS.videoBytes + FORM_BYTES,
    invalid: CODES.invalidMedia,
    async onFile(part) {
      const problem = findFilenameProblem(part.filename);
      if (problem !== null) throw errors.invalidMedia(problem);
      filename = part.filename;
      const upload = await storeBytes(ctx.blobs, await ctx.blobs.begin(key), receiver, part.bytes);
      await ctx.blobs.complete(upload);
    },
  });
  return filename;
}

function tooLarge(): ApiError {
  return errors.videoRefused(refuseVideo(VIDEO_TOO_LARGE));
}

/**
 * `GET …/public/videos/{uid}`. The bytes under a uid never change, so they are cached, except those of drafts. As with
 * images, signed URLs of a blob store would differ each time and defeat caching.
 */
export const downloadVideo = stream(contract.downloadVideo, async (ctx, { caller, input: { uid }, request, reply }) => {
  const { video, game } = await requireVisibleVideo(ctx, caller, uid);
  const isDraft = game.visibility === 'draft';
  reply.header('cache-control', isDraft ? 'private, no-cache' : 'public, max-age=31536000, immutable');
  if (isDraft) reply.header('vary', 'Authorization, Cookie, X-Access-Token');
  reply.header('content-security-policy', "default-src 'none'; sandbox");
  try {
    return await sendBlob(ctx.blobs, request, reply, {
      key: video.blob_key,
      size: video.size,
      etag: `"${video.video_id}"`,
      contentType: video.content_type,
      filename: video.filename,
      signedSeconds: null,
    });
  } catch (cause) {
    // The video was deleted after its row was read.
    throw cause instanceof BlobMissingError ? unknownVideo(cause) : cause;
  }
});

/** The input of the thread. */
export type VideoInspection = { blobSettings: BlobSettings; key: string };

const THREAD = new URL('./inspect-video.thread.ts', import.meta.url);
/** The heap can be small, because bytes are read into buffers, which are outside it. */
const THREAD_LIMITS = { timeoutMs: 60_000, maxHeapMb: 64 };

/**
 * What the container of the video under `key` says. Rejects with BlobMissingError, with the errors of the blob store,
 * with `unavailable` if it doesn't respond, and with ThreadCrashError.
 */
export async function inspectVideo(blobSettings: BlobSettings, key: string): Promise<VideoReading> {
  const input: VideoInspection = { blobSettings, key };
  try {
    return await runInThread(THREAD, input, THREAD_LIMITS, BLOB_FAILURES);
  } catch (cause) {
    // The container is read in milliseconds. The rest is waiting for the blob store.
    throw cause instanceof ThreadTimeoutError ? errors.unavailable(undefined, { cause }) : cause;
  }
}
