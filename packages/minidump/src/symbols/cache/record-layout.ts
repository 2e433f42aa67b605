// Constants of the record format that the compiler and the reader of a symbol cache share.

/** The values of a line: its number and the id of its file. */
export const LINE_COLUMNS = 2;

/** The values of an inlined call: its line, the id of its file plus 1 (0 if unknown), and the id of its origin. */
export const INLINE_COLUMNS = 3;

/** The maximum nesting of inlined calls. Compilers do not nest them deeper. */
export const MAX_DEPTH = 256;

/** The maximum number of rule changes in a CFI range, because a lookup returns all rules up to an offset. */
export const MAX_CFI_ROWS = 1 << 16;

/** The position that means that there is no record: the start of a cache never has one. */
export const NO_RECORD = 0;

/** The name that writers of symbol files use for a function without a name. */
export const NO_NAME = '<name omitted>';
