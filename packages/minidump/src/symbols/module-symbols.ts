// What the symbols of one module can be asked, whatever holds them. Offsets count bytes from the module’s base.

/** A place in a source file. Without debug information for it, file and line are missing. */
export type SourcePlace = {
  readonly function: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
};

/** What lies at an offset. */
export type CodePlace = SourcePlace & {
  /** Offset at which the function begins. */
  readonly functionStart: number;
  /** Offset at which the line’s code begins; undefined without a line. */
  readonly lineStart: number | undefined;
  /** Bytes of parameters on the stack (FUNC’s and PUBLIC’s field); 0 on most CPUs. */
  readonly parameterSize: number;
  /** Functions inlined here, the innermost first. The first one’s place is that of the instruction; the outer ones’, and the function’s, those of the calls. */
  readonly inlines: readonly SourcePlace[];
  /** Whether outer calls are missing from `inlines`, because there are more than MAX_INLINES. */
  readonly hasMoreInlines: boolean;
};

/** Calls inlined into each other that a place has at most. Optimizers nest a few dozen; a malformed symbol file may nest any number. */
export const MAX_INLINES = 100;

/** The rules of STACK CFI that hold at an offset: INIT’s, then those of each later line up to it, in their order. */
export type CfiRules = readonly string[];

/** A record of STACK WIN. Sizes are bytes. */
export type StackWin = {
  readonly kind: 'fpo' | 'frame-data';
  readonly start: number;
  readonly codeSize: number;
  readonly prologSize: number;
  readonly epilogSize: number;
  readonly parameterSize: number;
  readonly savedRegisterSize: number;
  readonly localSize: number;
  readonly maxStackSize: number;
  /** The program of a frame-data record; undefined when it has none. */
  readonly program: string | undefined;
  /** Without a program: whether the function uses EBP for something else than a frame. */
  readonly allocatesBasePointer: boolean;
};

export type ModuleSymbols = {
  /** Function, line and inlines at an offset; undefined where no FUNC and no PUBLIC counts. */
  placeAt(offset: number): CodePlace | undefined;
  /** Undefined where no STACK CFI covers the offset. */
  cfiAt(offset: number): CfiRules | undefined;
  /** The record that counts at the offset: frame data before FPO. */
  stackWinAt(offset: number): StackWin | undefined;
};

/** What a module is looked up by. */
export type ModuleId = {
  readonly debugFile: string;
  readonly debugId: string;
  readonly codeFile: string;
  readonly codeId: string;
};

/** Where symbols come from. Must answer the same for the same module, and soon: it is asked for each frame. */
export type SymbolSource = {
  /** Undefined when it has none for the module. Throws a MinidumpError when it has some that cannot be read. */
  find(module: ModuleId): ModuleSymbols | undefined;
};
