// Walks dumps in threads with limited time and memory, so that no dump can crash the server.
import type { Context } from '../../../context.ts';
import { giveBackSpace } from '../../../kernel/blobs/spaces.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { createThreadPool } from '../../../kernel/threads/thread-pool.ts';
import { ThreadCrashError, ThreadTimeoutError } from '../../../kernel/threads/threads.ts';
import { perContext } from '../../../request/per-context.ts';
import type { GameRules } from '../groups/game-rules.sql.ts';
import type { GroupingFields } from '../groups/grouping.ts';
import { takeDump } from '../report/jobs.ts';
import type { Trace } from '../text/trace.ts';
import { measureStage } from './measure-stage.ts';
import type { SymbolResolver } from './symbol-resolver.ts';
import type {
  PreviewedGrouping,
  StoredLog,
  StoredStack,
  SymbolReply,
  SymbolRequest,
  WalkInput,
  WalkOutput,
} from './walk-task.ts';

const THREAD = new URL('./walk.thread.ts', import.meta.url);

const poolOf = perContext(({ config }) =>
  createThreadPool<WalkInput, WalkOutput, SymbolRequest, SymbolReply>(THREAD, {
    size: config.crashThreads,
    timeoutMs: config.crashSeconds * SECOND,
    maxHeapMb: config.crashHeapMb,
  }),
);

/** The result for a dump: `timeout` and `memory` are the configured limits, `broken` is a bug in the server. */
export type Reading =
  | Extract<WalkOutput, { outcome: 'walked' }>
  | { readonly outcome: 'unreadable' | 'missing' | 'timeout' | 'memory' | 'broken'; readonly reason: string };

/**
 * Walks the dump under `dumpKey` and stores the whole report under `stackKey`. Rejects if the storage or the database
 * is unavailable, and with ThreadCrashError if the thread crashed; another try may succeed.
 */
export function readDump(
  ctx: Context,
  task: { dumpKey: string; dumpSize: number; stackKey: string; fields: GroupingFields; rules: GameRules },
  resolver: SymbolResolver,
): Promise<Reading> {
  const dump = takeDump(ctx, task.dumpKey);
  const input = {
    task: 'walk',
    blobSettings: ctx.blobs.settings,
    ...task,
    ...(dump && { space: dump.space }),
  } as const;
  const reading = measureStage(ctx, 'walk', () =>
    runBounded(ctx, input, (request) => measureStage(ctx, 'symbols', () => resolver.answer(request))),
  );
  // A thread that is ended may go on for a moment, but what it reads then is not used.
  return dump === undefined ? reading : reading.finally(() => giveBackSpace(dump.space));
}

/** Groups the stored report under `stackKey` by the current rules. Rejects like `readDump`. */
export function regroupStack(ctx: Context, task: StoredStack & { rules: GameRules }): Promise<Reading> {
  return runBounded(ctx, { task: 'group', blobSettings: ctx.blobs.settings, ...task }, async () => []);
}

/** The groups that these stored reports would be in by these rules; null for reports that cannot be read. */
export async function previewStacks(
  ctx: Context,
  stacks: readonly StoredStack[],
  rules: GameRules['rules'],
): Promise<readonly (PreviewedGrouping | null)[]> {
  const input = { task: 'preview', blobSettings: ctx.blobs.settings, stacks, rules: { rules, version: 0 } } as const;
  const output = await poolOf(ctx).run(input, async () => []);
  return output.outcome === 'previewed' ? output.groupings : [];
}

/** The last trace near the end of a log; null if there is none, or the log is gone or takes too long to read. */
export async function readLogTrace(ctx: Context, log: StoredLog): Promise<Trace | null> {
  const input = { task: 'log', blobSettings: ctx.blobs.settings, ...log, rules: { rules: [], version: 0 } } as const;
  try {
    const output = await poolOf(ctx).run(input, async () => []);
    return output.outcome === 'read' ? output.trace : null;
  } catch (error) {
    if (error instanceof ThreadTimeoutError || (error instanceof ThreadCrashError && error.reason === 'memory')) {
      ctx.log.warn({ err: error, key: log.logKey }, 'the log of a crash report could not be read');
      return null;
    }
    throw error;
  }
}

async function runBounded(
  ctx: Context,
  input: WalkInput,
  answer: (request: SymbolRequest) => Promise<SymbolReply>,
): Promise<Reading> {
  const { crashSeconds, crashHeapMb } = ctx.config;
  try {
    const output = await poolOf(ctx).run(input, answer);
    if (output.outcome === 'previewed' || output.outcome === 'read') throw new Error('a thread mixed up its tasks');
    return output;
  } catch (error) {
    if (error instanceof ThreadTimeoutError) {
      return {
        outcome: 'timeout',
        reason: `Reading the dump took longer than ${crashSeconds} s; it may be malformed or malicious.`,
      };
    }
    if (error instanceof ThreadCrashError && error.reason === 'memory') {
      return {
        outcome: 'memory',
        reason: `Reading the dump took more than ${crashHeapMb} MiB of memory; it may be malformed or malicious.`,
      };
    }
    throw error;
  }
}
