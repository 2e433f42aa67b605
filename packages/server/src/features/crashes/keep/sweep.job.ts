// Deletes files that belong to no report: of uploads that did not finish, and of deleted reports.
import type { Context } from '../../../context.ts';
import { sweepOrphans } from '../../../kernel/blobs/sweep.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { CRASH_PREFIX, keysOf } from '../report/files.ts';
import { filesOf } from './delete.sql.ts';

export const sweepCrashesJob = defineJob<object>('crashes:sweep', 3);

/** Deletes blobs below `crashes/` that are older than a day and belong to no report. */
export function sweepCrashes(ctx: Context): Promise<void> {
  return sweepOrphans(ctx, CRASH_PREFIX, async (keys) => {
    const reportIds = new Set(keys.map(reportIdOf).filter(isUuid));
    return new Set((await filesOf(ctx.db, [...reportIds])).flatMap(keysOf));
  });
}

/** From a key such as `crashes/2026_11/3f/<report id>.<name>`. */
function reportIdOf(key: string): string {
  return key.split('/')[3]?.split('.')[0] ?? '';
}
