// Composes a zip from a bundle and the zips of earlier files. Runs in a thread.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { FLUSH_END, STREAM_END, storedLength, unpackBlock } from '@chauffeur/deltas/blocks';
import { type BundleHead, type ReadBytes, readFramedBlock } from '@chauffeur/deltas/bundle';
import { DeltaError } from '@chauffeur/deltas/error';
import { BLOCK_HASH_BYTES, blockHash, type Entry, type FileEntry } from '@chauffeur/deltas/manifest';
import {
  centralHeader,
  DEFLATED,
  dataDescriptor,
  type EntryRecord,
  endRecords,
  localHeader,
  STORED,
  ZIP64_AT,
} from '@chauffeur/deltas/zip-layout';
import type { Place } from './block-sources.ts';

export type Ingredients = {
  readonly head: BundleHead;
  /** Where blocks that aren't in the bundle are. */
  readonly places: readonly (Place | undefined)[];
  /** Reads the bundle behind its head. */
  readonly readBundle: ReadBytes;
  /** Returns the bytes of the next place. Called once for each block that isn't in the bundle, in order. */
  readonly readPlace: (place: Place) => Promise<Buffer>;
};

/** A block is neither in the bundle nor in an earlier file any more. */
export class BlocksGoneError extends Error {
  override readonly name = 'BlocksGoneError';
}

/**
 * Yields the bytes of the zip. Blocks from the bundle are checked against their hashes; what the bundle says of whole files,
 * such as their CRC-32, is checked by the scan. Throws DeltaError for a bundle that isn't valid, and BlocksGoneError.
 */
export async function* composeZip(ingredients: Ingredients): AsyncGenerator<Buffer, void> {
  const { entries } = ingredients.head.recipe;
  const records: EntryRecord[] = [];
  let offset = 0;
  let file = 0;
  for (const entry of entries) {
    const crc = entry.type === 'file' && entry.size > 0 ? ingredients.head.crcs[file++]! : 0;
    const record = recordOf(entry, crc, offset);
    records.push(record);
    for await (const bytes of entryBytes(entry, record, ingredients)) {
      offset += bytes.length;
      yield bytes;
    }
  }
  let size = 0;
  for (const record of records) {
    const header = centralHeader(record);
    size += header.length;
    yield header;
  }
  yield endRecords({ entries: records.length, size, offset });
}

/** The same records as the command's, so that equal folders mostly give equal zips. */
function recordOf(entry: Entry, crc: number, offset: number): EntryRecord {
  const common = { packed: 0, offset, streamed: false, large: false };
  if (entry.type === 'link') {
    const target = Buffer.from(entry.target);
    const { length } = target;
    return {
      ...common,
      ...{
        name: Buffer.from(entry.path),
        method: STORED,
        crc: crc32(target),
        mode: 0o120777,
        packed: length,
        size: length,
      },
    };
  }
  if (entry.type === 'folder')
    return {
      ...common,
      name: Buffer.from(`${entry.path}/`),
      method: STORED,
      crc,
      mode: 0o040000 | entry.mode,
      size: 0,
    };
  const isStored = entry.method === 'stored';
  return {
    ...common,
    ...{ name: Buffer.from(entry.path), method: isStored ? STORED : DEFLATED, crc, mode: 0o100000 | entry.mode },
    size: entry.size,
    packed: isStored ? entry.size : 0,
    streamed: !isStored,
    large: storedLength(entry.size) + STORED_SPARE * entry.blocks >= ZIP64_AT,
  };
}

/** What each block may take in addition to one stored block of the same length. */
const STORED_SPARE = 16;

async function* entryBytes(entry: Entry, record: EntryRecord, ingredients: Ingredients): AsyncGenerator<Buffer, void> {
  yield localHeader(record);
  if (entry.type === 'link') yield Buffer.from(entry.target);
  if (entry.type !== 'file' || entry.size === 0) return;
  for (let block = entry.firstBlock; block < entry.firstBlock + entry.blocks; block += 1) {
    const bytes = await readBlock(entry, block, ingredients);
    if (record.streamed) record.packed += bytes.length;
    yield bytes;
  }
  if (!record.streamed) return;
  record.packed += STREAM_END.length;
  yield STREAM_END;
  yield dataDescriptor(record);
}

async function readBlock(entry: FileEntry, block: number, ingredients: Ingredients): Promise<Buffer> {
  const { head, places, readBundle, readPlace } = ingredients;
  const { blocks } = head.recipe;
  if (!head.included.has(block)) {
    const place = places[block];
    if (place === undefined) throw new BlocksGoneError('A block of an earlier file is gone.');
    return readPlace(place);
  }
  const length = blocks.lengths[block]!;
  const bytes = await readFramedBlock(readBundle, storedLength(length));
  const raw = entry.method === 'stored' ? bytes : unpack(bytes, length);
  const hash = createHash('sha256').update(raw).digest().subarray(0, BLOCK_HASH_BYTES);
  if (raw.length !== length || !hash.equals(blockHash(blocks, block)))
    throw new DeltaError('A block of the bundle has another content than the recipe says.');
  return bytes;
}

/** Only a block with this end can be followed by others. */
function unpack(packed: Buffer, length: number): Buffer {
  if (!packed.subarray(-FLUSH_END.length).equals(FLUSH_END))
    throw new DeltaError('A block of the bundle doesn’t end with a flush.');
  return unpackBlock(packed, length);
}
