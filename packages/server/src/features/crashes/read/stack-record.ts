// Turns the report of a stackwalk into what a page shows of it, bounded whatever the dump holds.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrashStack } from '@chauffeur/contract/operations/crash-stacks';
import type { Frame, ModuleReport, Report, Thread } from '@chauffeur/minidump/report';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { crashedThread, osOf } from '../groups/grouping.ts';
import { findOwnCode, type OwnCode } from '../groups/own-code.ts';

type CrashStack = OutputOf<typeof getCrashStack>;
type StackThread = NonNullable<CrashStack['crashed']>;
type StackFrame = StackThread['frames'][number];

export const STACK_LIMITS = {
  /** Of the crashed thread, inlined functions counted: an endless recursion says no more after them. */
  crashedFrames: 1000,
  threads: 100,
  frames: 30,
  modules: 500,
  textLength: 500,
} as const;

/** Of a report without private paths. */
export function stackOf(report: Report): CrashStack {
  const { system_info: system, crash_info: crash, modules } = report;
  const code = findOwnCode(modules, report.main_module, osOf(report));
  const crashed = crashedThread(report);
  const others = report.threads.filter((thread) => thread !== crashed);
  return {
    written_at: report.time,
    reason: textOr(crash.type),
    address: crash.address === null ? null : shorten(crash.address),
    assertion: textOr(crash.assertion),
    uptime_seconds: report.process_uptime,
    system: {
      os: text(system.os),
      os_version: text(system.os_ver),
      cpu: text(system.cpu_arch),
      cpu_info: textOr(system.cpu_info),
      cpu_count: system.cpu_count,
    },
    crashed: crashed === undefined ? null : threadOf(crashed, code, STACK_LIMITS.crashedFrames),
    registers: { ...crashed?.frames[0]?.registers },
    threads: others.slice(0, STACK_LIMITS.threads).map((thread) => threadOf(thread, code, STACK_LIMITS.frames)),
    more_threads: Math.max(0, others.length - STACK_LIMITS.threads),
    modules: inOrderOfUse(modules, code)
      .slice(0, STACK_LIMITS.modules)
      .map((module) => moduleOf(module, code)),
    more_modules: Math.max(0, modules.length - STACK_LIMITS.modules),
    warnings: report.warnings.slice(0, STACK_LIMITS.frames).map(text),
  };
}

function threadOf(thread: Thread, code: OwnCode, limit: number): StackThread {
  // No frame unfolds to less than one function: the rest need not be looked at.
  const unfolded = thread.frames.slice(0, limit).flatMap((frame) => unfold(frame, code));
  const functions = thread.frames.reduce((sum, { inlines }) => sum + inlines.length + 1, 0);
  return {
    thread_id: thread.thread_id,
    name: textOr(thread.thread_name),
    frames: unfolded.slice(0, limit),
    more_frames: Math.max(0, functions - limit),
    cut: thread.truncated !== null,
  };
}

function unfold(frame: Frame, code: OwnCode): StackFrame[] {
  const owned = code.of(frame);
  const place = {
    module: textOr(frame.module),
    offset: shorten(frame.module_offset ?? frame.offset),
    trust: frame.trust,
  };
  return [...frame.inlines, frame].map((called, index, all) => ({
    function: textOr(called.function),
    ...place,
    file: textOr(called.file),
    line: called.line,
    inlined: index < all.length - 1,
    own: owned[index]?.own ?? false,
  }));
}

const USES: Readonly<Record<ModuleReport['symbols'], number>> = { missing: 0, corrupt: 0, loaded: 1, not_needed: 2 };

/** Of as much use, those of the game first. */
function inOrderOfUse(modules: readonly ModuleReport[], code: OwnCode): ModuleReport[] {
  const place = ({ symbols, filename }: ModuleReport) => 2 * USES[symbols] + Number(!code.has(filename));
  return modules.toSorted((a, b) => place(a) - place(b));
}

function moduleOf(module: ModuleReport, code: OwnCode): CrashStack['modules'][number] {
  return {
    name: text(module.filename),
    own: code.has(module.filename),
    version: textOr(module.version),
    debug_file: text(module.debug_file),
    debug_id: text(module.debug_id),
    base: shorten(module.base_addr),
    end: shorten(module.end_addr),
    symbols: module.symbols,
    problem: textOr(module.symbol_problem),
  };
}

function text(given: string): string {
  return cutTo(toPrintable(given), STACK_LIMITS.textLength);
}

function textOr(given: string | null): string | null {
  return given === null ? null : text(given) || null;
}

/** Without the zeros that pad it. */
function shorten(hex: string): string {
  return hex.replace(/^0x0+(?=.)/, '0x');
}
