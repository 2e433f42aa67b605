// Deletes unreferenced blobs of videos: leftovers of interrupted uploads, and of deleted and rejected videos.
import type { Context } from '../../context.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { VIDEO_PREFIX, videoIdOf } from './blob-key.ts';
import { keptVideos } from './videos.sql.ts';

export const sweepVideosJob = defineJob(
  'videos:sweep',
  { attempts: 3, cron: '31 * * * *', lane: 'long', deletesOld: true },
  sweepVideos,
);

/** Deletes the blobs below `videos/` that have no row and are older than a day. */
export function sweepVideos(ctx: Context): Promise<void> {
  return sweepOrphans(ctx, VIDEO_PREFIX, async (keys) => {
    const kept = await keptVideos(ctx.db, keys.map(videoIdOf));
    return new Set(keys.filter((key) => kept.has(videoIdOf(key))));
  });
}
