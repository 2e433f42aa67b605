// Reads the threads of a processed dump from its stored report: their list, and one thread whole.
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/crash-stacks';
import type { Report } from '@chauffeur/minidump/report';
import type { AccountCaller, Context } from '../../../context.ts';
import { handle } from '../../../request/route.ts';
import { readStoredReport } from '../process/stored-report.ts';
import { noSuchFile, unknownThread } from './not-found.ts';
import { refuse, requireFiles } from './stacks.ts';
import { detailOf, threadsOf } from './thread-record.ts';

/** Throws `noSuchCrashFile` until the dump of the report is processed. */
export const listCrashThreads = handle(contract.listCrashThreads, async (ctx, { caller, input }) => {
  return threadsOf(await readReport(ctx, caller, input), LIMITS.threadsListed);
});

const DEFAULT_FRAMES = 40;

export const getCrashThread = handle(contract.getCrashThread, async (ctx, { caller, input }) => {
  const report = await readReport(ctx, caller, input);
  const { first_frame: first = 0, frames = DEFAULT_FRAMES, words = 0 } = input;
  const detail = detailOf(report, Number(input.thread), { first, frames, words });
  if (detail === null) throw unknownThread();
  return detail;
});

async function readReport(
  ctx: Context,
  caller: AccountCaller,
  input: { uid: string; crash_id: string },
): Promise<Report> {
  const { stack_key: key } = await requireFiles(ctx, caller, input);
  if (key === null) throw noSuchFile('stack');
  return readStoredReport(ctx.blobs, key).catch((error) => refuse('stack', error));
}
