// Deletes unreferenced image blobs: leftovers of interrupted uploads and of deleted images.
import type { Context } from '../../context.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { imageIdOf, MEDIA_PREFIX } from './blob-key.ts';
import { existingImages } from './media.sql.ts';

export const sweepMediaJob = defineJob(
  'media:sweep',
  { attempts: 3, cron: '29 * * * *', lane: 'long', deletesOld: true },
  sweepMedia,
);

/** Deletes the blobs below `media/` that have no row and are older than a day. */
export function sweepMedia(ctx: Context): Promise<void> {
  return sweepOrphans(ctx, MEDIA_PREFIX, async (keys) => {
    const referenced = await existingImages(ctx.db, keys.map(imageIdOf));
    return new Set(keys.filter((key) => referenced.has(imageIdOf(key))));
  });
}
