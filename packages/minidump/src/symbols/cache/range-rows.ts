// Rows for ranges of code, such as a function's lines and inlined calls: collects them, encodes them compactly, and finds
// the row for an offset.
import type { ByteSink } from './byte-sink.ts';
import { damaged, type PageCursor } from './page-reader.ts';

/** The number of rows in a group. In a group, rows are encoded as differences, so a search reads at most one group. */
const GROUP_ROWS = 64;
/** The maximum number of rows of a function. The longest functions of compilers have tens of thousands of lines. */
export const MAX_ROWS = 1 << 20;
/** The size of a directory entry, in bytes: the start of the group's ranges (f64) and of its data (u32). */
const DIRECTORY_ENTRY_SIZE = 12;

/** A range and its values. Offsets are in bytes from the base of the module; `values` are below 2^32. */
type RangeRow = { readonly start: number; readonly values: readonly number[] };

/**
 * Collects the rows of one function after another, reusing the memory. Overlapping ranges are resolved by start, then by
 * the order in which they were added: the first one is used.
 */
export class RangeRows {
  readonly columns: Uint32Array[];
  starts: Float64Array;
  sizes: Float64Array;
  count = 0;
  /** Whether each row so far started at or after the end of the previous one. */
  inOrder = true;
  /** The end of the last row. */
  end = 0;
  readonly #directory: number[] = [];

  constructor(columnCount: number, capacity: number) {
    this.columns = Array.from({ length: columnCount }, () => new Uint32Array(capacity));
    this.starts = new Float64Array(capacity);
    this.sizes = new Float64Array(capacity);
  }

  clear(): void {
    this.count = 0;
    this.inOrder = true;
    this.end = 0;
  }

  /** Adds a range and returns its row. The caller must then set `columns[…][row]`. */
  add(start: number, size: number): number {
    const row = this.count;
    if (row === this.starts.length) this.#grow();
    this.starts[row] = start;
    this.sizes[row] = size;
    if (start < this.end) this.inOrder = false;
    this.end = start + size;
    this.count++;
    return row;
  }

  /** Writes all rows, with offsets relative to `base`. `body` is a scratch buffer. */
  encode(sink: ByteSink, base: number, body: ByteSink): void {
    const order = this.inOrder ? undefined : this.#disjoint();
    const count = order?.length ?? this.count;
    sink.varint(count);
    if (count === 0) return;
    const directory = this.#encodeGroups(body, base, order, count);
    sink.varint(directory.length * (DIRECTORY_ENTRY_SIZE / 2) + body.length);
    for (let index = 0; index < directory.length; index += 2) {
      sink.f64(directory[index]!);
      sink.u32(directory[index + 1]!);
    }
    sink.raw(body.bytes, 0, body.length);
  }

  /** Writes the groups to `body`. Returns the directory, two numbers for each group; empty if there is only one group. */
  #encodeGroups(body: ByteSink, base: number, order: Uint32Array | undefined, count: number): readonly number[] {
    const { starts, sizes, columns } = this;
    this.#directory.length = 0;
    body.clear();
    let end = base;
    let previous = -1;
    for (let index = 0; index < count; index++) {
      const row = order === undefined ? index : order[index]!;
      const start = starts[row]!;
      if (index % GROUP_ROWS === 0) {
        if (count > GROUP_ROWS) this.#directory.push(start - base, body.length);
        end = base;
        previous = -1;
      }
      body.signed(start - end);
      body.varint(sizes[row]!);
      for (let index = 0; index < columns.length; index++) {
        const column = columns[index]!;
        body.signed(column[row]! - (previous < 0 ? 0 : column[previous]!));
      }
      end = start + sizes[row]!;
      previous = row;
    }
    return this.#directory;
  }

  /** Returns the rows without overlaps, sorted by start. */
  #disjoint(): Uint32Array {
    const { starts, sizes } = this;
    const order = new Uint32Array(this.count);
    for (let row = 0; row < order.length; row++) order[row] = row;
    order.sort((a, b) => starts[a]! - starts[b]! || a - b);
    let kept = 0;
    let end = Number.NEGATIVE_INFINITY;
    for (const row of order) {
      if (starts[row]! < end) continue;
      order[kept++] = row;
      end = starts[row]! + sizes[row]!;
    }
    return order.subarray(0, kept);
  }

  #grow(): void {
    const capacity = this.starts.length * 2;
    this.starts = grown(this.starts, new Float64Array(capacity));
    this.sizes = grown(this.sizes, new Float64Array(capacity));
    for (const [index, column] of this.columns.entries())
      this.columns[index] = grown(column, new Uint32Array(capacity));
  }
}

/** Finds the row whose range contains `offset`. Moves the cursor from the start of the rows to their end. */
export function findRow(cursor: PageCursor, base: number, offset: number, columnCount: number): RangeRow | undefined {
  const count = cursor.varint();
  if (count === 0) return undefined;
  if (count > MAX_ROWS) throw damaged(`${count} rows`);
  const byteCount = cursor.varint();
  const next = cursor.position + byteCount;
  const rows = enterGroup(cursor, count, offset - base);
  const row = readGroup(cursor, rows, { base, offset, columnCount });
  cursor.moveTo(next);
  return row;
}

/** Moves the cursor to the group that can contain the offset. Returns its number of rows. */
function enterGroup(cursor: PageCursor, count: number, distance: number): number {
  const groups = count <= GROUP_ROWS ? 0 : Math.ceil(count / GROUP_ROWS);
  if (groups === 0) return count;
  const directory = cursor.position;
  const seek = (entry: number) => cursor.moveTo(directory + entry * DIRECTORY_ENTRY_SIZE);
  let low = 0;
  let high = groups;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    seek(middle);
    if (cursor.f64() <= distance) low = middle;
    else high = middle;
  }
  seek(low);
  cursor.f64();
  const bytesAt = cursor.u32();
  cursor.moveTo(directory + groups * DIRECTORY_ENTRY_SIZE + bytesAt);
  return Math.min(GROUP_ROWS, count - low * GROUP_ROWS);
}

type RowQuery = { readonly base: number; readonly offset: number; readonly columnCount: number };

function readGroup(cursor: PageCursor, rows: number, { base, offset, columnCount }: RowQuery): RangeRow | undefined {
  const values = new Array<number>(columnCount).fill(0);
  let end = base;
  for (let row = 0; row < rows; row++) {
    const start = end + cursor.signed();
    end = start + cursor.varint();
    for (let column = 0; column < columnCount; column++) values[column]! += cursor.signed();
    if (offset < start) return undefined;
    if (offset < end) return { start: requireOffset(start), values: values.map(requireOffset) };
  }
  return undefined;
}

/** Throws if a value is impossible: in a damaged cache, a sum of differences can be anything. */
function requireOffset(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw damaged('a row is out of bounds');
}

function grown<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
