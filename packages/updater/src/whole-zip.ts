// Installs from a zip for which the server has no manifest, such as one that was uploaded to an older server: the zip is
// downloaded as a whole, and its manifest is made here.
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { ContentBlocks } from '@chauffeur/deltas/content-blocks';
import { DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import { DeltaError } from '@chauffeur/deltas/error';
import {
  BLOCK_HASH_BYTES,
  checkPlaces,
  decodeManifest,
  type Entry,
  encodeManifest,
  MANIFEST_LIMITS,
  MAX_MODE,
  type Manifest,
  type Method,
  type Origin,
} from '@chauffeur/deltas/manifest';
import { MAX_TARGET_BYTES } from '@chauffeur/deltas/paths';
import { openPromise, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { CHUNK_BYTES, readExactly } from './content.ts';
import type { Source } from './download.ts';
import { untrusted } from './trust.ts';

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
const LOCAL_HEADER_BYTES = 30;
const TYPE_MASK = 0o170000;
const LINK = 0o120000;

/** Makes the manifest of the zip at `path`. Rejects with UpdaterError if its entries aren't safe to unpack, or damaged. */
export async function readZip(path: string, origin: Origin, signal: AbortSignal): Promise<Manifest> {
  await using handle = await open(path, 'r');
  const { size } = await handle.stat();
  const sha256 = createHash('sha256');
  for await (const chunk of readRange(handle, 0, size)) {
    signal.throwIfAborted();
    sha256.update(chunk);
  }
  try {
    const { entries, contents } = await readEntries(path, handle, signal);
    const manifest = manifestOf(origin, { size, sha256: sha256.digest() }, entries, contents);
    // Reading it applies every check of a manifest.
    return decodeManifest(encodeManifest(manifest));
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof DeltaError || isZipProblem(cause))
      throw untrusted(`The download is not a valid zip. ${(cause as Error).message}`, undefined, cause);
    throw cause;
  }
}

/** yauzl throws plain errors, errors of zlib have its codes, and errors of the disk have codes of the system. */
function isZipProblem(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE';
}

type Content = { readonly offset: number; readonly method: Method; readonly cut: ReturnType<ContentBlocks['finish']> };

async function readEntries(path: string, handle: FileHandle, signal: AbortSignal) {
  const zip: ZipFile = await openPromise(path, { lazyEntries: true });
  try {
    if (zip.entryCount > MANIFEST_LIMITS.entries) throw new DeltaError('It has too many entries.');
    const listed: ZipEntry[] = [];
    for await (const entry of zip.eachEntry()) listed.push(entry);
    const entries: Entry[] = [];
    const contents: (Content | null)[] = [];
    for (const entry of listed) {
      signal.throwIfAborted();
      const found = await readEntry(handle, entry, signal);
      if (found === null) continue;
      entries.push(found.entry);
      contents.push(found.content);
    }
    checkPlaces({ entries, origin: { os: '' } as Origin });
    return { entries, contents };
  } finally {
    zip.close();
  }
}

/** Null for the folder itself. The places of the content's blocks are filled in later. */
async function readEntry(
  handle: FileHandle,
  record: ZipEntry,
  signal: AbortSignal,
): Promise<{ entry: Entry; content: Content | null } | null> {
  const path = record.fileName.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  const unixMode = record.externalFileAttributes >>> 16;
  if (path === '' || path === '.') return null;
  const mode = unixMode & MAX_MODE;
  if (record.fileName.endsWith('/')) return { entry: { path, type: 'folder', mode }, content: null };
  if ((record.generalPurposeBitFlag & ENCRYPTED) !== 0) throw new DeltaError('It is encrypted.');
  if (record.compressionMethod !== STORED && record.compressionMethod !== DEFLATED)
    throw new DeltaError('It is compressed in a way that is not supported.');
  const offset = await dataOffsetOf(handle, record);
  if ((unixMode & TYPE_MASK) === LINK) {
    if (record.uncompressedSize > MAX_TARGET_BYTES) throw new DeltaError('A link is too long.');
    const chunks = await Array.fromAsync(contentOf(handle, record, offset));
    return { entry: { path, type: 'link', target: Buffer.concat(chunks).toString() }, content: null };
  }
  const method: Method = record.compressionMethod === STORED ? 'stored' : 'whole';
  const sizes = method === 'stored' ? DEFAULT_SIZES.stored : DEFAULT_SIZES.packed;
  const blocks = new ContentBlocks(sizes, record.uncompressedSize);
  for await (const chunk of contentOf(handle, record, offset)) {
    signal.throwIfAborted();
    blocks.push(chunk);
  }
  const cut = blocks.finish();
  const place = { method, offset, packed: record.compressedSize, firstBlock: 0, blocks: cut.blocks.length };
  const entry: Entry = { path, type: 'file', mode, size: record.uncompressedSize, sha256: cut.sha256, ...place };
  return { entry, content: { offset, method, cut } };
}

async function dataOffsetOf(handle: FileHandle, record: ZipEntry): Promise<number> {
  const header = Buffer.alloc(LOCAL_HEADER_BYTES);
  const at = record.relativeOffsetOfLocalHeader;
  if (!(await readExactly(handle, header, header.length, at)) || header.readUInt32LE(0) !== 0x0403_4b50)
    throw new DeltaError('An entry is not where the directory says.');
  return at + header.length + header.readUInt16LE(26) + header.readUInt16LE(28);
}

/** The unpacked bytes, never more than the directory says. */
async function* contentOf(handle: FileHandle, record: ZipEntry, offset: number): AsyncGenerator<Buffer, void> {
  let left = record.uncompressedSize;
  const packed = readRange(handle, offset, record.compressedSize);
  for await (const chunk of record.compressionMethod === STORED ? packed : inflate(packed)) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0) throw new DeltaError('An entry has another size than the directory says.');
}

async function* inflate(packed: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  const inflater = createInflateRaw({ chunkSize: CHUNK_BYTES });
  yield* Readable.from(packed)
    .on('error', (error) => inflater.destroy(error))
    .pipe(inflater) as AsyncIterable<Buffer>;
}

async function* readRange(handle: FileHandle, offset: number, length: number): AsyncGenerator<Buffer, void> {
  for (let done = 0; done < length; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length - done));
    if (!(await readExactly(handle, buffer, buffer.length, offset + done))) throw new DeltaError('It ends too early.');
    done += buffer.length;
    yield buffer;
  }
}

function manifestOf(
  origin: Origin,
  zip: Manifest['zip'],
  found: readonly Entry[],
  contents: readonly (Content | null)[],
): Manifest {
  const [hashes, lengths, packed]: [Buffer[], number[], number[]] = [[], [], []];
  const entries = found.map((entry, index): Entry => {
    const content = contents[index];
    if (entry.type !== 'file' || content == null) return entry;
    const firstBlock = lengths.length;
    for (const { length, hash } of content.cut.blocks) {
      hashes.push(hash);
      lengths.push(length);
      packed.push(content.method === 'stored' ? length : 0);
    }
    return { ...entry, firstBlock };
  });
  const table = Buffer.concat(hashes, hashes.length * BLOCK_HASH_BYTES);
  const blocks = {
    count: lengths.length,
    hashes: table,
    lengths: Uint32Array.from(lengths),
    packed: Uint32Array.from(packed),
  };
  return { origin, sizes: DEFAULT_SIZES, zip, entries, blocks };
}

/** Reads the parts from a zip on disk, like those of a server. */
export function localSource(path: string): Source {
  return {
    forget: () => {},
    async open(offset, length) {
      const handle = await open(path, 'r');
      const bytes = readRange(handle, offset, length);
      let isOpen = true;
      const end = () => {
        if (isOpen) void handle.close();
        isOpen = false;
      };
      return { start: offset, bytes, end };
    },
  };
}
