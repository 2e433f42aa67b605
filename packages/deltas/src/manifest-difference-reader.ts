// Reads the difference of two manifests. The bytes may be hostile.
import { hash } from 'node:crypto';
import { ByteReader, decompress } from './bytes.ts';
import { DeltaError } from './error.ts';
import {
  BLOCK_HASH_BYTES,
  type BlockTable,
  blockHash,
  decodeManifest,
  EMPTY_SHA256,
  type Entry,
  encodeManifest,
  type FileEntry,
  gapsOf,
  type Header,
  MANIFEST_LIMITS,
  MAX_MODE,
  type Manifest,
  offsetOf,
  packedLength,
  readHeaderSizes,
  readKind,
  readPaths,
  SHA256_BYTES,
  times,
} from './manifest.ts';
import { ID_BYTES, idOf, MAGIC, OPS, ORIGIN } from './manifest-difference.ts';
import { MAX_TARGET_BYTES } from './paths.ts';

/** A manifest, some of whose hashes may be zero because the difference left them out. */
export type Draft = {
  readonly manifest: Manifest;
  /** The entries whose hashes are missing. */
  readonly missing: ReadonlySet<number>;
  /** The beginning of the SHA-256 of the whole manifest. */
  readonly id: Buffer;
};

/** Of a difference, unpacked. A client does better with the whole manifest than with a longer one. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** So many blocks are always possible. */
const MIN_MAX_BLOCKS = 200_000;

/** Throws DeltaError if the bytes are invalid or don't belong to `old`; they may be hostile. */
export function decodeDifference(old: Manifest, bytes: Uint8Array): Draft {
  const reader = new ByteReader(bytes);
  if (!reader.bytes(Math.min(MAGIC.length, reader.left)).equals(MAGIC))
    throw new DeltaError('Not a difference of manifests of version 1.');
  const hasHashes = reader.varint(1) === 0;
  if (!reader.bytes(ID_BYTES).equals(idOf(old))) throw new DeltaError('The difference is for another old manifest.');
  const id = reader.bytes(ID_BYTES);
  const length = reader.varint(MAX_BODY_BYTES);
  const packed = reader.bytes(reader.left);
  const maxBlocks = maxBlocksOf(old, packed.length);
  const { manifest, missing } = decodeBody(old, new ByteReader(decompress(packed, length)), hasHashes, maxBlocks);
  // Reading it again applies every check of a manifest.
  return { manifest: decodeManifest(encodeManifest(manifest)), missing, id };
}

/** How many blocks a difference of so many bytes can have. Otherwise a few bytes could repeat the old ones millions of times. */
function maxBlocksOf(old: Manifest, packedBytes: number): number {
  return Math.min(MANIFEST_LIMITS.blocks, 4 * old.blocks.count + packedBytes + MIN_MAX_BLOCKS);
}

const UNKNOWN = Buffer.alloc(BLOCK_HASH_BYTES);

/**
 * The hashes of an entry of a draft: of the whole content, and of its blocks one after the other. Blocks whose hash the draft
 * has may be left out: then there is anything.
 */
export type ContentHashes = { readonly sha256: Buffer; readonly blocks: Buffer };

/**
 * The manifest with all hashes. Throws DeltaError unless its SHA-256 is `sha256`, which the caller trusts; `computed` has
 * the hashes of the entries in `missing`.
 */
export function completeDraft(
  draft: Draft,
  computed: ReadonlyMap<number, ContentHashes>,
  sha256: Uint8Array,
): Manifest {
  const encoded = encodeDraft(draft, computed);
  if (!hash('sha256', encoded, 'buffer').equals(sha256))
    throw new DeltaError('The new manifest is not the expected one.');
  return decodeManifest(encoded);
}

/** The encoded manifest with all hashes, which the caller has to check. Throws DeltaError if some are missing. */
export function encodeDraft({ manifest, missing }: Draft, computed: ReadonlyMap<number, ContentHashes>): Buffer {
  const { entries, blocks } = manifest;
  const table = { ...blocks, hashes: Buffer.from(blocks.hashes) };
  const completed = entries.map((entry, index) => {
    const hashes = computed.get(index);
    if (!missing.has(index) || entry.type !== 'file') return entry;
    if (hashes === undefined) throw new DeltaError('Not all hashes of the manifest were computed.');
    for (let block = 0; block < entry.blocks; block += 1) {
      const at = entry.firstBlock + block;
      if (isUnknownBlock(blocks, at)) table.hashes.set(hashOf(hashes, block), at * BLOCK_HASH_BYTES);
    }
    return { ...entry, sha256: hashes.sha256 };
  });
  return encodeManifest({ ...manifest, entries: completed, blocks: table });
}

function hashOf({ blocks }: ContentHashes, block: number): Buffer {
  return blocks.subarray(block * BLOCK_HASH_BYTES, (block + 1) * BLOCK_HASH_BYTES);
}

/** Whether a draft has no hash of a block. */
export function isUnknownBlock(blocks: BlockTable, block: number): boolean {
  return blockHash(blocks, block).equals(UNKNOWN);
}

/** An entry that isn't kept, as far as its columns were read. */
type Fresh = {
  /** The old entry at its path. */
  readonly before: Entry | null;
  path: string;
  kind: ReturnType<typeof readKind>;
  mode: number;
  target: string;
  gap: number;
  /** The old file with the same content in the same blocks. */
  source: FileEntry | null;
  size: number;
  packed: number;
  sha256: Buffer | null;
  blocks: number;
  runs: Run[];
};

/** Consecutive blocks: old ones from `source` on, or new ones. */
type Run = {
  readonly source: number | null;
  readonly count: number;
  lengths: number[];
  packed: number[];
  hashes: Buffer;
};

function decodeBody(old: Manifest, reader: ByteReader, hasHashes: boolean, maxBlocks: number): Omit<Draft, 'id'> {
  const header = decodeHeader(old, reader);
  const order = readOrder(old, reader);
  const fresh = order.filter((item) => typeof item !== 'number');
  readFresh(old, reader, fresh, hasHashes, maxBlocks);
  reader.end();
  const [gaps, table, missing] = [gapsOf(old.entries), new TableBuilder(old, maxBlocks), new Set<number>()];
  let end = 0;
  const entries = order.map((item, index): Entry => {
    const isKept = typeof item === 'number';
    const entry = isKept ? keptEntry(old, item, gaps, table, end) : freshEntry(item, table, end);
    if (entry.type !== 'file') return entry;
    end = entry.offset + entry.packed;
    if (!isKept && item.source === null && item.sha256 === null && entry.size > 0) missing.add(index);
    return entry;
  });
  return { manifest: { ...header, entries, blocks: table.finish() }, missing };
}

function decodeHeader(old: Manifest, reader: ByteReader): Header {
  const sizes = reader.varint(1) === 1 ? old.sizes : readHeaderSizes(reader);
  const zip = { size: reader.varint(MANIFEST_LIMITS.fileBytes), sha256: reader.bytes(SHA256_BYTES) };
  const origin = { ...old.origin };
  for (const name of ORIGIN) if (reader.varint(1) === 0) origin[name] = reader.text(MANIFEST_LIMITS.text);
  return { sizes, zip, origin };
}

/** The new entries: the number of an old one that is kept, or one whose columns follow. */
function readOrder(old: Manifest, reader: ByteReader): (number | Fresh)[] {
  const order: (number | Fresh)[] = [];
  let at = 0;
  let fresh = 0;
  for (let left = reader.varint(reader.left); left > 0; left -= 1) {
    const number = reader.varint(OPS.length * MANIFEST_LIMITS.entries);
    const [op, count] = [OPS[number % OPS.length]!, Math.floor(number / OPS.length) + 1];
    if (op !== 'add' && at + count > old.entries.length) throw new DeltaError('The old manifest has fewer entries.');
    if (op !== 'drop' && order.length + count > MANIFEST_LIMITS.entries)
      throw new DeltaError('There are too many entries.');
    // An entry that isn't kept takes two bytes at least, and memory before they are read.
    if (op === 'add' || op === 'change') {
      fresh += count;
      if (2 * fresh > reader.left) throw new DeltaError('The difference ends too early.');
    }
    for (let step = 0; step < count; step += 1) {
      if (op === 'keep') order.push(at);
      if (op === 'change') order.push(emptyFresh(old.entries[at]!));
      if (op === 'add') order.push(emptyFresh(null));
      if (op !== 'add') at += 1;
    }
  }
  return order;
}

function emptyFresh(before: Entry | null): Fresh {
  const kind = { type: 'file', method: 'stored' } as const;
  const rest = { mode: 0, target: '', gap: 0, source: null, size: 0, packed: 0, sha256: null, blocks: 0, runs: [] };
  return { before, path: before?.path ?? '', kind, ...rest };
}

function readFresh(
  old: Manifest,
  reader: ByteReader,
  fresh: readonly Fresh[],
  hasHashes: boolean,
  maxBlocks: number,
): void {
  const added = fresh.filter(({ before }) => before === null);
  for (const [index, path] of readPaths(reader, added.length).entries()) added[index]!.path = path;
  for (const item of fresh) item.kind = readKind(reader);
  for (const item of fresh) if (item.kind.type !== 'link') item.mode = reader.varint(MAX_MODE);
  for (const item of fresh) if (item.kind.type === 'link') item.target = reader.text(MAX_TARGET_BYTES);
  const files = fresh.filter(({ kind }) => kind.type === 'file');
  for (const item of files) item.gap = reader.signed();
  for (const item of files) item.source = readSource(old, reader);
  const made = files.filter(({ source }) => source === null);
  for (const item of made) item.size = readSize(reader, item.before);
  const full = made.filter(({ size }) => size > 0);
  for (const item of full) if (item.kind.method === 'whole') item.packed = reader.varint(MANIFEST_LIMITS.fileBytes);
  for (const item of full) if (hasHashes) item.sha256 = reader.bytes(SHA256_BYTES);
  for (const item of full) item.blocks = reader.varint(MANIFEST_LIMITS.blocks);
  readRuns(old, reader, full, maxBlocks);
  const literals = full.flatMap((item) =>
    item.runs.filter(({ source }) => source === null).map((run) => ({ item, run })),
  );
  for (const { item, run } of literals)
    run.lengths = item.blocks > 1 ? times(run.count, () => reader.varint(MANIFEST_LIMITS.blockBytes)) : [item.size];
  for (const { item, run } of literals)
    if (item.kind.method === 'blocks')
      run.packed = times(run.count, () => reader.varint(2 * MANIFEST_LIMITS.blockBytes));
  for (const { item, run } of literals) {
    if (item.blocks > 1 && hasHashes) run.hashes = reader.bytes(run.count * BLOCK_HASH_BYTES);
    else if (item.sha256 !== null) run.hashes = item.sha256.subarray(0, BLOCK_HASH_BYTES);
  }
}

function readSource(old: Manifest, reader: ByteReader): FileEntry | null {
  const number = reader.varint(old.entries.length);
  const entry = number === 0 ? null : old.entries[number - 1]!;
  if (entry !== null && entry.type !== 'file') throw new DeltaError('The content of an entry is not a file.');
  return entry;
}

function readSize(reader: ByteReader, before: Entry | null): number {
  const size = (before?.type === 'file' ? before.size : 0) + reader.signed();
  if (!(size >= 0 && size <= MANIFEST_LIMITS.fileBytes)) throw new DeltaError('The size of a file is invalid.');
  return size;
}

function readRuns(old: Manifest, reader: ByteReader, files: readonly Fresh[], maxBlocks: number): void {
  let expected = 0;
  let total = 0;
  for (const item of files) {
    if (item.before?.type === 'file') expected = item.before.firstBlock;
    for (let left = item.blocks; left > 0; ) {
      const number = reader.varint(2 * left);
      const count = Math.floor(number / 2) + 1;
      const source = number % 2 === 1 ? expected + reader.signed() : null;
      if (count > left) throw new DeltaError('A file has more blocks than it says.');
      if (source !== null && !(source >= 0 && source + count <= old.blocks.count))
        throw new DeltaError('The old manifest has fewer blocks.');
      // New blocks take bytes in the difference, old ones nearly none.
      if (source === null && item.blocks > 1 && count > reader.left)
        throw new DeltaError('The difference ends too early.');
      item.runs.push({ source, count, lengths: [], packed: [], hashes: Buffer.alloc(0) });
      expected = (source ?? expected) + count;
      left -= count;
      total += count;
      if (total > maxBlocks) throw new DeltaError('There are too many blocks.');
    }
  }
}

function keptEntry(old: Manifest, index: number, gaps: readonly number[], table: TableBuilder, end: number): Entry {
  const entry = old.entries[index]!;
  if (entry.type !== 'file') return entry;
  const firstBlock = table.addOld(entry.firstBlock, entry.blocks);
  return { ...entry, firstBlock, offset: offsetOf(entry.path, gaps[index]!, end) };
}

function freshEntry(item: Fresh, table: TableBuilder, end: number): Entry {
  const { path, kind, mode, target, source } = item;
  if (kind.type === 'link') return { path, type: kind.type, target };
  if (kind.type === 'folder') return { path, type: kind.type, mode };
  const offset = offsetOf(path, item.gap, end);
  if (source !== null)
    return { ...source, path, mode, offset, firstBlock: table.addOld(source.firstBlock, source.blocks) };
  const { size, blocks } = item;
  const firstBlock = table.count;
  for (const run of item.runs) table.addRun(run, kind.method);
  const sha256 = size === 0 ? EMPTY_SHA256 : (item.sha256 ?? Buffer.alloc(SHA256_BYTES));
  const packed = kind.method === 'whole' ? item.packed : packedLength(table, kind.method, firstBlock, blocks);
  return { path, type: kind.type, mode, size, sha256, method: kind.method, offset, packed, firstBlock, blocks };
}

/** Collects the blocks of the new manifest. */
class TableBuilder {
  readonly #old: Manifest;
  readonly #maxBlocks: number;
  readonly lengths: number[] = [];
  readonly packed: number[] = [];
  readonly #hashes: Buffer[] = [];

  constructor(old: Manifest, maxBlocks: number) {
    this.#old = old;
    this.#maxBlocks = maxBlocks;
  }

  get count(): number {
    return this.lengths.length;
  }

  /** Adds old blocks and returns the number of the first one. */
  addOld(first: number, count: number): number {
    const { blocks } = this.#old;
    if (this.count + count > this.#maxBlocks) throw new DeltaError('There are too many blocks.');
    for (let block = first; block < first + count; block += 1) {
      this.lengths.push(blocks.lengths[block]!);
      this.packed.push(blocks.packed[block]!);
    }
    this.#hashes.push(blocks.hashes.subarray(first * BLOCK_HASH_BYTES, (first + count) * BLOCK_HASH_BYTES));
    return this.count - count;
  }

  addRun({ source, count, lengths, packed, hashes }: Run, method: FileEntry['method']): void {
    if (source !== null) {
      this.addOld(source, count);
      return;
    }
    for (const [index, length] of lengths.entries()) {
      this.lengths.push(length);
      this.packed.push(method === 'blocks' ? packed[index]! : method === 'stored' ? length : 0);
    }
    this.#hashes.push(hashes.length > 0 ? hashes : Buffer.alloc(count * BLOCK_HASH_BYTES));
  }

  finish(): Manifest['blocks'] {
    const { count } = this;
    const [lengths, packed] = [Uint32Array.from(this.lengths), Uint32Array.from(this.packed)];
    return { count, hashes: Buffer.concat(this.#hashes), lengths, packed };
  }
}
