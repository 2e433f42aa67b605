// Creates a report from a dump and symbols.
import { describeAssertion, describeAttachments } from './attachments.ts';
import { describeModule, describeSystem, describeUnloaded, toHex } from './describe.ts';
import { Minidump } from './minidump.ts';
import { explainCrash } from './reasons/reasons.ts';
import type { CrashInfo, Report } from './report.ts';
import { makeSignature } from './signature/signature.ts';
import { LINUX_PROC_LIMITS, LINUX_PROC_STATUS } from './streams/linux-proc.ts';
import { MISC_INFO } from './streams/misc-info.ts';
import { UNLOADED_MODULES } from './streams/modules.ts';
import { SYSTEM_INFO } from './streams/system-info.ts';
import type { SymbolSource } from './symbols/module-symbols.ts';
import { type Limits, Walker } from './walker.ts';

export type ProcessOptions = {
  /** Where to find symbols. Without it, frames only have modules and offsets. */
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
  // A stack can contain personal data, so callers ask for it.
  stackMemory: 0,
  allStackMemory: 1_048_576,
};

/** A report before its signature is made. */
export type WalkedReport = Omit<Report, 'signature'>;

/**
 * Walks every thread of a dump and returns the report. Throws a MinidumpError `not-a-minidump` or `truncated` if the
 * file is not a minidump. Anything else that is damaged is left out of the report, with a warning in `warnings`.
 */
export function processMinidump(file: Uint8Array, options: ProcessOptions = {}): Report {
  const dump = new Minidump(file);
  const walked = walkDump(dump, options);
  const { crash_info: crash, threads } = walked;
  const crashed = crash.crashing_thread === null ? undefined : threads[crash.crashing_thread];
  const signature = makeSignature({
    os: dump.stream(SYSTEM_INFO)?.os ?? 'unknown',
    reason: crash.type,
    address: crash.address,
    frames: crashed?.frames ?? null,
    lastError: crashed?.last_error_value ?? null,
    assertion: crash.assertion,
    loaded: { modules: walked.modules, main: walked.main_module },
  });
  return { ...walked, signature };
}

/** Does the same as `processMinidump`, for callers that choose which frames make the signature. */
export function walkMinidump(file: Uint8Array, options: ProcessOptions = {}): WalkedReport {
  return walkDump(new Minidump(file), options);
}

function walkDump(dump: Minidump, { symbols, limits }: ProcessOptions): WalkedReport {
  const walker = new Walker(dump, symbols, { ...DEFAULT_LIMITS, ...limits });
  const threads = walker.walkThreads();
  return {
    schema: 1,
    time: new Date(dump.timestamp * 1000).toISOString(),
    ...describeProcess(dump),
    system_info: describeSystem(walker.system),
    crash_info: describeCrash(dump, walker),
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
  // Breakpad's Linux client stores the process id only in its copy of /proc/self/status.
  const status = dump.stream(LINUX_PROC_STATUS)?.find(([key]) => key === 'Pid')?.[1];
  const pid = misc?.processId ?? (status !== undefined && /^\d{1,10}$/.test(status) ? Number(status) : null);
  return { pid, process_uptime: created === undefined ? null : dump.timestamp - created };
}

function describeCrash(dump: Minidump, { system, wordSize, crashed: { exception, index } }: Walker): CrashInfo {
  const explained = exception && explainCrash(exception, system);
  return {
    type: explained?.type ?? null,
    address:
      explained === undefined || isAddressLost(dump, explained.address) ? null : toHex(explained.address, wordSize),
    crashing_thread: index ?? null,
    assertion: describeAssertion(dump),
  };
}

/**
 * Rust's `crash-handler` passes `siginfo_t` on as another structure, in which the address is elsewhere. So the address is
 * always 0 in dumps that `minidump-writer` writes with it, such as those of `sentry-minidump`, and means nothing.
 */
function isAddressLost(dump: Minidump, address: bigint): boolean {
  const os = dump.stream(SYSTEM_INFO)?.os;
  return address === 0n && (os === 'linux' || os === 'android') && dump.stream(LINUX_PROC_LIMITS) !== undefined;
}
