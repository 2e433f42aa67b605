// A bundle: what a server needs to compose a zip whose other blocks it has from earlier zips. A recipe says what the zip
// consists of; behind it are the checksums of its files and the blocks that the server doesn't have.
import { DeltaError } from './error.ts';
import {
  type BlockTable,
  decodeManifest,
  type Entry,
  type FileEntry,
  type Manifest,
  offsetOf,
  packedLength,
  SHA256_BYTES,
  unpackManifest,
} from './manifest.ts';

const MAGIC = Buffer.from('CHMB\x01', 'latin1');
const LENGTH_BYTES = 4;
const CRC_BYTES = 4;

/** The most bytes of a packed recipe. One of 200,000 files takes 7 MB, and of 900,000 blocks 15 MB. */
export const MAX_RECIPE_BYTES = 32 * 1024 * 1024;

/**
 * The manifest of a zip that isn't composed yet. Its packed lengths of blocks are 0, and so the places and the size and
 * SHA-256 of the zip mean nothing. No file has the method `whole`.
 */
export type Recipe = Manifest;

/** A file of a recipe, without its place in the zip. */
export type RecipeEntry = Omit<FileEntry, 'offset' | 'packed'> | Exclude<Manifest['entries'][number], FileEntry>;

export type RecipeParts = Pick<Manifest, 'origin' | 'sizes'> & {
  readonly entries: readonly RecipeEntry[];
  readonly blocks: Omit<BlockTable, 'packed'>;
};

/** Makes a recipe of entries whose places aren't known. No file may have the method `whole`. */
export function makeRecipe({ origin, sizes, entries, blocks }: RecipeParts): Recipe {
  const packed = new Uint32Array(blocks.count);
  let end = 0;
  const placed = entries.map((entry): Entry => {
    if (entry.type !== 'file') return entry;
    const { method, firstBlock, blocks: count } = entry;
    if (method === 'stored')
      for (let block = firstBlock; block < firstBlock + count; block += 1) packed[block] = blocks.lengths[block]!;
    const length = method === 'whole' ? 0 : packedLength({ packed }, method, firstBlock, count);
    const offset = offsetOf(entry.path, 0, end);
    end = offset + length;
    return { ...entry, offset, packed: length };
  });
  const zip = { size: end, sha256: Buffer.alloc(SHA256_BYTES) };
  return { origin, sizes, zip, entries: placed, blocks: { ...blocks, packed } };
}

/** Reads a packed recipe. Throws DeltaError if it is invalid; it may be hostile. */
export function readRecipe(packed: Uint8Array): Recipe {
  if (packed.length > MAX_RECIPE_BYTES) throw new DeltaError('The recipe is too large.');
  const recipe = decodeManifest(unpackManifest(packed));
  if (recipe.entries.some((entry) => entry.type === 'file' && entry.method === 'whole'))
    throw new DeltaError('The recipe has a file that isn’t made of blocks.');
  return recipe;
}

/** The files of a recipe that aren't empty, in its order: they have blocks and a checksum. */
function filesWithContent({ entries }: Pick<Recipe, 'entries'>): FileEntry[] {
  return entries.filter((entry): entry is FileEntry => entry.type === 'file' && entry.size > 0);
}

/** A bit for each block, the lowest bit of the first byte for the first one. */
export class BlockSet {
  readonly bytes: Buffer;
  readonly count: number;

  /** Throws DeltaError unless `bytes` has as many bits as `count` needs. */
  constructor(count: number, bytes: Buffer = Buffer.alloc(Math.ceil(count / 8))) {
    if (bytes.length !== Math.ceil(count / 8)) throw new DeltaError('The set of blocks has the wrong length.');
    this.count = count;
    this.bytes = bytes;
  }

  has(block: number): boolean {
    return ((this.bytes[block >> 3]! >> (block & 7)) & 1) === 1;
  }

  add(block: number): void {
    this.bytes[block >> 3]! |= 1 << (block & 7);
  }
}

export type BundleHead = {
  readonly recipe: Recipe;
  /** The CRC-32 of the content of each file that isn't empty. */
  readonly crcs: Uint32Array;
  /** The blocks in the bundle, in the order of the recipe. */
  readonly included: BlockSet;
};

/** The beginning of a bundle. The blocks follow in their order, each with `lengthOf` it in front. */
export function bundleHead(
  packedRecipe: Uint8Array,
  { crcs, included }: Pick<BundleHead, 'crcs' | 'included'>,
): Buffer {
  const checksums = Buffer.alloc(CRC_BYTES * crcs.length);
  for (const [index, crc] of crcs.entries()) checksums.writeUInt32LE(crc, CRC_BYTES * index);
  return Buffer.concat([MAGIC, lengthOf(packedRecipe.length), packedRecipe, checksums, included.bytes]);
}

/** The length of a block as it is in the zip, which comes before its bytes. */
export function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes);
  return length;
}

/** Returns the next bytes, exactly as many. Rejects if there are fewer. */
export type ReadBytes = (count: number) => Promise<Buffer>;

/** Reads the beginning of a bundle. Rejects with DeltaError if it is invalid; it may be hostile. */
export async function readBundleHead(read: ReadBytes): Promise<BundleHead> {
  if (!(await read(MAGIC.length)).equals(MAGIC)) throw new DeltaError('Not a bundle of version 1.');
  const recipeBytes = (await read(LENGTH_BYTES)).readUInt32LE();
  if (recipeBytes > MAX_RECIPE_BYTES) throw new DeltaError('The recipe is too large.');
  const recipe = readRecipe(await read(recipeBytes));
  const files = filesWithContent(recipe).length;
  const checksums = await read(CRC_BYTES * files);
  const crcs = Uint32Array.from({ length: files }, (_, index) => checksums.readUInt32LE(CRC_BYTES * index));
  const included = new BlockSet(recipe.blocks.count, await read(Math.ceil(recipe.blocks.count / 8)));
  return { recipe, crcs, included };
}

/** Reads the next block of at most `maxBytes`. Rejects with DeltaError. */
export async function readFramedBlock(read: ReadBytes, maxBytes: number): Promise<Buffer> {
  const length = (await read(LENGTH_BYTES)).readUInt32LE();
  if (length === 0 || length > maxBytes) throw new DeltaError('A block of the bundle has an impossible length.');
  return read(length);
}
