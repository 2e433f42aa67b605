// The report of a walk, as in the JSON output. Fields that rust-minidump's schema also has use the same names.

/** An address or register value: `0x` and lower-case hex digits, padded to the CPU's word size. */
export type Hex = string;

/** How a frame was found, from most to least reliable. */
export type Trust =
  /** Read from the registers in the dump. */
  | 'context'
  /** Read from the registers that the kernel saved when a signal interrupted the frame. */
  | 'signal'
  /** Found by the rules of STACK CFI or STACK WIN records. */
  | 'cfi'
  /** Found by a STACK WIN record and a search for the return address near its computed position. */
  | 'cfi_scan'
  /** Taken from the link register, or from the top of the stack of a function without a frame. */
  | 'leaf'
  /** Found by following the frame pointer. */
  | 'frame_pointer'
  /** Taken from a word on the stack that could be a return address. */
  | 'scan';

export type InlineFrame = {
  readonly function: string;
  readonly file: string | null;
  readonly line: number | null;
};

export type Frame = {
  /** Number of the frame, from 0, the innermost. Inlined functions have no number. */
  readonly frame: number;
  readonly trust: Trust;
  /** Address of the instruction. For a caller, an address inside the call, just before `return_address`. */
  readonly offset: Hex;
  /** Address at which the frame continues; for the first frame, the address of the instruction itself. */
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
  /** Functions inlined at this address, innermost first. */
  readonly inlines: readonly InlineFrame[];
  /** Set if there were too many inlined functions, so that the outer ones are missing in `inlines`. */
  readonly inlines_truncated?: true;
  /** Whether the module has no symbols; also true if there is no module. */
  readonly missing_symbols: boolean;
  /** Unloaded modules that contained the address before. */
  readonly unloaded_modules: readonly { readonly module: string; readonly offsets: readonly Hex[] }[];
  /** The registers with known values. */
  readonly registers: Readonly<Record<string, Hex>>;
};

/** Words at the stack pointer of a thread. */
export type StackMemory = {
  /** Address of the first word, which may be slightly below the stack pointer. */
  readonly start: Hex;
  /** The size of a word, in bytes. */
  readonly word_size: 4 | 8;
  /** The words in the order of their addresses, each as two hex digits for each byte, the most significant first. */
  readonly words: string;
  /** The words that are addresses in functions of modules whose symbols the walk used. */
  readonly symbols: readonly {
    /** Number of the word, from 0. */
    readonly word: number;
    readonly function: string;
    readonly function_offset: Hex;
  }[];
};

export type Thread = {
  readonly thread_id: number;
  readonly thread_name: string | null;
  /** Windows: the name of the value that GetLastError would return, such as `ERROR_SUCCESS`. */
  readonly last_error_value: string | null;
  readonly frame_count: number;
  readonly frames: readonly Frame[];
  /** The limit that ended the walk early; null if the whole stack was walked. */
  readonly truncated: 'frames' | 'scans' | 'steps' | 'output' | null;
  /** Set if the stack goes on, but the module of the last frame has no rules that find its caller. */
  readonly incomplete?: true;
  /**
   * Memory at the stack pointer; null if the dump does not contain it or a limit was reached. Missing unless the limit
   * `stackMemory` is set. It can contain anything that the program handled, such as parts of texts.
   */
  readonly stack?: StackMemory | null;
};

type SymbolState =
  | 'loaded'
  /** No frame is in the module, so its symbols were not needed. */
  | 'not_needed'
  | 'missing'
  /** The symbols exist but cannot be read. */
  | 'corrupt';

export type ModuleReport = {
  readonly base_addr: Hex;
  /** The address after the last byte. */
  readonly end_addr: Hex;
  readonly filename: string;
  readonly code_file: string;
  readonly code_id: string;
  readonly debug_file: string;
  readonly debug_id: string;
  readonly version: string | null;
  readonly symbols: SymbolState;
  /** What is wrong with `corrupt` symbols; null otherwise. */
  readonly symbol_problem: string | null;
};

export type CrashInfo = {
  /** `SIGSEGV / SEGV_MAPERR`, `EXCEPTION_ACCESS_VIOLATION_READ`; null if the program did not crash. */
  readonly type: string | null;
  readonly address: Hex | null;
  /** Index into `threads`; null if unknown. */
  readonly crashing_thread: number | null;
  /** The text of a failed assertion. */
  readonly assertion: string | null;
};

export type SignatureReport = {
  readonly signature: string;
  /** Explains the signature: one line for each decision of a rule. */
  readonly notes: readonly string[];
};

export type SystemInfoReport = {
  /** `Windows NT`, `Linux`, `Mac OS X`, `Android`, `iOS`. */
  readonly os: string;
  /** `10.0.19041`, followed by any further version information of the OS. */
  readonly os_ver: string;
  /** `x86`, `amd64`, `arm` or `arm64`; otherwise the number in the dump, such as `cpu 0x8003`. */
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
  /** Annotations of the process, by key. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Annotations of individual modules. */
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
  /** Version of this schema. Increased when a field is renamed or removed, not when one is added. */
  readonly schema: 1;
  /** When the dump was written, in ISO 8601 format (UTC). */
  readonly time: string;
  readonly pid: number | null;
  /** How long the process had been running, in seconds. */
  readonly process_uptime: number | null;
  readonly system_info: SystemInfoReport;
  readonly crash_info: CrashInfo;
  readonly signature: SignatureReport;
  /** Index of the executable in `modules`; null if there are no modules. */
  readonly main_module: number | null;
  readonly modules: readonly ModuleReport[];
  readonly unloaded_modules: readonly UnloadedModuleReport[];
  readonly threads: readonly Thread[];
  /** Annotations that Crashpad and the program added; null for dumps from other crash reporters. */
  readonly crashpad: CrashpadReport | null;
  /** Messages that macOS libraries wrote before they stopped the program; empty on other systems. */
  readonly mac_crash_info: readonly MacCrashInfoReport[];
  /** Linux: the content of /etc/lsb-release or /etc/os-release; null if unknown. */
  readonly lsb_release: Readonly<Record<string, string>> | null;
  /** Windows: the number of open handles; null if unknown. */
  readonly handle_count: number | null;
  /** The number of regions in the address space; null if unknown. */
  readonly memory_map_count: number | null;
  /** What was damaged or missing in the dump, and how it was handled. */
  readonly warnings: readonly string[];
};
