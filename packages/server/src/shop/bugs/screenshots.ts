// Screenshots of bug tickets: players upload them to single-use addresses, and a job encodes them again, so that members
// never see a file as it was sent.
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { MAX_IMAGE_BYTES } from '@chauffeur/contract/image-rules';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/bugs';
import type { Context } from '../../context.ts';
import { bytesOf } from '../../kernel/blobs/byte-source.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { SECOND } from '../../kernel/clock.ts';
import { type Db, isMissingReference, transact } from '../../kernel/database/db.ts';
import { addJob, bindJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { PRIVATE_FILE, withWorkFolder } from '../../kernel/private-files.ts';
import { newId, timeOfId } from '../../kernel/secrets/ids.ts';
import { deriveKey, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { ThreadCrashError, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { BodyTooLargeError, receiveBody } from '../../request/body.ts';
import { perContext } from '../../request/per-context.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { sendBlob } from '../../request/send-blob.ts';
import { encodePreview, type PreviewResult } from '../../ship/media/media.ts';
import * as sql from './screenshots.sql.ts';

type Upload = NonNullable<OutputOf<typeof contract.fileBug>['uploads']['screenshots']>[number];
type Screenshot = OutputOf<typeof contract.getBugTicket>['screenshots'][number];

/** The prefix of the keys of all files of tickets. */
export const TICKET_PREFIX = 'bugs/';

const uploadKeyOf = perContext(({ secret }) => deriveKey(secret, 'screenshots of bug tickets'));

/** Addresses to which the player uploads the screenshots of a new ticket. Nothing is stored for them. */
export function screenshotUploads(ctx: Context, gameId: string, bugId: string, count: number): Upload[] {
  const now = ctx.clock.now().getTime();
  return Array.from({ length: count }, (_, index) => {
    const token = signToken(uploadKeyOf(ctx), Buffer.from(JSON.stringify([gameId, bugId, newId(now)])));
    return {
      url: `${ctx.publicUrl}/api/v1/public/bugs/screenshots/${token}`,
      method: 'PUT',
      expires_at: new Date(now + LIMITS.crashUploadSeconds * SECOND).toISOString(),
      max_bytes: MAX_IMAGE_BYTES,
      filename: `screenshot-${index + 1}`,
    };
  });
}

/** Null for a token that is invalid or has expired. */
function openUploadToken(ctx: Context, token: string): sql.ScreenshotRef | null {
  const payload = openToken(uploadKeyOf(ctx), token);
  if (payload === null) return null;
  const [gameId, bugId, screenshotId] = JSON.parse(payload.toString()) as [string, string, string];
  const end = timeOfId(screenshotId) + LIMITS.crashUploadSeconds * SECOND;
  return end <= ctx.clock.now().getTime() ? null : { gameId, bugId, screenshotId };
}

/**
 * Stores a screenshot as it was sent, for the job that encodes it. If two clients upload to the same address, the first
 * to finish wins. The address can be used again after an error.
 */
export const uploadBugScreenshot = stream(contract.uploadBugScreenshot, async (ctx, { input, request }) => {
  const ref = openUploadToken(ctx, input.token);
  if (ref === null || !(await sql.isExpected(ctx.db, ref))) throw unknownAddress();
  // Refused before it is transferred. A body without a length is measured as it arrives.
  if (Number(request.headers['content-length'] ?? 0) > MAX_IMAGE_BYTES) throw tooLarge();
  const key = `${TICKET_PREFIX}${ref.gameId}/${newId()}`;
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  const size = await receiveBody(request.raw, { maxBytes: MAX_IMAGE_BYTES, idleMs }, (body) =>
    ctx.blobs.put(key, body),
  ).catch(async (error: unknown) => {
    // What had arrived would otherwise stay until the sweep.
    await ctx.blobs.delete(key).catch((err) => ctx.log.warn({ err, key }, 'a screenshot could not be deleted'));
    throw error instanceof BodyTooLargeError ? tooLarge() : error;
  });
  if (size === 0) {
    await ctx.blobs.delete(key);
    throw errors.unreadableBody('The body contains no screenshot. Send the bytes of an image.');
  }
  const isAdded = await transact(ctx.db, async (tx) => {
    const isNew = await sql.insertScreenshot(tx, ref, { key, size, name: '' });
    if (isNew) await addJob(tx, encodeScreenshotJob, { gameId: ref.gameId, screenshotId: ref.screenshotId });
    return isNew;
  }).catch((error: unknown) => {
    // The ticket was deleted in the meantime.
    if (isMissingReference(error)) return false;
    // After other errors, it may have been added, so the blob is left to the sweep.
    throw error;
  });
  if (!isAdded) {
    await ctx.blobs.delete(key);
    throw unknownAddress();
  }
  ctx.metrics.uploadedBytes.inc({ way: 'image' }, size);
  return answer(200, { screenshot_uid: ref.screenshotId, size });
});

function unknownAddress(): ApiError {
  return errors.notFound('This upload address does not exist, has expired, or was already used.');
}

function tooLarge(): ApiError {
  return errors.tooLarge(`The screenshot is larger than ${MAX_IMAGE_BYTES / MIB} MB. Send a smaller one.`);
}

type EncodePayload = { gameId: string; screenshotId: string };

export const encodeScreenshotJob = defineJob<EncodePayload>('bugs:screenshot', {
  attempts: 6,
  lane: 'long',
  changes: 'bugs',
});

export const encodeScreenshotBinding = bindJob(encodeScreenshotJob, encodeScreenshot);

/** Safe to run twice, even concurrently: a screenshot gets one image, and a second one is deleted. */
export async function encodeScreenshot(ctx: Context, { gameId, screenshotId }: EncodePayload): Promise<void> {
  const source = await sql.findOriginal(ctx.db, gameId, screenshotId);
  if (source === undefined) return;
  await withWorkFolder(ctx.config.dataFolder, async (folder) => {
    const key = `${TICKET_PREFIX}${gameId}/${newId()}.webp`;
    const target = join(folder, 'image.webp');
    let result: PreviewResult;
    try {
      result = await encode(ctx, source, join(folder, 'image'), target);
    } catch (error) {
      // Another run has encoded it, or the game was deleted.
      if (error instanceof BlobMissingError) return;
      throw error;
    }
    const isRefused = 'refused' in result;
    if (!isRefused)
      await ctx.blobs.put(
        key,
        bytesOf(() => createReadStream(target)),
      );
    const isRecorded = await sql.recordImage(ctx.db, { gameId, screenshotId, source }, isRefused ? null : key, result);
    if (!isRecorded && !isRefused) await ctx.blobs.delete(key);
    if (isRecorded) await ctx.blobs.delete(source);
  });
}

async function encode(ctx: Context, key: string, source: string, target: string): Promise<PreviewResult> {
  await pipeline(await ctx.blobs.read(key), createWriteStream(source, { mode: PRIVATE_FILE }));
  try {
    return await encodePreview({ source, target });
  } catch (error) {
    if (error instanceof ThreadTimeoutError || error instanceof ThreadCrashError) {
      ctx.log.warn({ err: error, key }, 'a screenshot of a bug ticket could not be encoded');
      return { refused: 'The image takes too long or too much memory to decode.' };
    }
    throw error;
  }
}

export const sweepScreenshotsJob = defineJob(
  'bugs:sweep',
  { attempts: 3, cron: '41 * * * *', lane: 'long', deletesOld: true },
  sweepScreenshots,
);

/** Deletes blobs of tickets that have no row and are older than a day: leftovers of uploads and deleted tickets. */
export function sweepScreenshots(ctx: Context): Promise<void> {
  return sweepOrphans(ctx, TICKET_PREFIX, (keys) => sql.existingKeys(ctx.db, keys));
}

/** The screenshots of a ticket in the order in which they arrived. */
export async function listScreenshots(db: Db, gameId: string, bugId: string): Promise<Screenshot[]> {
  const found = await sql.listScreenshots(db, gameId, bugId);
  return found.map(({ screenshot_id, name, width, height, problem }) => ({
    screenshot_uid: screenshot_id,
    image: width === null || height === null ? null : { width, height },
    // Players and developers know a file that can't be shown by its name.
    problem: problem === null || name === '' ? problem : `${name}: ${problem}`,
  }));
}

/** Sends the image as the server encoded it, never as it arrived. */
export const getBugScreenshot = stream(contract.getBugScreenshot, async (ctx, { caller, input, request, reply }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const image = await sql.findImage(ctx.db, game.game_id, input.bug_uid, input.screenshot_uid);
  if (image?.blob_key == null) throw unknownScreenshot();
  reply.header('cache-control', 'private, max-age=3600');
  reply.header('content-security-policy', "default-src 'none'; sandbox");
  try {
    return await sendBlob(ctx.blobs, request, reply, {
      key: image.blob_key,
      size: image.size!,
      etag: `"${input.screenshot_uid.toLowerCase()}"`,
      filename: 'screenshot.webp',
      contentType: 'image/webp',
      signedSeconds: null,
    });
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error;
    for (const name of ['etag', 'content-disposition', 'content-length', 'cache-control']) reply.removeHeader(name);
    throw unknownScreenshot(error);
  }
});

function unknownScreenshot(cause?: unknown): ApiError {
  return errors.notFound('screenshot_uid: this ticket has no such screenshot, or it cannot be shown.', { cause });
}
