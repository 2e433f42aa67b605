// Removes files that no crash report has: of uploads that did not end, and of reports that their files outlived.
import type { Context } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { isUuid } from '../../kernel/ids.ts';
import { defineJob } from '../../kernel/jobs.ts';
import { keysOf } from './blobs.ts';
import { filesOf } from './reading.sql.ts';
import { CRASH_PREFIX } from './store-file.ts';

export const sweepCrashesJob = defineJob<object>('crashes:sweep', 3);

const BATCH = 500;
/** A file is stored moments before its row has it. */
const ORPHAN_HOURS = 24;

/** Deletes the blobs below `crashes/` that no report has and that are older than a day. */
export async function sweepCrashes(ctx: Context): Promise<void> {
  const before = ctx.clock.now().getTime() - ORPHAN_HOURS * HOUR;
  let batch: string[] = [];
  for await (const { key, modifiedAt } of ctx.blobs.list(CRASH_PREFIX)) {
    if (modifiedAt.getTime() < before) batch.push(key);
    if (batch.length < BATCH) continue;
    await deleteOrphans(ctx, batch);
    batch = [];
  }
  await deleteOrphans(ctx, batch);
}

async function deleteOrphans(ctx: Context, keys: readonly string[]): Promise<void> {
  const reportIds = new Set(keys.map(reportIdOf).filter(isUuid));
  const known = new Set((await filesOf(ctx.db, [...reportIds])).flatMap(keysOf));
  for (const key of keys.filter((candidate) => !known.has(candidate))) {
    ctx.log.info({ key }, 'removing a file that no crash report has');
    await ctx.blobs.delete(key);
  }
}

/** Of a key such as `crashes/2026_11/3f/<report id>.<name>`. */
function reportIdOf(key: string): string {
  return key.split('/')[3]?.split('.')[0] ?? '';
}
