// Reads the threads of a processed dump from its stored report: their list, and one thread whole.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crash-threads';
import type { Report } from '@chauffeur/minidump/report';
import type { AccountCaller, Context } from '../../../context.ts';
import type { Call } from '../../../request/call.ts';
import { readStoredReport } from '../process/stored-report.ts';
import { noSuchFile, unknownThread } from './not-found.ts';
import { refuse, requireFiles } from './stacks.ts';
import { detailOf, threadsOf } from './thread-record.ts';

/** Throws 4090 until the dump of the report is processed. */
export async function listCrashThreads(
  ctx: Context,
  { caller, input }: Call<typeof contract.listCrashThreads>,
): Promise<OutputOf<typeof contract.listCrashThreads>> {
  return threadsOf(await readReport(ctx, caller, input), LIMITS.threadsListed);
}

const DEFAULT_FRAMES = 40;

export async function getCrashThread(
  ctx: Context,
  { caller, input }: Call<typeof contract.getCrashThread>,
): Promise<OutputOf<typeof contract.getCrashThread>> {
  const report = await readReport(ctx, caller, input);
  const { first_frame: first = 0, frames = DEFAULT_FRAMES, words = 0 } = input;
  const detail = detailOf(report, Number(input.thread), { first, frames, words });
  if (detail === null) throw unknownThread();
  return detail;
}

async function readReport(
  ctx: Context,
  caller: AccountCaller,
  input: { uid: string; crash_id: string },
): Promise<Report> {
  const { stack_key: key } = await requireFiles(ctx, caller, input);
  if (key === null) throw noSuchFile('stack');
  return readStoredReport(ctx.blobs, key).catch((error) => refuse('stack', error));
}
