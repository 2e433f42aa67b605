// The manifest of a zip: its entries, and the blocks of its files with their places in the zip.
import type { Os } from '@chauffeur/contract/platform-names';
import { ByteReader, ByteWriter, compress, decompress } from './bytes.ts';
import type { CutterSizes, Sizes } from './cutter.ts';
import { DeltaError } from './error.ts';
import { findPlaceProblem, MAX_PATH_BYTES, MAX_TARGET_BYTES } from './paths.ts';

/** Bytes of a block's hash: the beginning of the SHA-256 of its content. */
export const BLOCK_HASH_BYTES = 16;
export const SHA256_BYTES = 32;

/**
 * How the content of a file is in the zip: `stored` as it is; `blocks` as a deflate stream of blocks that can be unpacked
 * alone; `whole` as another deflate stream.
 */
export type Method = 'stored' | 'blocks' | 'whole';

export type FileEntry = {
  readonly path: string;
  readonly type: 'file';
  /** Permission bits. */
  readonly mode: number;
  readonly size: number;
  /** The SHA-256 of the content. */
  readonly sha256: Buffer;
  readonly method: Method;
  /** Where the data starts in the zip, and its length there. */
  readonly offset: number;
  readonly packed: number;
  /** The first of the file's blocks in the table, and their count. An empty file has none. */
  readonly firstBlock: number;
  readonly blocks: number;
};
type FolderEntry = { readonly path: string; readonly type: 'folder'; readonly mode: number };
type LinkEntry = { readonly path: string; readonly type: 'link'; readonly target: string };
export type Entry = FileEntry | FolderEntry | LinkEntry;

/** The blocks of all files, in the order of the entries. */
export type BlockTable = {
  readonly count: number;
  /** `BLOCK_HASH_BYTES` for each block. */
  readonly hashes: Buffer;
  readonly lengths: Uint32Array;
  /** Packed lengths; 0 for the blocks of a file with the method `whole`. */
  readonly packed: Uint32Array;
};

/** What the zip belongs to. */
export type Origin = {
  readonly game: string;
  readonly build: string;
  readonly file: string;
  readonly version: string;
  readonly os: string;
  readonly arch: string;
};

export type Manifest = {
  readonly origin: Origin;
  readonly sizes: Sizes;
  readonly zip: { readonly size: number; readonly sha256: Buffer };
  readonly entries: readonly Entry[];
  readonly blocks: BlockTable;
};

const MAGIC = Buffer.from('CHMF\x01', 'latin1');
const COMPRESSION_LEVEL = 19;
const LOCAL_HEADER_BYTES = 30;
/** The end of the deflate stream of a file with the method `blocks`. */
const STREAM_END_BYTES = 2;

const TYPES = ['file', 'folder', 'link'] as const;
const METHODS = ['stored', 'blocks', 'whole'] as const satisfies readonly Method[];
export const MAX_MODE = 0o777;

/** Limits for hostile input. The server accepts no zip with more entries or bytes. */
export const MANIFEST_LIMITS = {
  /** The length of the uncompressed manifest. */
  bytes: 256 * 1024 * 1024,
  entries: 200_000,
  blocks: 4_000_000,
  /** The length of a block, and so the memory that unpacking one takes. */
  blockBytes: 16 * 1024 * 1024,
  fileBytes: 64 * 1024 ** 3,
  text: 1024,
} as const;

/** A `Buffer` with the same content for equal manifests. Its SHA-256 identifies the manifest. */
export function encodeManifest(manifest: Manifest): Buffer {
  const writer = new ByteWriter(1 << 16);
  writer.bytes(MAGIC);
  writeHeader(writer, manifest);
  writer.varint(manifest.entries.length);
  writer.varint(manifest.blocks.count);
  for (const column of columnsOf(manifest)) writer.bytes(column.finish());
  return writer.finish();
}

/** Reads the result of `encodeManifest`. Throws DeltaError if it is invalid; the bytes may be hostile. */
export function decodeManifest(bytes: Uint8Array): Manifest {
  if (bytes.length > MANIFEST_LIMITS.bytes) throw new DeltaError('The manifest is too large.');
  const reader = new ByteReader(bytes);
  if (!reader.bytes(Math.min(MAGIC.length, reader.left)).equals(MAGIC))
    throw new DeltaError('Not a manifest of version 1.');
  const header = readHeader(reader);
  const entryCount = reader.varint(MANIFEST_LIMITS.entries);
  const blockCount = reader.varint(MANIFEST_LIMITS.blocks);
  // Each entry and each block takes several bytes, so that the counts can't make small input use much memory.
  if (entryCount * MIN_ENTRY_BYTES + blockCount * MIN_BLOCK_BYTES > reader.left)
    throw new DeltaError('The manifest is shorter than its counts.');
  const manifest = { ...header, ...readColumns(reader, header.zip.size, entryCount, blockCount) };
  reader.end();
  checkPlaces(manifest);
  return manifest;
}

/** The form for storage and transfer: the length of the manifest, then its bytes, compressed. */
export function packManifest(encoded: Uint8Array, level: number = COMPRESSION_LEVEL): Buffer {
  const writer = new ByteWriter();
  writer.varint(encoded.length);
  writer.bytes(compress(encoded, level));
  return writer.finish();
}

/** Throws DeltaError if the bytes are invalid; they may be hostile. */
export function unpackManifest(packed: Uint8Array): Buffer {
  const reader = new ByteReader(packed);
  const length = reader.varint(MANIFEST_LIMITS.bytes);
  return decompress(reader.bytes(reader.left), length);
}

/** The hash of block `index`. */
export function blockHash(blocks: BlockTable, index: number): Buffer {
  return blocks.hashes.subarray(index * BLOCK_HASH_BYTES, (index + 1) * BLOCK_HASH_BYTES);
}

/** Throws DeltaError if the paths or links of a manifest aren't safe to unpack on its OS. */
export function checkPlaces({ entries, origin }: Pick<Manifest, 'entries' | 'origin'>): void {
  const places = entries.map((entry) => ({ ...entry, target: entry.type === 'link' ? entry.target : '' }));
  const problem = findPlaceProblem(places, origin.os as Os);
  if (problem !== null) throw new DeltaError(`The manifest is unsafe: ${problem}.`);
}

/** A manifest without its entries and blocks. */
export type Header = Pick<Manifest, 'origin' | 'sizes' | 'zip'>;

function writeHeader(writer: ByteWriter, { origin, sizes, zip }: Header): void {
  for (const { uncut, min, average, max } of [sizes.stored, sizes.packed])
    for (const size of [uncut, min, average, max]) writer.varint(size);
  writer.varint(zip.size);
  writer.bytes(zip.sha256);
  for (const text of [origin.game, origin.build, origin.file, origin.version, origin.os, origin.arch])
    writer.text(text);
}

function readHeader(reader: ByteReader): Header {
  const sizes = readHeaderSizes(reader);
  const zip = { size: reader.varint(MANIFEST_LIMITS.fileBytes), sha256: reader.bytes(SHA256_BYTES) };
  const text = () => reader.text(MANIFEST_LIMITS.text);
  const origin = { game: text(), build: text(), file: text(), version: text(), os: text(), arch: text() };
  return { origin, sizes, zip };
}

export function readHeaderSizes(reader: ByteReader): Sizes {
  return { stored: readSizes(reader), packed: readSizes(reader) };
}

function readSizes(reader: ByteReader): CutterSizes {
  const [uncut, min, average, max] = times(4, () => reader.varint(MANIFEST_LIMITS.blockBytes)) as Four;
  if (!(0 < min && min <= average && average <= max)) throw new DeltaError('The lengths of blocks are invalid.');
  return { uncut, min, average, max };
}

type Four = [number, number, number, number];

/** What one entry and one block take at least in the columns. */
const MIN_ENTRY_BYTES = 4;
const MIN_BLOCK_BYTES = 2;

/** The columns, in their order. Values of the same kind next to each other compress best. */
function columnsOf(manifest: Manifest): ByteWriter[] {
  const { entries, blocks } = manifest;
  const column = () => new ByteWriter();
  const [shared, suffixes, kinds, modes, targets] = [column(), column(), column(), column(), column()];
  const [sizes, gaps, packed, counts, hashes] = [column(), column(), column(), column(), column()];
  const [blockLengths, blockPacked, blockHashes] = [column(), column(), column()];
  const entryGaps = gapsOf(entries);
  let path = Buffer.alloc(0);
  for (const [index, entry] of entries.entries()) {
    path = writePath(shared, suffixes, path, entry.path);
    kinds.varint(kindOf(entry));
    if (entry.type === 'link') targets.text(entry.target);
    else modes.varint(entry.mode);
    if (entry.type !== 'file') continue;
    sizes.varint(entry.size);
    gaps.signed(entryGaps[index]!);
    if (entry.method === 'whole') packed.varint(entry.packed);
    if (entry.size > 0) hashes.bytes(entry.sha256);
    if (entry.size > 0) counts.varint(entry.blocks);
    for (let index = entry.firstBlock; index < entry.firstBlock + entry.blocks; index += 1) {
      if (entry.blocks > 1) blockLengths.varint(blocks.lengths[index]!);
      if (entry.blocks > 1) blockHashes.bytes(blockHash(blocks, index));
      if (entry.method === 'blocks') blockPacked.varint(blocks.packed[index]!);
    }
  }
  return [
    ...[shared, suffixes, kinds, modes, targets, sizes, gaps, packed, counts, hashes],
    ...[blockLengths, blockPacked, blockHashes],
  ];
}

/**
 * For each file, how far its data starts behind the place where it would start after the previous file without extra
 * fields, descriptors and other entries between them. In zips of the same writer, it depends on little else.
 */
export function gapsOf(entries: readonly Entry[]): number[] {
  let end = 0;
  return entries.map((entry) => {
    if (entry.type !== 'file') return 0;
    const gap = entry.offset - end - LOCAL_HEADER_BYTES - Buffer.byteLength(entry.path);
    end = entry.offset + entry.packed;
    return gap;
  });
}

/** Where the data of a file starts: the inverse of `gapsOf`. `end` is where the data of the previous file ends. */
export function offsetOf(path: string, gap: number, end: number): number {
  return end + LOCAL_HEADER_BYTES + Buffer.byteLength(path) + gap;
}

/** Writes how many bytes of the previous path begin this one too, and the rest. */
export function writePath(
  shared: ByteWriter,
  suffixes: ByteWriter,
  previous: Buffer,
  path: string,
): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(path);
  let common = 0;
  while (common < bytes.length && bytes[common] === previous[common]) common += 1;
  shared.varint(common);
  suffixes.varint(bytes.length - common);
  suffixes.bytes(bytes.subarray(common));
  return bytes;
}

/** Reads `count` paths that `writePath` wrote to two columns. */
export function readPaths(reader: ByteReader, count: number): string[] {
  const shared = times(count, () => reader.varint(MAX_PATH_BYTES));
  let previous = Buffer.alloc(0);
  return shared.map((common) => {
    const suffix = reader.bytes(reader.varint(MAX_PATH_BYTES));
    if (common > previous.length || common + suffix.length > MAX_PATH_BYTES) throw new DeltaError('A path is invalid.');
    // Only the longest common beginning is valid, so that equal content has equal bytes.
    if (suffix.length > 0 && suffix[0] === previous[common]) throw new DeltaError('A path is padded.');
    previous = Buffer.concat([previous.subarray(0, common), suffix]);
    const path = previous.toString();
    if (!Buffer.from(path).equals(previous)) throw new DeltaError('A path is not UTF-8.');
    return path;
  });
}

function readColumns(reader: ByteReader, zipSize: number, count: number, blockCount: number) {
  const paths = readPaths(reader, count);
  const kinds = times(count, () => readKind(reader));
  const typeOf = (index: number) => kinds[index]!.type;
  const methodOf = (index: number) => kinds[index]!.method;
  const indices = [...kinds.keys()];
  const modes = forSome(
    indices,
    (index) => typeOf(index) !== 'link',
    () => reader.varint(MAX_MODE),
  );
  const targets = forSome(
    indices,
    (index) => typeOf(index) === 'link',
    () => reader.text(MAX_TARGET_BYTES),
  );
  const files = indices.filter((index) => typeOf(index) === 'file');
  const sizes = forSome(
    files,
    () => true,
    () => reader.varint(MANIFEST_LIMITS.fileBytes),
  );
  const gaps = forSome(
    files,
    () => true,
    () => reader.signed(),
  );
  const packed = forSome(
    files,
    (index) => methodOf(index) === 'whole',
    () => reader.varint(zipSize),
  );
  const full = files.filter((index) => sizes.get(index)! > 0);
  const counts = forSome(
    full,
    () => true,
    () => reader.varint(blockCount),
  );
  const hashes = forSome(
    full,
    () => true,
    () => reader.bytes(SHA256_BYTES),
  );
  const blocks = readBlocks(
    reader,
    blockCount,
    full.map((index) => ({
      size: sizes.get(index)!,
      blocks: counts.get(index)!,
      method: methodOf(index),
      sha256: hashes.get(index)!,
    })),
  );
  let [end, block] = [0, 0];
  const entries = indices.map((index): Entry => {
    const path = paths[index]!;
    const type = typeOf(index);
    if (type === 'link') return { path, type, target: targets.get(index)! };
    const mode = modes.get(index)!;
    if (type === 'folder') return { path, type, mode };
    const [size, method, own] = [sizes.get(index)!, methodOf(index), counts.get(index) ?? 0];
    const length = method === 'whole' ? packed.get(index)! : packedLength(blocks, method, block, own);
    const offset = offsetOf(path, gaps.get(index)!, end);
    if (offset < 0 || offset + length > zipSize) throw new DeltaError('A file is outside the zip.');
    end = offset + length;
    block += own;
    const sha256 = hashes.get(index) ?? EMPTY_SHA256;
    return { path, type, mode, size, sha256, method, offset, packed: length, firstBlock: block - own, blocks: own };
  });
  return { entries, blocks };
}

type BlocksOfFile = { size: number; blocks: number; method: Method; sha256: Buffer };

function readBlocks(reader: ByteReader, count: number, files: readonly BlocksOfFile[]): BlockTable {
  if (files.reduce((sum, file) => sum + file.blocks, 0) !== count)
    throw new DeltaError('The count of blocks is wrong.');
  const table = {
    count,
    hashes: Buffer.alloc(count * BLOCK_HASH_BYTES),
    lengths: new Uint32Array(count),
    packed: new Uint32Array(count),
  };
  let at = 0;
  for (const { size, blocks } of files) {
    let left = size;
    for (let index = at; index < at + blocks; index += 1) {
      const length = blocks === 1 ? size : reader.varint(MANIFEST_LIMITS.blockBytes);
      if (length === 0 || length > MANIFEST_LIMITS.blockBytes) throw new DeltaError('A block is empty or too large.');
      table.lengths[index] = length;
      left -= length;
    }
    if (left !== 0) throw new DeltaError('The blocks of a file are not as long as it is.');
    at += blocks;
  }
  at = 0;
  for (const { blocks, method } of files) {
    for (let index = at; index < at + blocks; index += 1) {
      if (method === 'blocks') table.packed[index] = reader.varint(2 * MANIFEST_LIMITS.blockBytes);
      if (method === 'stored') table.packed[index] = table.lengths[index]!;
    }
    at += blocks;
  }
  at = 0;
  for (const { blocks, sha256 } of files) {
    const hashes = blocks === 1 ? sha256.subarray(0, BLOCK_HASH_BYTES) : reader.bytes(blocks * BLOCK_HASH_BYTES);
    table.hashes.set(hashes, at * BLOCK_HASH_BYTES);
    at += blocks;
  }
  return table;
}

/** The length of a file's data in the zip, from its blocks. */
export function packedLength(
  table: { readonly packed: ArrayLike<number> },
  method: 'stored' | 'blocks',
  first: number,
  count: number,
): number {
  let sum = 0;
  for (let index = first; index < first + count; index += 1) sum += table.packed[index]!;
  return method === 'blocks' ? sum + STREAM_END_BYTES : sum;
}

/** The SHA-256 of no bytes. */
export const EMPTY_SHA256 = Buffer.from('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'hex');

/** The type and the method of an entry as one number. */
export function kindOf(entry: Entry): number {
  return TYPES.indexOf(entry.type) + TYPES.length * (entry.type === 'file' ? METHODS.indexOf(entry.method) : 0);
}

/** The inverse of `kindOf`. */
export function readKind(reader: ByteReader): { type: Entry['type']; method: Method } {
  const kind = reader.varint(TYPES.length * METHODS.length - 1);
  const [type, method] = [TYPES[kind % TYPES.length]!, METHODS[Math.floor(kind / TYPES.length)]!];
  if (type !== 'file' && method !== 'stored') throw new DeltaError('An entry is invalid.');
  return { type, method };
}

export function times<T>(count: number, read: () => T): T[] {
  return Array.from({ length: count }, read);
}

function forSome<T>(indices: readonly number[], needs: (index: number) => boolean, read: () => T): Map<number, T> {
  return new Map(indices.filter(needs).map((index) => [index, read()]));
}
