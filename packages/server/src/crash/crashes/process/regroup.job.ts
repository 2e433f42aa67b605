// Groups reports again after the grouping rules changed, of all games or of one, in batches, from their stored
// stacks and texts.
import type { Context } from '../../../context.ts';
import type { Db } from '../../../kernel/database/db.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { type DumpNotes, notesToAdd } from '../groups/dump-notes.ts';
import type { DumpSystem } from '../groups/facet-rules.ts';
import { type GameRules, readRules } from '../groups/game-rules.sql.ts';
import { type Grouping, groupByText } from '../groups/grouping.ts';
import { groupingFieldsOf } from '../groups/messages.sql.ts';
import { type StoredTrace, storedTraceOf } from '../groups/stored-trace.ts';
import { readFacets } from './facets.ts';
import { rememberNewFunctions } from './functions.ts';
import { readTrace } from './read-trace.ts';
import { listOutdated, type OutdatedRow, recordRegrouping } from './regroup.sql.ts';
import { regroupStack } from './walk.ts';

/** `before` is the last report of the previous batch; null for the first batch. */
type Payload = { gameId: string; before: string | null };

export const regroupJob = defineJob(
  'crashes:regroup',
  { attempts: 6, lane: 'long', changes: 'crashes' },
  regroupReports,
);

const BATCH = 100;

/** A queued job of the game begins again with the newest report. */
export async function enqueueRegrouping(db: Db, gameId: string): Promise<void> {
  await addJob(db, regroupJob, { gameId, before: null }, keyOfRegrouping(gameId));
}

export function keyOfRegrouping(gameId: string): string {
  return `${regroupJob.task}/${gameId}`;
}

/** Safe to run twice and alongside other processing: reports that the current rules have grouped are skipped. */
export async function regroupReports(ctx: Context, { gameId, before }: Payload): Promise<void> {
  const rules = await readRules(ctx.db, gameId);
  const reports = await listOutdated(ctx.db, gameId, { rulesVersion: rules.version, before, limit: BATCH });
  for (const report of reports) {
    const read = await groupAgain(ctx, report, rules);
    if (read === null) continue;
    const notes = read.notes && notesToAdd(report, read.notes);
    const metadata = { ...notes?.metadata, ...report.metadata };
    const facets = await readFacets(ctx, gameId, { ...report, metadata }, read.system);
    if (read.stored !== null) await rememberNewFunctions(ctx, gameId, read.stored.functions);
    await recordRegrouping(ctx.db, gameId, report, { grouping: read.grouping, stored: read.stored, facets, notes });
  }
  const oldest = reports.at(-1)?.report_id;
  if (reports.length === BATCH && oldest !== undefined)
    await addJob(ctx.db, regroupJob, { gameId, before: oldest }, keyOfRegrouping(gameId));
}

/** `stored` is what was read from the texts of a report without a stack; null for one with a stack. */
type Read = { grouping: Grouping; system: DumpSystem | null; stored: StoredTrace | null; notes: DumpNotes | null };

/** Null if the stored stack cannot be read: the report stays in its group, and the log says why. */
async function groupAgain(ctx: Context, report: OutdatedRow, rules: GameRules): Promise<Read | null> {
  const fields = groupingFieldsOf(report);
  if (report.stack_key === null) {
    const stored = storedTraceOf(await readTrace(ctx, report));
    return { grouping: groupByText(fields, stored.trace, rules), system: null, stored, notes: null };
  }
  const reading = await regroupStack(ctx, { stackKey: report.stack_key, fields, rules });
  if (reading.outcome === 'walked') return { grouping: reading.grouping, ...reading.excerpt, stored: null };
  ctx.log.warn({ report: report.report_id, reason: reading.reason }, 'a report could not be regrouped');
  return null;
}
