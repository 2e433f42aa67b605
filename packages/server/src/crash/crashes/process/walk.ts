// Walks dumps in threads with limited time and memory, so that no dump can crash the server.
//
// A thread (walk.thread.ts) reads the dump from the blob store, or from memory that it shares with this process, and
// looks up which modules it has. It then requests their symbols. The server answers with the files of compiled symbols,
// and remembers which are missing, in case they arrive during the walk. The thread stores the whole report, and returns
// an excerpt and the grouping. The same threads look up the native stacks of events, group stored reports again, and
// search logs for a trace.
//
// A thread that exceeds its time or memory is ended. That is a result, because another try would end in the same way.
// Anything else that ends a thread is an error, and the job is tried again.

import type { ModuleId, SourcePlace } from '@chauffeur/minidump/symbols/module-symbols';
import type { Context } from '../../../context.ts';
import { giveBackSpace } from '../../../kernel/blobs/spaces.ts';
import type { BlobSettings } from '../../../kernel/blobs/store.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { SECOND, secondsSince } from '../../../kernel/clock.ts';
import { inSpan } from '../../../kernel/telemetry/tracing.ts';
import { createThreadPool } from '../../../kernel/threads/thread-pool.ts';
import { ThreadCrashError, ThreadTimeoutError } from '../../../kernel/threads/threads.ts';
import { perContext } from '../../../request/per-context.ts';
import { findSymbols, openCacheFile, type SymbolAnswer } from '../../symbols/symbols.ts';
import type { GameRules } from '../groups/game-rules.ts';
import type { Grouping, GroupingFields } from '../groups/grouping.ts';
import type { EventContent } from '../report/event.ts';
import { takeDump } from '../report/jobs.ts';
import type { TracedText } from '../text/find-trace.ts';
import { type Excerpt, formatModule } from './excerpt.ts';

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

/** Looks up the stack of the event, and does the same with it. */
export function readEventStack(
  ctx: Context,
  task: { event: EventContent; stackKey: string; fields: GroupingFields; rules: GameRules },
  resolver: SymbolResolver,
): Promise<Reading> {
  const input = { task: 'event', blobSettings: ctx.blobs.settings, ...task } as const;
  return measureStage(ctx, 'walk', () =>
    runBounded(ctx, input, (request) => measureStage(ctx, 'symbols', () => resolver.answer(request))),
  );
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
export async function readLogTrace(ctx: Context, log: StoredLog): Promise<TracedText | null> {
  const input = { task: 'log', blobSettings: ctx.blobs.settings, ...log, rules: { rules: [], version: 0 } } as const;
  try {
    const output = await poolOf(ctx).run(input, async () => []);
    return output.outcome === 'read' ? output.traced : null;
  } catch (error) {
    if (error instanceof ThreadTimeoutError || (error instanceof ThreadCrashError && error.reason === 'memory')) {
      ctx.log.warn({ err: error, key: log.logKey }, 'the log of a crash report could not be read');
      return null;
    }
    throw error;
  }
}

/** Finds the code at each place: null where the symbols have none, or cannot be read. `missing` names modules without symbols. */
export async function findCode(
  ctx: Context,
  places: readonly AddressedPlace[],
  resolver: SymbolResolver,
): Promise<Extract<WalkOutput, { outcome: 'placed' }>> {
  const input = { task: 'places', blobSettings: ctx.blobs.settings, places, rules: { rules: [], version: 0 } } as const;
  const nothing = { outcome: 'placed', code: places.map(() => null), missing: [] } as const;
  try {
    const output = await poolOf(ctx).run(input, (request) => resolver.answer(request));
    return output.outcome === 'placed' ? output : nothing;
  } catch (error) {
    if (!(error instanceof ThreadTimeoutError || (error instanceof ThreadCrashError && error.reason === 'memory')))
      throw error;
    ctx.log.warn({ err: error }, 'addresses of a stack could not be looked up');
    return nothing;
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
    if (output.outcome === 'previewed' || output.outcome === 'read' || output.outcome === 'placed')
      throw new Error('a thread mixed up its tasks');
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

export type WalkInput = {
  readonly blobSettings: BlobSettings;
  /** The game's own grouping rules. */
  readonly rules: GameRules;
} & (
  | {
      readonly task: 'walk';
      readonly fields: GroupingFields;
      readonly dumpKey: string;
      /** Uncompressed, in bytes. */
      readonly dumpSize: number;
      /** The dump, if it is in memory, at the start of a space. */
      readonly space?: SharedArrayBuffer;
      /** Where the thread stores the whole report. */
      readonly stackKey: string;
    }
  | {
      readonly task: 'event';
      readonly fields: GroupingFields;
      readonly event: EventContent;
      readonly stackKey: string;
    }
  | ({ readonly task: 'group' } & StoredStack)
  | { readonly task: 'preview'; readonly stacks: readonly StoredStack[] }
  | ({ readonly task: 'log' } & StoredLog)
  | { readonly task: 'places'; readonly places: readonly AddressedPlace[] }
);

/** An instruction in a module. */
export type AddressedPlace = { readonly module: ModuleId; readonly offset: number };

/** Where a report was stored by an earlier walk. */
type StoredStack = { readonly stackKey: string; readonly fields: GroupingFields };

/** A log; the size is uncompressed, in bytes. */
export type StoredLog = { readonly logKey: string; readonly logSize: number };

/** A group that a report would be in. The key is in hex. */
export type PreviewedGrouping = { readonly key: string; readonly title: string };

export type WalkOutput =
  /** The grouping of each stack, or null if it cannot be read. */
  | { readonly outcome: 'previewed'; readonly groupings: readonly (PreviewedGrouping | null)[] }
  /** `traced` is null if the log has no trace. */
  | { readonly outcome: 'read'; readonly traced: TracedText | null }
  /** The functions at each place, with inlined ones first, from the innermost. */
  | {
      readonly outcome: 'placed';
      readonly code: readonly (readonly SourcePlace[] | null)[];
      /** Modules in the form of `formatModule`. */
      readonly missing: readonly string[];
    }
  | { readonly outcome: 'walked'; readonly excerpt: Excerpt; readonly grouping: Grouping }
  /** Permanent: another try would fail in the same way. `reason` is a sentence for people. */
  | { readonly outcome: 'unreadable' | 'missing'; readonly reason: string };

/** The modules of a dump whose symbols the thread needs. */
export type SymbolRequest = readonly ModuleId[];

/**
 * Says for each requested module: the file with its compiled symbols, why they cannot be read, or null if there are
 * none.
 */
export type SymbolReply = readonly (SymbolLocation | null)[];
export type SymbolLocation =
  | {
      readonly path: string;
      /** The file from which unwind rules are taken first. */
      readonly unwindPath?: string;
      /** Whether there are only functions or only unwind rules. */
      readonly isPartial: boolean;
    }
  | { readonly problem: string };

export class SymbolResolver {
  readonly #ctx: Context;
  readonly #gameId: string;
  readonly #buildId: string;
  /** Requested modules, and the symbols that they got. */
  #answered: readonly { readonly module: ModuleId; readonly symbols: string | null }[] = [];
  /** Requested modules that have no symbols in their game, not even some that are still compiled. */
  #unknown: SymbolRequest = [];

  constructor(ctx: Context, gameId: string, buildId: string) {
    this.#ctx = ctx;
    this.#gameId = gameId;
    this.#buildId = buildId;
  }

  async answer(request: SymbolRequest): Promise<SymbolReply> {
    const answers = await this.#find(request);
    this.#answered = request.map((module, index) => ({ module, symbols: symbolsOf(answers[index]!) }));
    this.#unknown = request.filter((_, index) => isUnknown(answers[index]!));
    return Promise.all(answers.map((answer) => this.#locate(answer)));
  }

  /** The modules of these, in the form of `formatModule`, for which symbol servers are to be asked. */
  unknownOf(missing: readonly string[]): SymbolRequest {
    return listedIn(missing, this.#unknown);
  }

  /**
   * Whether symbols of one of these modules, in the form of `formatModule`, became ready after the request. Call it
   * after storing the report: if symbols become ready later, `reprocessMissing` finds the stored report.
   */
  async hasMoreFor(missing: readonly string[]): Promise<boolean> {
    const candidates = this.#answered.filter(({ module }) => missing.includes(formatModule(module) ?? ''));
    const answers = await this.#find(candidates.map(({ module }) => module));
    return answers.some((answer, index) => ![null, candidates[index]!.symbols].includes(symbolsOf(answer)));
  }

  #find(modules: SymbolRequest): Promise<SymbolAnswer[]> {
    return findSymbols(this.#ctx, this.#gameId, this.#buildId, modules);
  }

  async #locate(answer: SymbolAnswer): Promise<SymbolLocation | null> {
    if (answer.state === 'unreadable') return { problem: answer.problem };
    if (answer.state !== 'compiled') return null;
    try {
      const path = await openCacheFile(this.#ctx, answer.cacheKey);
      const { unwindKey, isPartial } = answer;
      if (unwindKey === null) return { path, isPartial };
      return { path, unwindPath: await openCacheFile(this.#ctx, unwindKey), isPartial };
    } catch (error) {
      // The symbols were deleted a moment ago.
      if (error instanceof BlobMissingError) return null;
      throw error;
    }
  }
}

function isUnknown(answer: SymbolAnswer): boolean {
  return answer.state === 'pending' ? answer.ofServer === true : answer.state !== 'compiled';
}

function listedIn(missing: readonly string[], modules: SymbolRequest): SymbolRequest {
  return modules.filter((module) => missing.includes(formatModule(module) ?? ''));
}

/** The compiled symbols of an answer, to notice that they have changed; null if there are none. */
function symbolsOf(answer: SymbolAnswer): string | null {
  return answer.state === 'compiled' ? `${answer.cacheKey} ${answer.unwindKey}` : null;
}

export async function measureStage<T>(
  { metrics }: Context,
  stage: 'walk' | 'symbols' | 'group',
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  try {
    return await inSpan(`crash ${stage}`, {}, work);
  } finally {
    metrics.crashStages.observe({ stage }, secondsSince(begun));
  }
}
