// Removes the blobs of images that no game has: of uploads that did not end, and of images whose blob outlived them.
import type { Context } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs.ts';
import { imageIdOf, MEDIA_PREFIX } from './blob-key.ts';
import { existingImages } from './media.ts';

export const sweepMediaJob = defineJob<object>('media:sweep', 3);

const BATCH = 500;
/** A blob is written moments before its row. */
const ORPHAN_HOURS = 24;

/** Deletes the blobs below `media/` that have no row and are older than a day. */
export async function sweepMedia(ctx: Context): Promise<void> {
  const before = ctx.clock.now().getTime() - ORPHAN_HOURS * HOUR;
  let batch: string[] = [];
  for await (const { key, modifiedAt } of ctx.blobs.list(MEDIA_PREFIX)) {
    if (modifiedAt.getTime() < before) batch.push(key);
    if (batch.length < BATCH) continue;
    await deleteOrphans(ctx, batch);
    batch = [];
  }
  await deleteOrphans(ctx, batch);
}

async function deleteOrphans(ctx: Context, keys: readonly string[]): Promise<void> {
  const known = await existingImages(ctx, keys.map(imageIdOf));
  for (const key of keys.filter((candidate) => !known.has(imageIdOf(candidate)))) {
    ctx.log.info({ key }, 'removing a blob that no image has');
    await ctx.blobs.delete(key);
  }
}
