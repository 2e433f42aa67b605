// Writes the manifest of a zip from what its scan has read, so that its bytes are read once.
import { createHash } from 'node:crypto';
import { DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import { DeltaError } from '@chauffeur/deltas/error';
import {
  BLOCK_HASH_BYTES,
  type BlockTable,
  checkPlaces,
  type Entry,
  encodeManifest,
  MAX_MODE,
  type Origin,
  packManifest,
} from '@chauffeur/deltas/manifest';
import type { ZipEntry } from '../../kernel/zip/zip-entry.ts';
import type { EntryContent, ZipReading } from './zip-content.ts';

/** What the manifest says of the zip apart from its entries. `checksum` is the SHA-256 of the zip as hex digits. */
export type ZipFacts = { readonly origin: Origin; readonly checksum: string };

/** `packed` is stored and sent. `sha256` identifies the manifest: it is that of the bytes before they are packed. */
export type WrittenManifest = { readonly packed: Buffer; readonly sha256: Buffer };

/**
 * Returns null for a zip whose entries can't be in a manifest, such as one with more blocks than it may have. Players get
 * such a zip as a whole.
 */
export function writeManifest(
  { directory, contents }: ZipReading,
  { origin, checksum }: ZipFacts,
): WrittenManifest | null {
  const entries: Entry[] = [];
  const table = new BlockTableWriter();
  for (const entry of directory.entries)
    if (entry.path !== '') entries.push(entryOf(entry, contents.get(entry), table));
  try {
    checkPlaces({ origin, entries });
    const zip = { size: directory.fileSize, sha256: Buffer.from(checksum, 'hex') };
    const encoded = encodeManifest({ origin, sizes: DEFAULT_SIZES, zip, entries, blocks: table.finish() });
    return { packed: packManifest(encoded), sha256: createHash('sha256').update(encoded).digest() };
  } catch (error) {
    if (error instanceof DeltaError) return null;
    throw error;
  }
}

function entryOf(entry: ZipEntry, content: EntryContent | undefined, table: BlockTableWriter): Entry {
  const { path, size } = entry;
  // A zip from a system without such modes has none.
  const mode = entry.mode & MAX_MODE;
  if (entry.type === 'folder' || content === undefined) return { path: path.replace(/\/$/, ''), type: 'folder', mode };
  if (content.target !== null) return { path, type: 'link', target: content.target };
  const { sha256, method, offset, blocks } = content;
  const firstBlock = table.add(content);
  const place = { method, offset, packed: entry.packedSize };
  return { path, type: 'file', mode, size, sha256, ...place, firstBlock, blocks: blocks.length };
}

class BlockTableWriter {
  readonly #hashes: Buffer[] = [];
  readonly #lengths: number[] = [];
  readonly #packed: number[] = [];

  /** Adds the blocks of a file. Returns the index of the first one. */
  add({ blocks, method, packed }: EntryContent): number {
    const first = this.#lengths.length;
    for (const [index, { length, hash }] of blocks.entries()) {
      this.#hashes.push(hash);
      this.#lengths.push(length);
      this.#packed.push(method === 'stored' ? length : (packed[index] ?? 0));
    }
    return first;
  }

  finish(): BlockTable {
    return {
      count: this.#lengths.length,
      hashes: Buffer.concat(this.#hashes, this.#lengths.length * BLOCK_HASH_BYTES),
      lengths: Uint32Array.from(this.#lengths),
      packed: Uint32Array.from(this.#packed),
    };
  }
}
