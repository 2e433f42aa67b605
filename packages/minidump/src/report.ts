// The report: what a walk found, as it stands in the JSON output. Field names follow rust-minidump’s schema where it has the same thing.

/** An address or a register: `0x` and lower-case hex digits, padded to the CPU’s word. */
export type Hex = string;

/** How a frame was found, from the surest to the least sure. */
export type Trust =
  /** The registers of the dump. */
  | 'context'
  /** What the kernel saved when a signal interrupted the frame. */
  | 'signal'
  /** Rules of STACK CFI, or a STACK WIN record. */
  | 'cfi'
  /** STACK WIN, with a search for the return address near where it should be. */
  | 'cfi_scan'
  /** The link register, or the top of the stack of a function without a frame. */
  | 'leaf'
  | 'frame_pointer'
  /** A word on the stack that could be a return address. */
  | 'scan';

export type InlineFrame = {
  readonly function: string;
  readonly file: string | null;
  readonly line: number | null;
};

export type Frame = {
  /** Counts from 0, the innermost. Inlined functions have no number of their own. */
  readonly frame: number;
  readonly trust: Trust;
  /** Address of the instruction: for a caller, a byte inside the call, one less than `return_address`. */
  readonly offset: Hex;
  /** Where the frame goes on; for the first frame the instruction itself. */
  readonly return_address: Hex;
  /** File name of the module, without its folder. */
  readonly module: string | null;
  readonly module_offset: Hex | null;
  readonly function: string | null;
  readonly function_offset: Hex | null;
  readonly file: string | null;
  readonly line: number | null;
  /** Bytes from the first instruction of the line. */
  readonly line_offset: number | null;
  /** Functions inlined here, the innermost first; empty when none. */
  readonly inlines: readonly InlineFrame[];
  /** Set where outer ones were left out of `inlines`, since there were too many. */
  readonly inlines_truncated?: true;
  /** Whether the module's symbols are missing; true too where there is no module. */
  readonly missing_symbols: boolean;
  /** Modules that were unloaded before and held the address once. */
  readonly unloaded_modules: readonly { readonly module: string; readonly offsets: readonly Hex[] }[];
  /** All registers that are known in the frame. */
  readonly registers: Readonly<Record<string, Hex>>;
};

export type Thread = {
  readonly thread_id: number;
  readonly thread_name: string | null;
  /** Windows: what GetLastError would say, `ERROR_SUCCESS`. */
  readonly last_error_value: string | null;
  readonly frame_count: number;
  readonly frames: readonly Frame[];
  /** Why the walk ended before the stack did; null when it did not. */
  readonly truncated: 'frames' | 'scans' | 'steps' | 'output' | null;
};

export type SymbolState =
  | 'loaded'
  /** No frame lies in the module, so nobody asked. */
  | 'not_needed'
  | 'missing'
  /** There are some, and they cannot be read. */
  | 'corrupt';

export type ModuleReport = {
  readonly base_addr: Hex;
  /** One past the last byte. */
  readonly end_addr: Hex;
  readonly filename: string;
  readonly code_file: string;
  readonly code_id: string;
  readonly debug_file: string;
  readonly debug_id: string;
  readonly version: string | null;
  readonly symbols: SymbolState;
  /** For `corrupt`: what is wrong with them. */
  readonly symbol_problem: string | null;
};

export type CrashInfo = {
  /** `SIGSEGV / SEGV_MAPERR`, `EXCEPTION_ACCESS_VIOLATION_READ`; null when the dump is not of a crash. */
  readonly type: string | null;
  readonly address: Hex | null;
  /** Index into `threads`; null when unknown. */
  readonly crashing_thread: number | null;
  /** The text of a failed assertion. */
  readonly assertion: string | null;
};

export type SignatureReport = {
  readonly signature: string;
  /** How it came about: a line for each decision of a rule. */
  readonly notes: readonly string[];
};

export type SystemInfoReport = {
  /** `Windows NT`, `Linux`, `Mac OS X`, `Android`, `iOS`. */
  readonly os: string;
  /** `10.0.19041`, and what the system says of itself beyond that. */
  readonly os_ver: string;
  /** `x86`, `amd64`, `arm`, `arm64`; for others the number that the dump has: `cpu 0x8003`. */
  readonly cpu_arch: string;
  readonly cpu_info: string | null;
  readonly cpu_count: number;
};

export type UnloadedModuleReport = {
  readonly base_addr: Hex;
  readonly end_addr: Hex;
  readonly filename: string;
};

export type CrashpadReport = {
  readonly report_id: string;
  readonly client_id: string;
  /** Of the whole process, by key. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Of single modules. */
  readonly modules: readonly {
    readonly module: string | null;
    readonly annotations: Readonly<Record<string, string>>;
    readonly list: readonly string[];
  }[];
};

export type MacCrashInfoReport = {
  readonly module: string;
  readonly message: string;
  readonly message2: string;
};

export type Report = {
  /** Version of this schema: grows when a field is renamed or taken away, not when one is added. */
  readonly schema: 1;
  /** When the dump was written, in ISO 8601 (UTC). */
  readonly time: string;
  readonly pid: number | null;
  /** Seconds that the process had run. */
  readonly process_uptime: number | null;
  readonly system_info: SystemInfoReport;
  readonly crash_info: CrashInfo;
  readonly signature: SignatureReport;
  /** Index into `modules` of the executable; null without modules. */
  readonly main_module: number | null;
  readonly modules: readonly ModuleReport[];
  readonly unloaded_modules: readonly UnloadedModuleReport[];
  readonly threads: readonly Thread[];
  /** What Crashpad and the program itself left in the dump; null for dumps of others. */
  readonly crashpad: CrashpadReport | null;
  /** What macOS' libraries said before they gave up; empty elsewhere. */
  readonly mac_crash_info: readonly MacCrashInfoReport[];
  /** The lines of Linux' /etc/lsb-release or /etc/os-release; null where there is none. */
  readonly lsb_release: Readonly<Record<string, string>> | null;
  /** Open handles of a Windows process; null where the dump does not tell. */
  readonly handle_count: number | null;
  /** Regions of the address space; null where the dump does not tell. */
  readonly memory_map_count: number | null;
  /** What was damaged or missing in the dump, and what was done about it. */
  readonly warnings: readonly string[];
};
