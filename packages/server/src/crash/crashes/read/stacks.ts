// Reads the whole stack of a report and the end of its log, for the website.
import { buffer } from 'node:stream/consumers';
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/crash-stacks';
import type { AccountCaller, Context } from '../../../context.ts';
import { readUnpacked } from '../../../kernel/blobs/packed.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { readStoredReport } from '../process/stored-report.ts';
import { readLogTail, tailStartOf } from '../report/log-text.ts';
import { noSuchFile, unknownCrash } from './not-found.ts';
import { type FoundFiles, findFiles } from './report-list.sql.ts';
import { stackOf } from './stack-record.ts';
import { traceStackOf } from './trace-record.ts';

type CrashInput = { uid: string; crash_id: string };

/** Throws `noSuchCrashFile` until the report is processed, and if it has no stack. */
export const getCrashStack = handle(contract.getCrashStack, async (ctx, { caller, input }) => {
  const found = await requireFiles(ctx, caller, input);
  const { stack_key: key, trace } = found;
  if (key === null && trace !== null) return traceStackOf(trace, found);
  if (key === null) throw noSuchFile('stack');
  return stackOf(await readStoredReport(ctx.blobs, key).catch((error) => refuse('stack', error)));
});

export const getCrashLog = handle(contract.getCrashLog, async (ctx, { caller, input }) => {
  const { log_key: key, log_size } = await requireFiles(ctx, caller, input);
  if (key === null) throw noSuchFile('log');
  const size = log_size ?? 0;
  const start = tailStartOf(size, LIMITS.crashLogShownBytes);
  // Stores reject an empty range.
  const bytes =
    size === 0
      ? Buffer.alloc(0)
      : await buffer(
          await readUnpacked(ctx.blobs, key, { start, end: size - 1 }).catch((error) => refuse('log', error)),
        );
  return { text: readLogTail(bytes, start > 0), size, is_cut: start > 0 };
});

/** Throws `notFound` unless the caller is a member of the game and the report exists. */
export async function requireFiles(ctx: Context, caller: AccountCaller, input: CrashInput): Promise<FoundFiles> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const files = await findFiles(ctx.db, game.game_id, input.crash_id);
  if (files === undefined) throw unknownCrash();
  return files;
}

/** The file may have been deleted or replaced after its row was read. */
export function refuse(kind: 'stack' | 'log', error: unknown): never {
  if (error instanceof BlobMissingError) throw noSuchFile(kind, error);
  throw error;
}
