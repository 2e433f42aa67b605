// Finds the blocks of a recipe in the zips of earlier files, by their manifests. Runs in threads.
import { BlockSet, type Recipe } from '@chauffeur/deltas/bundle';
import {
  type BlockTable,
  blockHash,
  decodeManifest,
  type Entry,
  type Manifest,
  type Method,
  unpackManifest,
} from '@chauffeur/deltas/manifest';
import { blockOffsets } from '@chauffeur/deltas/plan';
import { BlobMissingError, type BlobStore } from '../../kernel/blobs/store.ts';

/** An earlier file of the same game: the keys of its zip and of its manifest. */
export type Source = { readonly fileId: string; readonly zipKey: string; readonly manifestKey: string };

/** Where a block is in the zip of a source: its index among the sources, and the bytes. */
export type Place = { readonly source: number; readonly offset: number; readonly packed: number };

export type FoundBlocks = {
  /** The place of each block of the recipe; undefined if no source has it. */
  readonly places: readonly (Place | undefined)[];
  /** The sources that have the same entries as the recipe, by their index. */
  readonly same: readonly number[];
};

/**
 * Looks for each block in the form in which the recipe needs it: as it is for stored files, deflated for others. The first
 * source that has it counts. A source that was deleted in the meantime has none. Rejects with the errors of the store.
 */
export async function findBlocks(store: BlobStore, sources: readonly Source[], recipe: Recipe): Promise<FoundBlocks> {
  const wanted = indexBlocks(recipe);
  const places: (Place | undefined)[] = new Array(recipe.blocks.count);
  const same: number[] = [];
  for (const [source, { manifestKey }] of sources.entries()) {
    const manifest = await readManifest(store, manifestKey);
    if (manifest === null) continue;
    if (hasSameEntries(manifest, recipe)) same.push(source);
    for (const { key, length, offset, packed } of blocksOf(manifest)) {
      const last = wanted.blocks.get(key);
      if (last === undefined || recipe.blocks.lengths[last] !== length) continue;
      const place = { source, offset, packed };
      for (let block = last; block !== NONE; block = wanted.before[block]!) places[block] = place;
      wanted.blocks.delete(key);
    }
  }
  return { places, same };
}

/** The blocks that have to be sent. */
export function missingOf({ places }: FoundBlocks, { blocks }: Recipe): BlockSet {
  const missing = new BlockSet(blocks.count);
  for (let block = 0; block < blocks.count; block += 1) if (places[block] === undefined) missing.add(block);
  return missing;
}

/** Instead of a block. */
const NONE = 0xffff_ffff;

type WantedBlocks = {
  /** The last block of the recipe with a content and form. */
  readonly blocks: Map<string, number>;
  /** The block before each block that has the same content and form. */
  readonly before: Uint32Array;
};

function indexBlocks(recipe: Recipe): WantedBlocks {
  const blocks = new Map<string, number>();
  const before = new Uint32Array(recipe.blocks.count);
  for (const entry of recipe.entries) {
    if (entry.type !== 'file') continue;
    for (let block = entry.firstBlock; block < entry.firstBlock + entry.blocks; block += 1) {
      const key = keyOf(entry.method, recipe.blocks, block);
      before[block] = blocks.get(key) ?? NONE;
      blocks.set(key, block);
    }
  }
  return { blocks, before };
}

function keyOf(method: Method, blocks: BlockTable, block: number): string {
  return `${method === 'stored' ? 's' : 'd'}${blockHash(blocks, block).toString('latin1')}`;
}

type BlockInZip = { readonly key: string; readonly length: number; readonly offset: number; readonly packed: number };

/** Blocks of files that are deflated as a whole can't be copied. */
function* blocksOf(manifest: Manifest): Generator<BlockInZip, undefined> {
  const { blocks } = manifest;
  for (const entry of manifest.entries) {
    if (entry.type !== 'file' || entry.method === 'whole') continue;
    for (const [index, offset] of blockOffsets(manifest, entry).entries()) {
      const block = entry.firstBlock + index;
      const key = keyOf(entry.method, blocks, block);
      yield { key, length: blocks.lengths[block]!, offset, packed: blocks.packed[block]! };
    }
  }
}

async function readManifest(store: BlobStore, key: string): Promise<Manifest | null> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of await store.read(key)) chunks.push(chunk);
    return decodeManifest(unpackManifest(Buffer.concat(chunks)));
  } catch (error) {
    if (error instanceof BlobMissingError) return null;
    throw error;
  }
}

function hasSameEntries({ entries }: Manifest, recipe: Recipe): boolean {
  return (
    entries.length === recipe.entries.length && entries.every((entry, index) => isSame(entry, recipe.entries[index]!))
  );
}

function isSame(a: Entry, b: Entry): boolean {
  if (a.path !== b.path) return false;
  if (a.type === 'link') return b.type === 'link' && a.target === b.target;
  if (a.type === 'folder') return b.type === 'folder';
  return b.type === 'file' && a.mode === b.mode && a.size === b.size && a.sha256.equals(b.sha256);
}
