// Reads the trace of a report without a dump, from its texts or from the end of its log.
import type { Context } from '../../../context.ts';
import type { GroupingRow } from '../report/jobs.ts';
import { hasFrames, traceOfReport } from '../text/report-text.ts';
import type { Trace } from '../text/trace.ts';
import { readLogTrace } from './walk.ts';

/**
 * Null if no text has one. A log can be long, so a thread reads it, and only if nothing else has a trace. Of a log, a trace
 * without frames counts only if there is no message. Rejects if the storage is unavailable.
 */
export async function readTrace(ctx: Context, report: GroupingRow): Promise<Trace | null> {
  const trace = traceOfReport(report);
  if (trace !== null || report.log_key === null) return trace;
  const ofLog = await readLogTrace(ctx, { logKey: report.log_key, logSize: report.log_size ?? 0 });
  return hasFrames(ofLog) || report.message === '' ? ofLog : null;
}
