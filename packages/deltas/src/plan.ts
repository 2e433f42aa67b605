// Decides which bytes of a new version come from the files on disk, and which from ranges of the zip.
import { BLOCK_HASH_BYTES, type BlockTable, type Entry, type FileEntry, type Manifest } from './manifest.ts';

/** The files on disk with their blocks: a manifest, or an inventory made by cutting them. */
export type Tree = { readonly entries: readonly Entry[]; readonly blocks: BlockTable };

/** Bytes of a new file, in their order. */
export type Piece =
  /** These bytes are in an entry of the old tree. */
  | { readonly kind: 'old'; readonly entry: number; readonly offset: number; readonly length: number }
  /** These bytes are in an entry of the new tree that is written earlier, or earlier in the same one. */
  | { readonly kind: 'new'; readonly entry: number; readonly offset: number; readonly length: number }
  /** A block of the new manifest, from the zip. */
  | { readonly kind: 'fetched'; readonly block: number; readonly length: number };

export type FilePlan = { readonly entry: number; readonly pieces: readonly Piece[] };

/** A part of the zip, for one request. */
type Range = { readonly offset: number; readonly length: number };

export type Plan = {
  /** Files of the new tree whose content is not at their path yet, in the order in which they are to be written. */
  readonly files: readonly FilePlan[];
  /** Entries of the new tree with the same path and content in the old tree. Their mode may differ. */
  readonly kept: readonly number[];
  /** Entries of the old tree whose path is not in the new one. */
  readonly removed: readonly number[];
  readonly ranges: readonly Range[];
  readonly fetchedBytes: number;
  readonly reusedBytes: number;
};

export type PlanOptions = {
  /** Ranges that are less than this apart are fetched as one. */
  readonly gapBytes?: number;
  /** Whether an entry of the old tree can be used; false if it was changed on disk, for example. */
  readonly isUsable?: (entry: number) => boolean;
};

const GAP_BYTES = 16 * 1024;

/** Plans an update from `old` to `wanted`. An empty `old` plans an installation. */
export function planUpdate(old: Tree, wanted: Manifest, options: PlanOptions = {}): Plan {
  const { gapBytes = GAP_BYTES, isUsable = () => true } = options;
  const places = indexOld(old, isUsable);
  const files: FilePlan[] = [];
  const kept: number[] = [];
  const spans: Range[] = [];
  let reusedBytes = 0;
  const made = new Map<string, { entry: number; offset: number }>();
  for (const [index, entry] of wanted.entries.entries()) {
    if (entry.type !== 'file') continue;
    const before = places.paths.get(entry.path);
    if (before !== undefined && before.type === 'file' && isSameContent(before, entry)) {
      kept.push(index);
      continue;
    }
    const pieces = findPieces(places, made, wanted, index, entry);
    for (const piece of pieces) if (piece.kind !== 'fetched') reusedBytes += piece.length;
    if (pieces.some(({ kind }) => kind === 'fetched')) spans.push(...spansOf(wanted.blocks, entry, pieces));
    files.push({ entry: index, pieces });
  }
  const ranges = mergeRanges(spans, gapBytes);
  const fetchedBytes = ranges.reduce((sum, { length }) => sum + length, 0);
  return { files, kept, removed: findRemoved(old, wanted), ranges, fetchedBytes, reusedBytes };
}

/** Where each block of a file starts in the zip. Meaningless for the method `whole`. */
export function blockOffsets({ blocks }: Pick<Manifest, 'blocks'>, entry: FileEntry): number[] {
  let offset = entry.offset;
  return Array.from({ length: entry.blocks }, (_, index) => {
    offset += blocks.packed[entry.firstBlock + index]!;
    return offset - blocks.packed[entry.firstBlock + index]!;
  });
}

type OldPlaces = {
  readonly paths: ReadonlyMap<string, Entry>;
  /** The entry with a file, by its SHA-256. */
  readonly files: ReadonlyMap<string, number>;
  /** The place of a block, by its hash. */
  readonly blocks: ReadonlyMap<string, { readonly entry: number; readonly offset: number }>;
};

function indexOld(old: Tree, isUsable: (entry: number) => boolean): OldPlaces {
  const paths = new Map<string, Entry>();
  const files = new Map<string, number>();
  const blocks = new Map<string, { entry: number; offset: number }>();
  for (const [index, entry] of old.entries.entries()) {
    if (!isUsable(index)) continue;
    paths.set(entry.path, entry);
    if (entry.type !== 'file') continue;
    files.set(keyOfFile(entry), index);
    let offset = 0;
    for (let block = entry.firstBlock; block < entry.firstBlock + entry.blocks; block += 1) {
      blocks.set(keyOfBlock(old.blocks, block), { entry: index, offset });
      offset += old.blocks.lengths[block]!;
    }
  }
  return { paths, files, blocks };
}

function findPieces(
  places: OldPlaces,
  made: Map<string, { entry: number; offset: number }>,
  { blocks }: Manifest,
  index: number,
  entry: FileEntry,
): Piece[] {
  const same = places.files.get(keyOfFile(entry));
  if (same !== undefined) return [{ kind: 'old', entry: same, offset: 0, length: entry.size }];
  const pieces: Piece[] = [];
  let offset = 0;
  for (let block = entry.firstBlock; block < entry.firstBlock + entry.blocks; block += 1) {
    const [key, length] = [keyOfBlock(blocks, block), blocks.lengths[block]!];
    const [before, earlier] = [places.blocks.get(key), made.get(key)];
    if (before !== undefined) append(pieces, { kind: 'old', ...before, length });
    else if (earlier !== undefined) append(pieces, { kind: 'new', ...earlier, length });
    else {
      pieces.push({ kind: 'fetched', block, length });
      made.set(key, { entry: index, offset });
    }
    offset += length;
  }
  return pieces;
}

/** Adds a piece, or makes the last one longer if it continues there. */
function append(pieces: Piece[], piece: Exclude<Piece, { kind: 'fetched' }>): void {
  const last = pieces.at(-1);
  const continues =
    last !== undefined &&
    last.kind === piece.kind &&
    last.entry === piece.entry &&
    last.offset + last.length === piece.offset;
  if (continues) pieces[pieces.length - 1] = { ...last, length: last.length + piece.length };
  else pieces.push(piece);
}

/** The parts of the zip with the fetched blocks of a file. */
function spansOf(blocks: BlockTable, entry: FileEntry, pieces: readonly Piece[]): Range[] {
  if (entry.method === 'whole') return [{ offset: entry.offset, length: entry.packed }];
  const offsets = blockOffsets({ blocks }, entry);
  return pieces.flatMap((piece) =>
    piece.kind === 'fetched'
      ? [{ offset: offsets[piece.block - entry.firstBlock]!, length: blocks.packed[piece.block]! }]
      : [],
  );
}

function mergeRanges(spans: readonly Range[], gapBytes: number): Range[] {
  const merged: Range[] = [];
  for (const span of spans.toSorted((a, b) => a.offset - b.offset)) {
    const last = merged.at(-1);
    const end = last === undefined ? Number.NEGATIVE_INFINITY : last.offset + last.length;
    if (last === undefined || span.offset - end >= gapBytes) merged.push(span);
    else
      merged[merged.length - 1] = {
        offset: last.offset,
        length: Math.max(end, span.offset + span.length) - last.offset,
      };
  }
  return merged;
}

function findRemoved(old: Tree, wanted: Manifest): number[] {
  const paths = new Set(wanted.entries.map(({ path }) => path));
  return old.entries.flatMap(({ path }, index) => (paths.has(path) ? [] : [index]));
}

export function isSameContent(a: FileEntry, b: FileEntry): boolean {
  return a.size === b.size && a.sha256.equals(b.sha256);
}

function keyOfFile({ sha256 }: FileEntry): string {
  return sha256.toString('latin1');
}

function keyOfBlock({ hashes }: BlockTable, block: number): string {
  return hashes.toString('latin1', block * BLOCK_HASH_BYTES, (block + 1) * BLOCK_HASH_BYTES);
}
