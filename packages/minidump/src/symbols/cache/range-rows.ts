// Rows for ranges of code, as a function’s lines and its inlined calls are: collects them, writes them small, finds one again.
import type { ByteSink } from './byte-sink.ts';
import { damaged, type PageCursor } from './page-reader.ts';

/** Rows that are written as differences, one after the other; a search reads at most so many. */
const GROUP_ROWS = 64;
/** More rows than this a function does not have: the longest that compilers make have tens of thousands of lines. */
export const MAX_ROWS = 1 << 20;
/** Bytes of a line of the directory: where a group’s ranges begin (f64) and where its bytes do (u32). */
const DIRECTORY_ENTRY = 12;

/** A range and the numbers that belong to it. Offsets count bytes from the module’s base; `values` are below 2^32. */
export type RangeRow = { readonly start: number; readonly values: readonly number[] };

/** Rows in memory, used again for one function after the other. Of ranges that overlap, the one that starts first counts; of those, the one that was added first. */
export class RangeRows {
  readonly columns: Uint32Array[];
  starts: Float64Array;
  sizes: Float64Array;
  count = 0;
  /** Whether each row so far began where the one before it ended, or behind that. */
  inOrder = true;
  /** Where the last row ends. */
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

  /** Adds a range; the caller then sets `columns[…][row]` for the row that it returns. */
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

  /** Writes all rows; their offsets are written as distances from `base`. */
  encode(sink: ByteSink, base: number, body: ByteSink): void {
    const order = this.inOrder ? undefined : this.#disjoint();
    const count = order?.length ?? this.count;
    sink.varint(count);
    if (count === 0) return;
    const directory = this.#encodeGroups(body, base, order, count);
    sink.varint(directory.length * (DIRECTORY_ENTRY / 2) + body.length);
    for (let index = 0; index < directory.length; index += 2) {
      sink.f64(directory[index]!);
      sink.u32(directory[index + 1]!);
    }
    sink.raw(body.bytes, 0, body.length);
  }

  /** Fills `body`. Returns the directory, two numbers for each group; empty when there is but one. */
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
      for (const column of columns) body.signed(column[row]! - (previous < 0 ? 0 : column[previous]!));
      end = start + sizes[row]!;
      previous = row;
    }
    return this.#directory;
  }

  /** The rows that count, in the order of their ranges. */
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

/** The row whose range holds `offset`. The cursor stands before the rows, and is left behind them. */
export function findRow(cursor: PageCursor, base: number, offset: number, columnCount: number): RangeRow | undefined {
  const count = cursor.varint();
  if (count === 0) return undefined;
  if (count > MAX_ROWS) throw damaged(`${count} rows`);
  const byteCount = cursor.varint();
  const next = cursor.position + byteCount;
  const rows = enterGroup(cursor, count, offset - base);
  const found = readGroup(cursor, rows, { base, offset, columnCount });
  cursor.moveTo(next);
  return found;
}

/** Moves the cursor to the group that may hold the offset. Returns the number of its rows. */
function enterGroup(cursor: PageCursor, count: number, distance: number): number {
  const groups = count <= GROUP_ROWS ? 0 : Math.ceil(count / GROUP_ROWS);
  if (groups === 0) return count;
  const directory = cursor.position;
  const seek = (entry: number) => cursor.moveTo(directory + entry * DIRECTORY_ENTRY);
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
  cursor.moveTo(directory + groups * DIRECTORY_ENTRY + bytesAt);
  return Math.min(GROUP_ROWS, count - low * GROUP_ROWS);
}

type Wanted = { readonly base: number; readonly offset: number; readonly columnCount: number };

function readGroup(cursor: PageCursor, rows: number, { base, offset, columnCount }: Wanted): RangeRow | undefined {
  const values = new Array<number>(columnCount).fill(0);
  let end = base;
  for (let row = 0; row < rows; row++) {
    const start = end + cursor.signed();
    end = start + cursor.varint();
    for (let column = 0; column < columnCount; column++) values[column]! += cursor.signed();
    if (offset < start) return undefined;
    if (offset < end) return { start: checked(start), values: values.map(checked) };
  }
  return undefined;
}

/** Sums of what a damaged cache holds may be anything. */
function checked(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw damaged('a row is out of bounds');
}

function grown<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
