// The description of a synthetic dump. Every part is optional, and omitted values are zero or empty.
import type { Endian } from './output.ts';

export type DumpDescription = {
  /** The byte order; `little` by default. */
  readonly endian?: Endian;
  /** Seconds since 1970. */
  readonly timestamp?: number;
  readonly flags?: bigint;
  readonly system?: SystemDescription;
  readonly threads?: readonly ThreadDescription[];
  readonly threadNames?: readonly { readonly id: number; readonly name: string }[];
  readonly threadInfo?: readonly ThreadInfoDescription[];
  readonly modules?: readonly ModuleDescription[];
  readonly unloadedModules?: readonly UnloadedModuleDescription[];
  readonly memory?: readonly MemoryDescription[];
  readonly memory64?: readonly MemoryDescription[];
  readonly memoryInfo?: readonly MemoryInfoDescription[];
  readonly exception?: ExceptionDescription;
  readonly misc?: MiscDescription;
  readonly handles?: readonly HandleDescription[];
  readonly breakpad?: { readonly dumpThreadId?: number; readonly requestingThreadId?: number };
  readonly assertion?: AssertionDescription;
  readonly crashpad?: CrashpadDescription;
  readonly linux?: LinuxDescription;
  readonly mac?: MacDescription;
  readonly softErrors?: string;
  /** Unknown or damaged streams, at the end of the directory. */
  readonly extra?: readonly { readonly type: number; readonly bytes: Uint8Array }[];
  /** Adds 4 bytes of padding after the count of lists without a header. */
  readonly paddedLists?: boolean;
};

export type SystemDescription = {
  readonly processorArchitecture?: number;
  readonly level?: number;
  readonly revision?: number;
  readonly cpuCount?: number;
  /** Major, minor, build. */
  readonly version?: readonly [number, number, number];
  readonly platformId?: number;
  readonly servicePack?: string;
  /** The 24 bytes that depend on the CPU. On x86, they start with the vendor. */
  readonly cpu?: Uint8Array;
};

export type ThreadDescription = {
  readonly id: number;
  readonly suspendCount?: number;
  readonly priorityClass?: number;
  readonly priority?: number;
  readonly teb?: bigint;
  /** Without `bytes`, the thread only has the address of its stack. A memory list can contain the bytes. */
  readonly stack?: { readonly start: bigint; readonly bytes?: Uint8Array };
  readonly context?: Uint8Array;
};

export type ThreadInfoDescription = {
  readonly threadId: number;
  readonly dumpFlags?: number;
  readonly exitStatus?: number;
  readonly createTime?: bigint;
  readonly startAddress?: bigint;
};

export type ModuleDescription = {
  readonly base: bigint;
  readonly size: number;
  /** Undefined for a module without a name. */
  readonly name?: string;
  readonly checksum?: number;
  readonly timestamp?: number;
  /** Four 32-bit fields of the version resource: file high and low, product high and low. */
  readonly version?: readonly [number, number, number, number];
  readonly codeView?: CodeViewDescription;
};

export type CodeViewDescription =
  | { readonly kind: 'pdb70'; readonly guid: string; readonly age: number; readonly file: string }
  | { readonly kind: 'pdb20'; readonly signature: number; readonly age: number; readonly file: string }
  /** `buildId` is in hex. */
  | { readonly kind: 'elf'; readonly buildId: string }
  | { readonly kind: 'raw'; readonly bytes: Uint8Array };

export type UnloadedModuleDescription = {
  readonly base: bigint;
  readonly size: number;
  readonly name: string;
  readonly checksum?: number;
  readonly timestamp?: number;
};

export type MemoryDescription = { readonly start: bigint; readonly bytes: Uint8Array };

export type MemoryInfoDescription = {
  readonly base: bigint;
  readonly size: bigint;
  readonly allocationBase?: bigint;
  readonly allocationProtection?: number;
  readonly state?: number;
  readonly protection?: number;
  readonly type?: number;
};

export type ExceptionDescription = {
  readonly threadId: number;
  readonly code: number;
  readonly flags?: number;
  readonly nested?: bigint;
  readonly address?: bigint;
  readonly parameters?: readonly bigint[];
  /** The count in the record, if it differs from the number of parameters. */
  readonly parameterCount?: number;
  readonly context?: Uint8Array;
};

export type MiscDescription = {
  /** The size of the structure, which depends on its version: 24, 44, 232, 832 or 1364 (the default). */
  readonly size?: number;
  readonly processId?: number;
  readonly processTimes?: { readonly create: number; readonly user?: number; readonly kernel?: number };
  /** Maximum, current and limit in MHz, then maximum and current idle state. */
  readonly processorPower?: readonly [number, number, number, number, number];
  readonly integrityLevel?: number;
  readonly executeFlags?: number;
  readonly protectedProcess?: boolean;
  readonly timeZone?: {
    readonly id: number;
    readonly bias: number;
    readonly standard: string;
    readonly daylight: string;
  };
  readonly buildString?: string;
  readonly debugBuildString?: string;
  readonly processCookie?: number;
};

export type HandleDescription = {
  readonly handle: bigint;
  readonly typeName?: string;
  readonly objectName?: string;
  readonly attributes?: number;
  readonly grantedAccess?: number;
  readonly handleCount?: number;
  readonly pointerCount?: number;
};

export type AssertionDescription = {
  readonly expression?: string;
  readonly function?: string;
  readonly file?: string;
  readonly line?: number;
  readonly type?: number;
};

export type CrashpadDescription = {
  /** 32 hex digits each. */
  readonly reportId?: string;
  readonly clientId?: string;
  readonly simpleAnnotations?: Readonly<Record<string, string>>;
  readonly modules?: readonly {
    readonly moduleIndex: number;
    readonly listAnnotations?: readonly string[];
    readonly simpleAnnotations?: Readonly<Record<string, string>>;
    readonly annotationObjects?: readonly { readonly name: string; readonly type: number; readonly value: string }[];
  }[];
};

/** Texts as in /proc. Lists are joined with NULs. */
export type LinuxDescription = {
  readonly cpuInfo?: string;
  readonly procStatus?: string;
  readonly lsbRelease?: string;
  readonly commandLine?: readonly string[];
  readonly environment?: readonly string[];
  /** Pairs of type and value, in words of the given size. */
  readonly auxv?: { readonly wordSize: 4 | 8; readonly values: readonly (readonly [number, bigint])[] };
  readonly maps?: string;
  readonly procLimits?: string;
};

export type MacDescription = {
  readonly bootArgs?: string;
  readonly crashInfo?: readonly {
    readonly version: number;
    /** Thread, dialog mode and abort cause, which follow the stream type and the version. */
    readonly numbers?: readonly bigint[];
    /** Module path, message, signature string, backtrace, second message. */
    readonly texts?: readonly string[];
  }[];
};
