// The SQL of uploaded videos, and the keys of their blobs.
import type { VIDEO_STATES } from '@chauffeur/contract/operations/videos';
import type { VideoType } from '@chauffeur/contract/video-rules';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type VideoRow = {
  game_id: string;
  video_id: string;
  /** The position on the page, from 0 without gaps. */
  position: number;
  filename: string;
  content_type: VideoType;
  width: number;
  height: number;
  duration_ms: number | null;
  size: number;
  /** The SHA-256 in hexadecimal. */
  checksum: string;
  blob_key: string;
  scan_state: (typeof VIDEO_STATES)[number];
  scan_detail: string | null;
  uploaded_at: Date;
};

export type NewVideo = Omit<VideoRow, 'position' | 'scan_state' | 'scan_detail' | 'uploaded_at'>;

const columns = sql.raw(
  'game_id, video_id, position, filename, content_type, width, height, duration_ms, size, checksum, blob_key, scan_state, scan_detail, uploaded_at',
);

/** The videos whose bytes are kept: those of rejected ones are deleted. */
const kept = sql`scan_state not in ('infected', 'error')`;

/** Selects the blobs that rows refer to. */
export const videoBlobs = sql`select blob_key as key, size, checksum as sha256, null::text as packing from videos
  where ${kept}`;

/** Serializes changes to the videos of one game, so that they keep their limit and order. */
export async function lockVideos(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`videos/${gameId}`}, 0))`);
}

/** All videos of a game in order. */
export function listVideos(db: Db, gameId: string): Promise<VideoRow[]> {
  return rows(db, sql<VideoRow>`select ${columns} from videos where game_id = ${gameId} order by position`);
}

export function findVideo(db: Db, videoId: string): Promise<VideoRow | undefined> {
  return row(db, sql<VideoRow>`select ${columns} from videos where video_id = ${videoId}`);
}

/** Adds a video after the others. */
export function insertVideo(tx: Tx, video: NewVideo): Promise<VideoRow> {
  return onlyRow(
    tx,
    sql<VideoRow>`insert into videos
        (game_id, video_id, position, filename, content_type, width, height, duration_ms, size, checksum, blob_key)
      values (${video.game_id}, ${video.video_id}, (select count(*) from videos where game_id = ${video.game_id}),
        ${video.filename}, ${video.content_type}, ${video.width}, ${video.height}, ${video.duration_ms}, ${video.size},
        ${video.checksum}, ${video.blob_key})
      returning ${columns}`,
  );
}

/** Deletes a video; later ones move up. */
export async function deleteVideo(tx: Tx, { game_id, video_id, position }: VideoRow): Promise<void> {
  await changed(tx, sql`delete from videos where game_id = ${game_id} and video_id = ${video_id}`);
  await changed(
    tx,
    sql`update videos set position = position - 1 where game_id = ${game_id} and position > ${position}`,
  );
}

/** Sorts the videos in the order of `videoIds`. */
export async function updateVideoOrder(tx: Tx, gameId: string, videoIds: readonly string[]): Promise<void> {
  await changed(
    tx,
    sql`update videos set position = rank - 1
      from unnest(${videoIds}::uuid[]) with ordinality as requested (requested_id, rank)
      where game_id = ${gameId} and video_id = requested_id`,
  );
}

/** Records the result of a scan. False if there is one already, or the video was deleted in the meantime. */
export async function updateVideoScanState(
  tx: Tx,
  { game_id, video_id }: VideoRow,
  { state, detail }: { state: VideoRow['scan_state']; detail: string | null },
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update videos set scan_state = ${state}, scan_detail = ${detail}
      where game_id = ${game_id} and video_id = ${video_id} and scan_state = 'pending'`,
  );
  return count === 1;
}

/** Returns the video ids whose blobs are kept. */
export async function keptVideos(db: Db, videoIds: readonly string[]): Promise<Set<string>> {
  const existing = await rows(
    db,
    sql<{ video_id: string }>`select video_id from videos where video_id = any(${videoIds}::uuid[]) and ${kept}`,
  );
  return new Set(existing.map(({ video_id }) => video_id));
}

export const VIDEO_PREFIX = 'videos/';

export function videoBlobKey(gameId: string, videoId: string): string {
  return `${VIDEO_PREFIX}${gameId}/${videoId}`;
}

/** The video id in a key from `blobKeyOf`. */
export function videoIdOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
