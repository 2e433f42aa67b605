// The way from a dump and symbols to a report.
import { describeAssertion, describeAttachments } from './attachments.ts';
import { type CrashedThread, findCrashedThread } from './crash.ts';
import { describeModule, describeSystem, describeUnloaded, toHex } from './describe.ts';
import { Minidump } from './minidump.ts';
import { explainCrash } from './reasons/reasons.ts';
import type { CrashInfo, Report } from './report.ts';
import { makeSignature } from './signature/signature.ts';
import { LINUX_PROC_STATUS } from './streams/linux-proc-status.ts';
import { MISC_INFO } from './streams/misc-info.ts';
import { UNLOADED_MODULES } from './streams/unloaded-modules.ts';
import type { SymbolSource } from './symbols/module-symbols.ts';
import { type Limits, Walker } from './walker.ts';

export type ProcessOptions = {
  /** Without it, frames have modules and offsets only. */
  readonly symbols?: SymbolSource;
  readonly limits?: Partial<Limits>;
};

export const DEFAULT_LIMITS: Limits = {
  frames: 8192,
  scannedFrames: 1024,
  threads: 4096,
  allFrames: 65_536,
  steps: 50_000_000,
  output: 32_000_000,
};

/**
 * Walks every thread of a dump and tells all about it. Throws a MinidumpError `not-a-minidump` or `truncated` when the file is no dump;
 * whatever else is damaged is left out, and `warnings` says so.
 */
export function processMinidump(file: Uint8Array, { symbols, limits }: ProcessOptions = {}): Report {
  const dump = new Minidump(file);
  const walker = new Walker(dump, symbols, { ...DEFAULT_LIMITS, ...limits });
  const crashed = findCrashedThread(dump);
  const threads = walker.walkThreads(crashed);
  const crash = describeCrash(dump, walker, crashed);
  const crashedThread = crashed.index === undefined ? undefined : threads[crashed.index];
  return {
    schema: 1,
    time: new Date(dump.timestamp * 1000).toISOString(),
    ...describeProcess(dump),
    system_info: describeSystem(walker.system),
    crash_info: crash,
    signature: makeSignature({
      os: walker.system?.os ?? 'unknown',
      reason: crash.type,
      address: crash.address,
      frames: crashedThread?.frames ?? null,
      lastError: crashedThread?.last_error_value ?? null,
      assertion: crash.assertion,
    }),
    main_module: walker.modules.length > 0 ? 0 : null,
    modules: walker.modules.map((module) => describeModule(module, walker.loaded.outcome(module), walker.wordSize)),
    unloaded_modules: (dump.stream(UNLOADED_MODULES) ?? []).map((module) => describeUnloaded(module, walker.wordSize)),
    threads,
    ...describeAttachments(dump),
    warnings: dump.warnings,
  };
}

function describeProcess(dump: Minidump): Pick<Report, 'pid' | 'process_uptime'> {
  const misc = dump.stream(MISC_INFO);
  const created = misc?.processTimes?.create;
  // Breakpad’s Linux client leaves the number in the text of /proc/self/status alone.
  const status = dump.stream(LINUX_PROC_STATUS)?.find(([key]) => key === 'Pid')?.[1];
  const pid = misc?.processId ?? (status !== undefined && /^\d{1,10}$/.test(status) ? Number(status) : null);
  return { pid, process_uptime: created === undefined ? null : dump.timestamp - created };
}

function describeCrash(dump: Minidump, { system, wordSize }: Walker, { exception, index }: CrashedThread): CrashInfo {
  const explained = exception && explainCrash(exception, system);
  return {
    type: explained?.type ?? null,
    address: explained === undefined ? null : toHex(explained.address, wordSize),
    crashing_thread: index ?? null,
    assertion: describeAssertion(dump),
  };
}
