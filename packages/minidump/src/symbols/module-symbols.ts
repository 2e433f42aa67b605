// The interface of a module's symbols. Offsets are in bytes from the base of the module.

/** A function, and its location in a source file if there is debug information for it. */
export type SourcePlace = {
  readonly function: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
};

/** The code at an offset. */
export type CodePlace = Omit<SourcePlace, 'function'> & {
  /** Undefined if there is code whose function has no name in the symbols, or only a PUBLIC far before it. */
  readonly function: string | undefined;
  /** The offset at which the function starts; that of the PUBLIC before it if the function has no name. */
  readonly functionStart: number;
  /** The offset at which the code of the line starts; undefined if there is no line. */
  readonly lineStart: number | undefined;
  /** The size of the parameters on the stack, in bytes, from the FUNC or PUBLIC record; 0 on most CPUs. */
  readonly parameterSize: number;
  /**
   * Functions inlined at this offset, innermost first. The location of the innermost function is that of the instruction;
   * the location of each outer function, and of this function itself, is that of its call.
   */
  readonly inlines: readonly SourcePlace[];
  /** Whether outer calls are missing in `inlines` because there are more than MAX_INLINES. */
  readonly hasMoreInlines: boolean;
};

/** The maximum number of inlined calls. Compilers nest a few dozen; a malformed symbol file can nest any number. */
export const MAX_INLINES = 100;

/** The STACK CFI rules for an offset: those of INIT, then those of each later record up to the offset, in order. */
export type CfiRules = readonly string[];

/** A STACK WIN record. Sizes are in bytes. */
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
  /** The program of a frame-data record; undefined if it has none. */
  readonly program: string | undefined;
  /** Whether a function without a program uses EBP for something other than its frame. */
  readonly allocatesBasePointer: boolean;
};

export type ModuleSymbols = {
  /** Returns the function, line and inlined functions at an offset; undefined if no FUNC or PUBLIC covers it. */
  placeAt(offset: number): CodePlace | undefined;
  /** Returns the unwind rules for an offset; undefined if no STACK CFI record covers it. */
  cfiAt(offset: number): CfiRules | undefined;
  /** Returns the STACK WIN record for an offset, preferring frame data to FPO data; undefined if none covers it. */
  stackWinAt(offset: number): StackWin | undefined;
};

/** The values by which a module's symbols are found. */
export type ModuleId = {
  readonly debugFile: string;
  readonly debugId: string;
  readonly codeFile: string;
  readonly codeId: string;
};

/** Provides symbols. Must return the same result each time for a module, and quickly. */
export type SymbolSource = {
  /** Returns the module's symbols; undefined if they are missing. Throws a MinidumpError if they cannot be read. */
  find(module: ModuleId): ModuleSymbols | undefined;
};
