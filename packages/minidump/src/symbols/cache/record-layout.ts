// What the compiler and the reader of a cache must agree on: numbers that the records have in common.

/** Numbers of a function’s line: the line, its file’s id. */
export const LINE_COLUMNS = 2;

/** Numbers of an inlined call: its line, its file’s id and one (0 when it is not given), the id of the origin. */
export const INLINE_COLUMNS = 3;

/** Deeper nests of inlined calls are not made by compilers. */
export const MAX_DEPTH = 256;

/** A look-up hands out all rules up to an address; no function changes how it is unwound so often. */
export const MAX_CFI_ROWS = 1 << 16;

/** The position that says that nothing lies at a key: no record is at the start of a cache. */
export const NOTHING = 0;

/** What writers of symbol files put where they know no name. */
export const NO_NAME = '<name omitted>';
