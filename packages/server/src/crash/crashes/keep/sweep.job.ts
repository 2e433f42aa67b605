// Deletes files that belong to no report, of uploads that did not finish and of deleted reports, and names of reports
// that clients no longer repeat.
import type { Context } from '../../../context.ts';
import { sweepOrphans } from '../../../kernel/blobs/sweep.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { REPEATED_WITHIN } from '../receive/create.ts';
import { deleteNames } from '../receive/once.ts';
import { CRASH_PREFIX, keysOf } from '../report/files.ts';
import { filesOf } from './delete.sql.ts';

export const sweepCrashesJob = defineJob(
  'crashes:sweep',
  { attempts: 3, cron: '7 5 * * *', lane: 'long', deletesOld: true },
  sweepCrashes,
);

/** Deletes blobs below `crashes/` that are older than a day and belong to no report, and names of older reports. */
export async function sweepCrashes(ctx: Context): Promise<void> {
  // The clocks of processes differ.
  await deleteNames(ctx.db, new Date(ctx.clock.now().getTime() - 2 * REPEATED_WITHIN));
  await sweepOrphans(ctx, CRASH_PREFIX, async (keys) => {
    const reportIds = new Set(keys.map(reportIdOf).filter(isUuid));
    return new Set((await filesOf(ctx.db, [...reportIds])).flatMap(keysOf));
  });
}

/** Returns the report of a key such as `crashes/2026_11/3f/<report id>.<name>`. */
function reportIdOf(key: string): string {
  return key.split('/')[3]?.split('.')[0] ?? '';
}
