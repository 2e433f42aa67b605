// Reads the threads of a processed dump from its stored report: their list, and one thread whole. Responses are limited
// in size whatever the dump contains.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { CrashThread, StackFrame, ThreadDetail, ThreadSummary } from '@chauffeur/contract/operations/crash-stacks';
import * as contract from '@chauffeur/contract/operations/crash-stacks';
import type { ModuleReport, Report, StackMemory, Thread } from '@chauffeur/minidump/report';
import type { AccountCaller, Context } from '../../../context.ts';
import { handle } from '../../../request/route.ts';
import { crashedThread, osOfReport } from '../groups/grouping.ts';
import { findOwnCode, type OwnCode } from '../groups/own-code.ts';
import { readStoredReport, trimZeros } from '../process/excerpt.ts';
import { reportWithCsharpLines } from './il2cpp-lines.ts';
import { noSuchFile, refuseReading, requireFiles } from './report.ts';
import { text, textOrNull, unfold } from './stacks.ts';
import { isWaiting } from './waiting.ts';

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
  const { stack_key: key, game_id: gameId, build_id: buildId } = await requireFiles(ctx, caller, input);
  if (key === null) throw noSuchFile('stack');
  const report = await readStoredReport(ctx.blobs, key).catch((error) => refuseReading('stack', error));
  return reportWithCsharpLines(ctx, { gameId, buildId }, report);
}

/** Expects a report without private paths. The crashed thread comes first, the others in the order of the dump. */
export function threadsOf(report: Report, limit: number): { threads: ThreadSummary[]; more_threads: number } {
  const code = findOwnCode(report.modules, report.main_module, osOfReport(report));
  const crashed = report.crash_info.crashing_thread;
  const order = [...report.threads.keys()].sort((a, b) => Number(b === crashed) - Number(a === crashed));
  return {
    threads: order.slice(0, limit).map((index) => summaryOf(report, index, code)),
    more_threads: Math.max(0, order.length - limit),
  };
}

function summaryOf(report: Report, index: number, code: OwnCode): ThreadSummary {
  const thread = report.threads[index]!;
  return { ...recordOf(report, index), frame: firstFrame(thread, code) };
}

function recordOf(report: Report, index: number): CrashThread {
  const thread = report.threads[index]!;
  return {
    thread: index,
    thread_id: thread.thread_id,
    name: textOrNull(thread.thread_name),
    state: stateOf(thread, thread === crashedThread(report)),
    frame_count: countFunctions(thread.frames),
    is_cut: thread.truncated !== null,
  };
}

function stateOf({ frames }: Thread, isCrashed: boolean): CrashThread['state'] {
  if (isCrashed) return 'crashed';
  const functions = frames.slice(0, NAMED_WITHIN).flatMap(({ function: name }) => (name === null ? [] : [name]));
  if (functions.length === 0) return 'unknown';
  return functions.some(isWaiting) ? 'waiting' : 'running';
}

/** The function that waits is called by at most a few wrappers, of which the innermost may have no name. */
const NAMED_WITHIN = 3;

/** Frames in which the game's own code is searched. */
const SEARCHED = 100;

function firstFrame({ frames }: Thread, code: OwnCode): StackFrame | null {
  for (const frame of frames.slice(0, SEARCHED)) {
    const own = unfold(frame, code).find((called) => called.own);
    if (own !== undefined) return own;
  }
  return frames[0] === undefined ? null : (unfold(frames[0], code)[0] ?? null);
}

function countFunctions(frames: Thread['frames']): number {
  return frames.reduce((sum, { inlines }) => sum + inlines.length + 1, 0);
}

/** Which part of a thread is wanted, in functions and words. */
type Part = { readonly first: number; readonly frames: number; readonly words: number };

/** Returns null if the dump has no thread with this index. */
export function detailOf(report: Report, index: number, part: Part): ThreadDetail | null {
  const thread = report.threads[index];
  if (thread === undefined) return null;
  const code = findOwnCode(report.modules, report.main_module, osOfReport(report));
  const record = recordOf(report, index);
  const frames = sliceFunctions(thread.frames, part, code);
  const registers = thread.frames[0]?.registers ?? {};
  return {
    ...record,
    last_error: textOrNull(thread.last_error_value),
    registers: { ...registers },
    frames,
    first_frame: part.first,
    more_frames: Math.max(0, record.frame_count - part.first - frames.length),
    memory: part.words > 0 && thread.stack ? memoryOf(thread.stack, registers, part.words, report.modules) : null,
    memory_problem: part.words === 0 || thread.stack ? null : thread.stack === undefined ? 'reprocess' : 'not_in_dump',
  };
}

/** Unfolds only the frames that are needed: a thread can have thousands. */
function sliceFunctions(frames: Thread['frames'], { first, frames: limit }: Part, code: OwnCode): StackFrame[] {
  const functions: StackFrame[] = [];
  let before = 0;
  for (const frame of frames) {
    const count = frame.inlines.length + 1;
    if (before + count > first) functions.push(...unfold(frame, code).slice(Math.max(0, first - before)));
    before += count;
    if (functions.length >= limit) break;
  }
  return functions.slice(0, limit);
}

function memoryOf(
  stack: StackMemory,
  registers: Readonly<Record<string, string>>,
  limit: number,
  modules: readonly ModuleReport[],
): ThreadDetail['memory'] {
  const digits = 2 * stack.word_size;
  const symbols = new Map(stack.symbols.map((symbol) => [symbol.word, symbol]));
  const find = moduleFinder(modules);
  const start = BigInt(stack.start);
  const count = Math.min(limit, Math.floor(stack.words.length / digits));
  return {
    stack_pointer: registers.rsp ?? registers.esp ?? registers.sp ?? null,
    word_size: stack.word_size,
    words: Array.from({ length: count }, (_, word) => {
      const value = `0x${stack.words.slice(word * digits, (word + 1) * digits)}`;
      const address = (start + BigInt(word * stack.word_size)).toString(16).padStart(digits, '0');
      return { address: `0x${address}`, value, points_to: formatTarget(find(BigInt(value)), symbols.get(word)) };
    }),
  };
}

type Target = { module: string; offset: bigint } | null;

function formatTarget(target: Target, symbol: StackMemory['symbols'][number] | undefined): string | null {
  if (target === null) return null;
  if (symbol === undefined) return `${text(target.module)} + 0x${target.offset.toString(16)}`;
  return `${text(target.module)}!${text(symbol.function)} + ${trimZeros(symbol.function_offset)}`;
}

/** If modules overlap, the last one to start is found. */
function moduleFinder(modules: readonly ModuleReport[]): (address: bigint) => Target {
  const sorted = modules
    .map(({ base_addr, end_addr, filename }) => ({ base: BigInt(base_addr), end: BigInt(end_addr), filename }))
    .sort((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0));
  return (address) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]!.base <= address) low = middle + 1;
      else high = middle;
    }
    const module = sorted[low - 1];
    if (module === undefined || address >= module.end) return null;
    return { module: module.filename, offset: address - module.base };
  };
}

function unknownThread(): ApiError {
  return errors.notFound('thread: the dump has no such thread. List the threads of the report.');
}
