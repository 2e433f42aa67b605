// Scans one uploaded video: pending → clean, infected, error or unscanned. Until then, only members see that it exists.
import type { Context } from '../../context.ts';
import { transact } from '../../kernel/database/db.ts';
import { type Attempt, defineJob } from '../../kernel/jobs/jobs.ts';
import { type Alert, raiseAlerts } from '../../notify/alerts/alerts.ts';
import { scanVideo, type VideoScan } from '../scans/scans.ts';
import type { VideoRow } from './videos.sql.ts';
import * as sql from './videos.sql.ts';

type Payload = { videoId: string };

/** With delays of e^n seconds, the attempts cover an outage of the scanner of about a day. */
export const scanVideoJob = defineJob('videos:scan', { attempts: 12, lane: 'long' }, scanUploadedVideo);

/** Safe to run twice: after a completed scan it only deletes the blob of a rejected video. */
export async function scanUploadedVideo(ctx: Context, { videoId }: Payload, attempt: Attempt): Promise<void> {
  const video = await sql.findVideo(ctx.db, videoId);
  if (video === undefined) return;
  if (video.scan_state === 'pending') {
    const scan = await scanVideo(ctx, { key: video.blob_key, size: video.size }, attempt);
    await transact(ctx.db, async (tx) => {
      const isRecorded = await sql.updateScanState(tx, video, scan);
      if (isRecorded && isRejected(scan.state)) await raiseAlerts(tx, video.game_id, [rejectionOf(ctx, video, scan)]);
    });
    ctx.log.info({ game: video.game_id, video: videoId, ...scan }, 'scan of a video ended');
  }
  // The state is recorded first, so a video that players see always has its blob.
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
