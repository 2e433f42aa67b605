// Has dumps read in threads with bounded time and memory: whatever a dump holds, the service lives on.
import type { Context } from '../../../context.ts';
import { parseBlobSettings } from '../../../kernel/blobs/open.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { perContext } from '../../../kernel/per-context.ts';
import { createThreadPool } from '../../../kernel/thread-pool.ts';
import { ThreadCrashError, ThreadTimeoutError } from '../../../kernel/threads.ts';
import type { Statement } from '../groups/grouping.ts';
import type { SymbolDesk } from './symbol-desk.ts';
import type { SymbolQuestion, SymbolReply, WalkInput, WalkOutput } from './walk-task.ts';

const THREAD = new URL('./walk.thread.ts', import.meta.url);

/** One pool for each service. */
const poolOf = perContext(({ config }) =>
  createThreadPool<WalkInput, WalkOutput, SymbolQuestion, SymbolReply>(THREAD, {
    size: config.crashThreads,
    timeoutMs: config.crashSeconds * SECOND,
    maxHeapMb: config.crashHeapMb,
  }),
);

/** What came of a dump: `timeout` and `memory` are the bounds of the settings, `broken` is a fault of ours. */
export type Reading =
  | Extract<WalkOutput, { outcome: 'walked' }>
  | { readonly outcome: 'unreadable' | 'missing' | 'timeout' | 'memory' | 'broken'; readonly reason: string };

/**
 * Walks the dump under `dumpKey` and stores the whole report under `stackKey`. Rejects when storage or database cannot be
 * reached, and with ThreadCrashError when the thread ended, which another try may mend.
 */
export function readDump(
  ctx: Context,
  task: { dumpKey: string; dumpSize: number; stackKey: string; statement: Statement },
  desk: SymbolDesk,
): Promise<Reading> {
  return runBounded(ctx, { task: 'walk', blobSettings: settingsOf(ctx), ...task }, (question) => desk.answer(question));
}

/** Groups the stored report under `stackKey` by the rules as they are now. Rejects as `readDump`. */
export function regroupStack(ctx: Context, task: { stackKey: string; statement: Statement }): Promise<Reading> {
  return runBounded(ctx, { task: 'group', blobSettings: settingsOf(ctx), ...task }, async () => []);
}

async function runBounded(
  ctx: Context,
  input: WalkInput,
  answer: (question: SymbolQuestion) => Promise<SymbolReply>,
): Promise<Reading> {
  const { crashSeconds, crashHeapMb } = ctx.config;
  try {
    return await poolOf(ctx).run(input, answer);
  } catch (error) {
    if (error instanceof ThreadTimeoutError) {
      return {
        outcome: 'timeout',
        reason: `Reading the dump took longer than ${crashSeconds} s, which it may have been made to.`,
      };
    }
    if (error instanceof ThreadCrashError && error.reason === 'memory') {
      return {
        outcome: 'memory',
        reason: `Reading the dump took more than ${crashHeapMb} MiB of memory, which it may have been made to.`,
      };
    }
    throw error;
  }
}

function settingsOf({ config }: Context) {
  return parseBlobSettings(config.blobs, config.dataFolder);
}
