// Removes files that no crash report has: of uploads that did not end, and of reports that their files outlived.
import type { Context } from '../../../context.ts';
import { sweepOrphans } from '../../../kernel/blobs/sweep.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import { filesOf } from '../read/reading.sql.ts';
import { CRASH_PREFIX } from '../receive/store-file.ts';
import { keysOf } from './blobs.ts';

export const sweepCrashesJob = defineJob<object>('crashes:sweep', 3);

/** Deletes the blobs below `crashes/` that no report has and that are older than a day. */
export function sweepCrashes(ctx: Context): Promise<void> {
  return sweepOrphans(ctx, CRASH_PREFIX, async (keys) => {
    const reportIds = new Set(keys.map(reportIdOf).filter(isUuid));
    return new Set((await filesOf(ctx.db, [...reportIds])).flatMap(keysOf));
  });
}

/** Of a key such as `crashes/2026_11/3f/<report id>.<name>`. */
function reportIdOf(key: string): string {
  return key.split('/')[3]?.split('.')[0] ?? '';
}
