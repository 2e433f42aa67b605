// Reads the whole stack of a report and the end of its log, for the website. A stack comes from a dump or from a trace
// in a text. Its response is limited in size whatever the dump contains.
import { buffer } from 'node:stream/consumers';
import { LIMITS } from '@chauffeur/contract/limits';
import type { CrashStack, StackFrame, StackThread } from '@chauffeur/contract/operations/crash-stacks';
import * as contract from '@chauffeur/contract/operations/crash-stacks';
import type { Frame, ModuleReport, Report, Thread } from '@chauffeur/minidump/report';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import { readUnpacked } from '../../../kernel/blobs/packed.ts';
import { handle } from '../../../request/route.ts';
import { crashedThread, osOfReport } from '../groups/grouping.ts';
import { findOwnCode, type OwnCode } from '../groups/own-code.ts';
import { moduleIdOf, readStoredReport, trimZeros } from '../process/excerpt.ts';
import { readLogTail, tailStartOf } from '../report/log-text.ts';
import type { RelatedException, Trace, TraceException, TraceFrame } from '../text/trace.ts';
import { reportWithCsharpLines } from './il2cpp-lines.ts';
import { type FoundFiles, noSuchFile, refuseReading, requireFiles } from './report.ts';
import { withTextSources } from './text-sources.ts';

/** Throws `noSuchCrashFile` until the report is processed, and if it has no stack. */
export const getCrashStack = handle(contract.getCrashStack, async (ctx, { caller, input }) => {
  const found = await requireFiles(ctx, caller, input);
  const { stack_key: key, trace } = found;
  if (key === null && trace !== null) return withTextSources(ctx, found, traceStackOf(trace, found));
  if (key === null) throw noSuchFile('stack');
  const report = await readStoredReport(ctx.blobs, key).catch((error) => refuseReading('stack', error));
  return stackOf(await reportWithCsharpLines(ctx, { gameId: found.game_id, buildId: found.build_id }, report));
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
          await readUnpacked(ctx.blobs, key, { start, end: size - 1 }).catch((error) => refuseReading('log', error)),
        );
  return { text: readLogTail(bytes, start > 0), size, is_cut: start > 0 };
});

export const STACK_LIMITS = {
  /**
   * The limit of the crashed thread, including inlined functions. Only an endless recursion has more frames, all alike.
   */
  crashedFrames: 1000,
  threads: 100,
  frames: 30,
  modules: 500,
  textLength: 500,
} as const;

/** Expects a report without private paths. */
export function stackOf(report: Report): CrashStack {
  const { system_info: system, crash_info: crash, modules } = report;
  const code = findOwnCode(modules, report.main_module, osOfReport(report));
  const crashed = crashedThread(report);
  const others = report.threads.filter((thread) => thread !== crashed);
  return {
    format: null,
    related: [],
    written_at: report.time,
    reason: textOrNull(crash.type),
    address: crash.address === null ? null : trimZeros(crash.address),
    assertion: textOrNull(crash.assertion),
    uptime_seconds: report.process_uptime,
    system: {
      os: text(system.os),
      os_version: text(system.os_ver),
      cpu: text(system.cpu_arch),
      cpu_info: textOrNull(system.cpu_info),
      cpu_count: system.cpu_count,
    },
    crashed: crashed === undefined ? null : threadOf(crashed, code, STACK_LIMITS.crashedFrames),
    registers: { ...crashed?.frames[0]?.registers },
    threads: others.slice(0, STACK_LIMITS.threads).map((thread) => threadOf(thread, code, STACK_LIMITS.frames)),
    more_threads: Math.max(0, others.length - STACK_LIMITS.threads),
    modules: sortModules(modules, code)
      .slice(0, STACK_LIMITS.modules)
      .map((module) => moduleOf(module, code)),
    more_modules: Math.max(0, modules.length - STACK_LIMITS.modules),
    warnings: report.warnings.slice(0, STACK_LIMITS.frames).map(text),
  };
}

function threadOf(thread: Thread, code: OwnCode, limit: number): StackThread {
  // Each frame has at least one function, so more frames than the limit are not needed.
  const unfolded = thread.frames.slice(0, limit).flatMap((frame) => unfold(frame, code));
  const functions = thread.frames.reduce((sum, { inlines }) => sum + inlines.length + 1, 0);
  return {
    thread_id: thread.thread_id,
    name: textOrNull(thread.thread_name),
    frames: unfolded.slice(0, limit),
    more_frames: Math.max(0, functions - limit),
    cut: thread.truncated !== null,
  };
}

/** The functions of a frame, the inlined ones first. */
export function unfold(frame: Frame, code: OwnCode): StackFrame[] {
  const owned = code.of(frame);
  const inModule = {
    module: textOrNull(frame.module),
    offset: trimZeros(frame.module_offset ?? frame.offset),
    trust: frame.trust,
  };
  return [...frame.inlines, frame].map((called, index, all) => ({
    function: textOrNull(called.function),
    ...inModule,
    file: textOrNull(called.file),
    line: called.line,
    inlined: index < all.length - 1,
    own: owned[index]?.own ?? false,
  }));
}

/** Modules without symbols first, then those on stacks, then the others. */
const RANKS: Readonly<Record<ModuleReport['symbols'], number>> = { missing: 0, corrupt: 0, loaded: 1, not_needed: 2 };

/** Sorts by rank; with equal ranks, modules of the game first. */
function sortModules(modules: readonly ModuleReport[], code: OwnCode): ModuleReport[] {
  const rankOf = (module: ModuleReport) => 2 * RANKS[module.symbols] + Number(!code.has(module));
  return modules.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function moduleOf(module: ModuleReport, code: OwnCode): CrashStack['modules'][number] {
  // Its symbols are listed as missing under this name and id.
  const { name, debugId, codeId } = identifyModule(moduleIdOf(module));
  return {
    name: text(module.filename),
    own: code.has(module),
    version: textOrNull(module.version),
    debug_file: text(name),
    debug_id: debugId || codeId,
    base: trimZeros(module.base_addr),
    end: trimZeros(module.end_addr),
    symbols: module.symbols,
    problem: textOrNull(module.symbol_problem),
  };
}

/** Printable, and limited in length. */
export function text(value: string): string {
  return cutTo(toPrintable(value), STACK_LIMITS.textLength);
}

export function textOrNull(value: string | null): string | null {
  return value === null ? null : text(value) || null;
}

/** The system is what the report says. */
export function traceStackOf(
  { format, main, related }: Trace,
  { os, arch, received_at }: Pick<FoundFiles, 'os' | 'arch' | 'received_at'>,
): CrashStack {
  return {
    format,
    written_at: received_at.toISOString(),
    reason: main.type || null,
    address: null,
    assertion: main.message || null,
    uptime_seconds: null,
    system: { os, os_version: '', cpu: arch, cpu_info: null, cpu_count: 0 },
    crashed: { thread_id: 0, name: null, frames: main.frames.map(traceFrameOf), more_frames: 0, cut: false },
    related: related.map(({ relation, type, message, frames }) => ({
      relation,
      type,
      message,
      frames: frames.map(traceFrameOf),
    })),
    registers: {},
    threads: [],
    more_threads: 0,
    modules: [],
    more_modules: 0,
    warnings: [],
  };
}

function traceFrameOf({ path: _, ...frame }: TraceFrame): StackFrame {
  return { ...frame, trust: 'text', inlined: false };
}

const RELATIONS: Readonly<Record<RelatedException['relation'], string>> = {
  consequence: 'Led to',
  suppressed: 'Suppressed',
  handled: 'While handling',
  sibling: 'Also',
};

/** Formats a trace for a download, with the main exception first. */
export function formatTrace({ main, related }: Trace): string {
  const others = related.map((each) => `${RELATIONS[each.relation]}: ${formatException(each)}`);
  return `${[formatException(main), ...others].join('\n\n')}\n`;
}

function formatException({ type, message, frames }: TraceException): string {
  const head = [type, message].filter((text) => text !== '').join(': ') || 'Error';
  return [head, ...frames.map(formatTraceFrame)].join('\n');
}

function formatTraceFrame({ function: name, module, offset, file, line, column }: TraceFrame, index: number): string {
  const code = name ?? (offset === null ? '(unknown)' : offset);
  const position = [line, column].filter((each) => each !== null).join(':');
  const place = file === null ? '' : `  ${position === '' ? file : `${file}:${position}`}`;
  return `${String(index).padStart(3)}  ${module === null ? '' : `${module}!`}${code}${place}`;
}
