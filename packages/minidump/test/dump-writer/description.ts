// What a synthetic dump is described by. Every part may be missing; what is left out of a part is zero or empty.
import type { Endian } from './output.ts';

export type DumpDescription = {
  /** Little by default. */
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
  /** Streams of any other kind, or broken ones: they follow the others in the directory. */
  readonly extra?: readonly { readonly type: number; readonly bytes: Uint8Array }[];
  /** Leaves 4 bytes between the count and the first entry of the lists that have no header. */
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
  /** The 24 bytes that depend on the CPU: on x86 they begin with the vendor’s name. */
  readonly cpu?: Uint8Array;
};

export type ThreadDescription = {
  readonly id: number;
  readonly suspendCount?: number;
  readonly priorityClass?: number;
  readonly priority?: number;
  readonly teb?: bigint;
  /** Without bytes the thread says where its stack began, and the memory stands in a list or nowhere. */
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
  /** Undefined for a module whose name lies nowhere. */
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
  /** Hex digits. */
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
  /** What the record gives as their count, when that is not how many there are. */
  readonly parameterCount?: number;
  readonly context?: Uint8Array;
};

export type MiscDescription = {
  /** Bytes of the structure, by which its versions are known: 24, 44, 232, 832 or 1364, which is the default. */
  readonly size?: number;
  readonly processId?: number;
  readonly processTimes?: { readonly create: number; readonly user?: number; readonly kernel?: number };
  /** Max, current, limit in MHz; max and current idle state. */
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

/** Texts as the kernel writes them; lists are joined with NULs. */
export type LinuxDescription = {
  readonly cpuInfo?: string;
  readonly procStatus?: string;
  readonly lsbRelease?: string;
  readonly commandLine?: readonly string[];
  readonly environment?: readonly string[];
  /** Type and value, in words of the given size. */
  readonly auxv?: { readonly wordSize: 4 | 8; readonly values: readonly (readonly [number, bigint])[] };
  readonly maps?: string;
  readonly procLimits?: string;
};

export type MacDescription = {
  readonly bootArgs?: string;
  readonly crashInfo?: readonly {
    readonly version: number;
    /** After stream type and version: thread, dialog mode, abort cause. */
    readonly numbers?: readonly bigint[];
    /** Module path, message, signature string, backtrace, second message. */
    readonly texts?: readonly string[];
  }[];
};
