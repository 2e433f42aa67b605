// What every reader of debug information produces, in the terms of Breakpad's symbol files.

/**
 * Where readers of debug information put what they find. Addresses are relative to the address at which the linker
 * placed the module. Numbers of files and origins come from the sink and are valid for it alone.
 */
export interface SymbolSink {
  /** The number of a source file, by its path. */
  file(path: string): number;
  /** The number of an inlined function, by its readable name. */
  origin(name: string): number;
  function(record: FunctionRecord): void;
  /** A symbol without size and lines. */
  publicSymbol(record: PublicRecord): void;
  /** How to unwind from a range of addresses: the rules of its start, and how they change after it. */
  callFrames(record: CallFrameRecord): void;
  /** How to unwind 32-bit code of Windows. */
  windowsFrame(record: WindowsFrameRecord): void;
}

export interface FunctionRecord {
  address: number;
  /** Bytes of code. */
  size: number;
  /** The readable name. */
  name: string;
  /** Bytes of parameters on the stack, for 32-bit code of Windows; otherwise 0. */
  parameterSize: number;
  /** The lines have ascending addresses, and don't overlap. */
  lines: LineRecord[];
  /** Calls that were inlined, a caller before its callees. */
  inlines: InlineRecord[];
}

export interface LineRecord {
  address: number;
  size: number;
  line: number;
  file: number;
}

export interface InlineRecord {
  /** 0 for a call in the function itself, 1 for a call in what was inlined there, and so on. */
  depth: number;
  callLine: number;
  callFile: number;
  origin: number;
  /** Pairs of an address and a size, by ascending address. */
  ranges: number[];
}

export interface PublicRecord {
  address: number;
  /** See FunctionRecord. */
  parameterSize: number;
  name: string;
}

export interface CallFrameRecord {
  address: number;
  size: number;
  /** Such as `.cfa: $rsp 8 + .ra: .cfa -8 + ^`. */
  rules: string;
  /** The rules that change at an address, by ascending address. */
  changes: { address: number; rules: string }[];
}

/** One STACK WIN record; its fields are explained in Breakpad's documentation of symbol files. */
export interface WindowsFrameRecord {
  /** 0 for FPO, 4 for frame data. */
  type: 0 | 4;
  address: number;
  size: number;
  prologueSize: number;
  epilogueSize: number;
  parameterSize: number;
  savedRegisterSize: number;
  localSize: number;
  maximumStackSize: number;
  /** The program for type 4; whether the base pointer is allocated for type 0. */
  program: string | boolean;
}
