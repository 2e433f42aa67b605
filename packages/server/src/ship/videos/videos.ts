// Uploaded videos of a game, in an order chosen by the developer. A video is `pending` until a job has scanned it. Then
// it is `clean` or `unscanned`, and players see it, or it is `infected` or `error`, and its bytes are deleted.
import { type ApiError, errors, isError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/videos';
import type { Caller, Context } from '../../context.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { type Attempt, addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { type Alert, raiseAlerts } from '../../notify/alerts/alerts.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { type Game, requireMember, requireVisible } from '../../people/game-access/game-access.ts';
import { auditChanges } from '../../request/audit.ts';
import type { Reader } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { scanVideo, type VideoScan } from '../scans/scans.ts';
import { enforceQuota } from '../usage/usage.ts';
import * as sql from './videos.sql.ts';

export type VideoRow = sql.VideoRow;
/** A video with a durable blob but without a row. */
export type NewVideo = sql.NewVideo;
export type VideoSet = OutputOf<typeof contract.listGameVideos>;
export type PublicVideo = Omit<VideoSet['videos'][number], 'filename' | 'position' | 'status' | 'detail'>;

export const listVideos = handle(contract.listVideos, async (ctx, { caller }) => {
  return videoSetOf(ctx, await sql.listVideos(ctx.db, caller.gameId));
});

export const listGameVideos = handle(contract.listGameVideos, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return videoSetOf(ctx, await sql.listVideos(ctx.db, game.game_id));
});

/** The videos that players see. The caller must have checked that the game is visible. */
export async function publicVideos(ctx: Reader, gameId: string): Promise<PublicVideo[]> {
  const videos = await sql.listVideos(ctx.db, gameId);
  return videos.filter(isOffered).map((video) => publicRecordOf(ctx, video));
}

function isOffered({ scan_state }: VideoRow): boolean {
  return scan_state === 'clean' || scan_state === 'unscanned';
}

function videoSetOf(ctx: Context, videos: readonly VideoRow[]): VideoSet {
  return { videos: videos.map((video) => recordOf(ctx, video)) };
}

function recordOf(ctx: Context, video: VideoRow): VideoSet['videos'][number] {
  const { filename, position, scan_state: status, scan_detail: detail } = video;
  return { ...publicRecordOf(ctx, video), filename, position, status, detail };
}

function publicRecordOf({ publicUrl }: Pick<Reader, 'publicUrl'>, video: VideoRow): PublicVideo {
  const { video_id: uid, content_type, width, height, duration_ms, size, uploaded_at } = video;
  return {
    uid,
    url: `${publicUrl}/api/v1/public/videos/${uid}`,
    content_type,
    width,
    height,
    duration_seconds: duration_ms === null ? null : duration_ms / 1000,
    size,
    uploaded_at: uploaded_at.toISOString(),
  };
}

/** Throws `mediaFull` if the game has the maximum number of videos. */
export async function requireSpace(db: Db, gameId: string): Promise<void> {
  const { length } = await sql.listVideos(db, gameId);
  if (length < LIMITS.videoFiles) return;
  throw errors.mediaFull(`The game has ${length} of at most ${LIMITS.videoFiles} videos. Delete one first.`);
}

/**
 * Adds a video, whose blob must already be durable, and enqueues its scan. Throws `mediaFull` if the game has the
 * maximum number of videos, and `storageLimitReached` if the video exceeds the storage quota; the caller then deletes
 * the blob.
 */
export async function saveVideo(ctx: Context, video: NewVideo): Promise<OutputOf<typeof contract.addVideo>> {
  const { game_id: gameId } = video;
  const { added, all } = await transact(ctx.db, async (tx) => {
    await sql.lockVideos(tx, gameId);
    await requireSpace(tx, gameId);
    const added = await sql.insertVideo(tx, video);
    await enforceQuota(ctx, tx, gameId);
    auditChanges({}, { video: added.filename, size: added.size, checksum: added.checksum });
    await addJob(tx, scanVideoJob, { videoId: added.video_id });
    return { added, all: await sql.listVideos(tx, gameId) };
  });
  return { added: recordOf(ctx, added), ...videoSetOf(ctx, all) };
}

/** Throws `notFound`. */
export const deleteVideo = handle(contract.deleteVideo, (ctx, { caller, input }) => {
  return removeVideo(ctx, caller.gameId, input.uid);
});

/** Throws `notFound`. */
export const deleteGameVideo = handle(contract.deleteGameVideo, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return removeVideo(ctx, game.game_id, input.video);
});

async function removeVideo(ctx: Context, gameId: string, uid: string): Promise<VideoSet> {
  const { deleted, remaining } = await changeVideos(ctx, gameId, async (tx, videos) => {
    const deleted = videos.find(({ video_id }) => video_id === uid.toLowerCase());
    if (deleted === undefined) throw unknownVideo();
    await sql.deleteVideo(tx, deleted);
    return { deleted, remaining: await sql.listVideos(tx, gameId) };
  });
  await dropBlob(ctx, deleted.blob_key);
  return videoSetOf(ctx, remaining);
}

/** Throws `wrongOrder` unless the order names each of the videos exactly once. */
export const orderVideos = handle(contract.orderVideos, (ctx, { caller, input }) => {
  return sortVideos(ctx, caller.gameId, input.order);
});

/** Throws `wrongOrder` unless the order names each of the videos exactly once. */
export const orderGameVideos = handle(contract.orderGameVideos, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return sortVideos(ctx, game.game_id, input.order);
});

function sortVideos(ctx: Context, gameId: string, uids: readonly string[]): Promise<VideoSet> {
  const order = uids.map((uid) => uid.toLowerCase());
  return changeVideos(ctx, gameId, async (tx, videos) => {
    const existing = new Set(videos.map(({ video_id }) => video_id));
    if (order.length !== existing.size || new Set(order).symmetricDifference(existing).size > 0)
      throw errors.wrongOrder(
        `order: must name each of the ${existing.size} videos exactly once. List the videos and send all their uids.`,
      );
    await sql.updateVideoOrder(tx, gameId, order);
    return videoSetOf(ctx, await sql.listVideos(tx, gameId));
  });
}

/** Runs `work` on the current videos of the game while other changes are blocked. */
function changeVideos<T>(ctx: Context, gameId: string, work: (tx: Tx, videos: VideoRow[]) => Promise<T>): Promise<T> {
  return transact(ctx.db, async (tx) => {
    await sql.lockVideos(tx, gameId);
    return work(tx, await sql.listVideos(tx, gameId));
  });
}

/** Returns a video that passed its scan, of a game that the caller may see. Throws `notFound`. */
export async function requireVisibleVideo(
  ctx: Context,
  caller: Caller,
  videoId: string,
): Promise<{ video: VideoRow; game: Game }> {
  const video = await sql.findVideo(ctx.db, videoId);
  if (video === undefined || !isOffered(video)) throw unknownVideo();
  const game = await findGame(ctx.db, video.game_id);
  if (game === null) throw unknownVideo();
  await requireVisible(ctx, game, caller).catch((error: unknown) => {
    throw isError(error, 'notFound') ? unknownVideo(error) : error;
  });
  return { video, game };
}

export function unknownVideo(cause?: unknown): ApiError {
  return errors.notFound("uid: this video does not exist, or you don't have access to it.", { cause });
}

/** Deletes a blob without a row. If this fails, the sweep deletes it later. */
export async function dropBlob(ctx: Context, key: string): Promise<void> {
  await ctx.blobs.delete(key).catch((err) => ctx.log.warn({ err, key }, 'the blob of a video could not be deleted'));
}

type Payload = { videoId: string };

/** The attempts have delays of e^n seconds, and cover an outage of the scanner of about a day. */
export const scanVideoJob = defineJob('videos:scan', { attempts: 12, lane: 'long' }, scanUploadedVideo);

/** Safe to run twice: after a completed scan it only deletes the blob of a rejected video. */
export async function scanUploadedVideo(ctx: Context, { videoId }: Payload, attempt: Attempt): Promise<void> {
  const video = await sql.findVideo(ctx.db, videoId);
  if (video === undefined) return;
  if (video.scan_state === 'pending') {
    const scan = await scanVideo(ctx, { key: video.blob_key, size: video.size }, attempt);
    await transact(ctx.db, async (tx) => {
      const isRecorded = await sql.updateVideoScanState(tx, video, scan);
      if (isRecorded && isRejected(scan.state)) await raiseAlerts(tx, video.game_id, [rejectionOf(ctx, video, scan)]);
    });
    ctx.log.info({ game: video.game_id, video: videoId, ...scan }, 'scan of a video ended');
  }
  // The state changes before the blob is deleted, so a video that players see always has its blob.
  const settled = await sql.findVideo(ctx.db, videoId);
  if (settled !== undefined && isRejected(settled.scan_state)) await ctx.blobs.delete(settled.blob_key);
}

function isRejected(state: VideoRow['scan_state']): boolean {
  return state === 'infected' || state === 'error';
}

function rejectionOf({ clock }: Context, { video_id, filename }: VideoRow, { detail }: VideoScan): Alert {
  return {
    kind: 'upload_rejected',
    subject: video_id,
    happenedAt: clock.now(),
    data: { video_id, filename, detail: detail ?? '' },
  };
}

export const sweepVideosJob = defineJob(
  'videos:sweep',
  { attempts: 3, cron: '31 * * * *', lane: 'long', deletesOld: true },
  sweepVideos,
);

/**
 * Deletes the blobs below `videos/` that are older than a day and have no row, or that of a rejected video. Interrupted
 * uploads and deletions leave some.
 */
export function sweepVideos(ctx: Context): Promise<void> {
  return sweepOrphans(ctx, sql.VIDEO_PREFIX, async (keys) => {
    const kept = await sql.keptVideos(ctx.db, keys.map(sql.videoIdOf));
    return new Set(keys.filter((key) => kept.has(sql.videoIdOf(key))));
  });
}
