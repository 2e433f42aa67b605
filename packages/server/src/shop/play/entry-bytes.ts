// Sends one entry of a web build to a browser: its content type, which depends on its name only, so that browsers do
// not guess it from the content, and its bytes: stored, unpacked, or as gzip, which reuses the compressed bytes.
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflateRaw } from 'node:zlib';
import { errors } from '@chauffeur/contract/errors';
import { KIB, MIB } from '@chauffeur/contract/limits';
import { readBytes } from '../../kernel/blobs/blob-bytes.ts';
import { cutRange } from '../../kernel/blobs/byte-source.ts';
import type { BlobStore, ByteRange } from '../../kernel/blobs/store.ts';
import { limitConcurrency } from '../../kernel/threads/concurrency.ts';
import type { WebBuild, WebEntry } from './web-build.ts';

const TEXT = '; charset=utf-8';

const TYPES: Readonly<Record<string, string>> = {
  html: `text/html${TEXT}`,
  htm: `text/html${TEXT}`,
  js: `text/javascript${TEXT}`,
  mjs: `text/javascript${TEXT}`,
  css: `text/css${TEXT}`,
  json: `application/json${TEXT}`,
  map: `application/json${TEXT}`,
  webmanifest: `application/manifest+json${TEXT}`,
  txt: `text/plain${TEXT}`,
  csv: `text/csv${TEXT}`,
  xml: `application/xml${TEXT}`,
  glsl: `text/plain${TEXT}`,
  // Browsers compile WebAssembly while it arrives only with this type (WebAssembly Web API, section 3).
  wasm: 'application/wasm',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  bmp: 'image/bmp',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  flac: 'audio/flac',
  weba: 'audio/webm',
  webm: 'video/webm',
  mp4: 'video/mp4',
  ogv: 'video/ogg',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  pdf: 'application/pdf',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
};

/** The type of archives of engines and unknown files, which a browser does not display. */
const BYTES = 'application/octet-stream';

/** The content encodings of entries that engines compressed, by extension. */
const CODINGS = { br: 'br', gz: 'gzip' } as const;

export type Coding = (typeof CODINGS)[keyof typeof CODINGS];

type EntryKind = {
  readonly contentType: string;
  /** The content encoding of the entry itself; `by content` if only its content shows whether it has one. */
  readonly coding: Coding | 'by content' | null;
};

/**
 * Unity exports files such as `Build/walk.wasm.br` with a loader that requires `Content-Encoding: br`. Other games
 * unpack files such as `level.bin.gz` themselves, so only the names that Unity and Emscripten use count as encoded.
 */
const ENCODED = /\.(?:js|wasm|data|mem|symbols\.json)\.(br|gz|unityweb)$/i;

/** The content type and encoding of the entry at this path. */
export function entryKindOf(path: string): EntryKind {
  const extension = ENCODED.exec(path)?.[1]?.toLowerCase() as keyof typeof CODINGS | 'unityweb' | undefined;
  if (extension === undefined) return { contentType: typeOf(path), coding: null };
  const contentType = typeOf(path.slice(0, -extension.length - 1));
  return { contentType, coding: extension === 'unityweb' ? 'by content' : CODINGS[extension] };
}

/** The number of first bytes that `codingOf` needs. */
export const CODING_BYTES = 64;

/**
 * The encoding of a `.unityweb` file, from its first bytes. Unity writes such files, of either encoding, with a loader
 * that unpacks them itself if the browser didn't. Brotli has no signature, but Unity adds a comment.
 */
export function codingOf(bytes: Buffer): Coding | null {
  if (bytes.length > 2 && bytes.readUInt16BE(0) === 0x1f8b) return 'gzip';
  return bytes.includes('UnityWeb Compressed Content (brotli)') ? 'br' : null;
}

function typeOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : BYTES;
}

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;

type Source = Pick<WebBuild, 'blobKey' | 'contentStarts'>;

/** The size of the pieces. Fewer, larger ones take a quarter of the time. */
const INFLATE_BYTES = 256 * KIB;

/** Reads the entry, or a range of it. The scan has checked their size and CRC-32. */
export async function readEntry(
  blobs: BlobStore,
  build: Source,
  entry: WebEntry,
  range: ByteRange | null,
): Promise<Readable> {
  if (entry.isStored) return readPacked(blobs, build, entry, range);
  const inflater = createInflateRaw({ chunkSize: INFLATE_BYTES });
  // The reader of the inflater gets the errors.
  pipeline(await readPacked(blobs, build, entry, null), inflater, () => undefined);
  return range === null ? inflater : asStream(cutRange(inflater, range), inflater);
}

/**
 * Ranges that begin further inside a deflated entry are queued, because everything before them is decompressed first.
 */
const MAX_FREE_SKIP = 32 * MIB;
const MAX_QUEUED = 32;
/** Decompressing 250 to 1000 MB takes a second of one CPU. */
const inTurn = limitConcurrency(2);
let queued = 0;

/**
 * A range of the entry, however far inside it begins. `signal` says that the client has left. Throws `unavailable` if
 * too many others are queued.
 */
export async function readEntryRange(
  blobs: BlobStore,
  build: Source,
  entry: WebEntry,
  range: ByteRange,
  signal: AbortSignal,
): Promise<Readable> {
  if (entry.isStored || range.start <= MAX_FREE_SKIP) return readEntry(blobs, build, entry, range);
  if (queued >= MAX_QUEUED)
    throw errors.unavailable('Too many parts of large compressed files are being read. Try again in a few seconds.');
  queued += 1;
  try {
    return await inTurn(async () => {
      if (signal.aborted) return Readable.from([]);
      const content = await readEntry(blobs, build, entry, range);
      const stop = () => content.destroy();
      signal.addEventListener('abort', stop, { once: true });
      return await begin(content);
    });
  } finally {
    queued -= 1;
  }
}

/**
 * Returns the decompressed bytes of an entry that an engine compressed. Throws `notPlayable` if it isn't compressed
 * like that.
 */
export async function decodeEntry(blobs: BlobStore, build: Source, entry: WebEntry, coding: Coding): Promise<Readable> {
  const decoder = coding === 'br' ? createBrotliDecompress() : createGunzip();
  pipeline(await readEntry(blobs, build, entry, null), decoder, () => undefined);
  try {
    return await begin(decoder);
  } catch (cause) {
    throw errors.notPlayable('The file is not compressed in the way that its name says.', { cause });
  }
}

/** Resolves when the first bytes were read, to a stream that has them too. Rejects with an error before them. */
async function begin(source: Readable): Promise<Readable> {
  const pieces: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  async function* all(): AsyncGenerator<Buffer> {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  return asStream(all(), source);
}

/** A stream of pieces of `source`, which ends with it, even if nothing was read. */
function asStream(pieces: AsyncIterable<Buffer>, source: Readable): Readable {
  return Readable.from(pieces, { objectMode: false }).once('close', () => source.destroy());
}

/** The number of bytes that `readEntryAsGzip` returns. */
export function gzipSizeOf({ packedSize }: WebEntry): number {
  return GZIP_HEADER.length + packedSize + GZIP_TRAILER_BYTES;
}

/** The header of a gzip file: magic number, deflate, no name, no time, unknown OS (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const GZIP_TRAILER_BYTES = 8;

/**
 * Returns a deflated entry as a gzip file without unpacking it: both contain the same deflate stream, and the checksum
 * at the end of a gzip file is in the directory of the zip.
 */
export async function readEntryAsGzip(blobs: BlobStore, build: Source, entry: WebEntry): Promise<Readable> {
  const packed = await readPacked(blobs, build, entry, null);
  const trailer = Buffer.alloc(GZIP_TRAILER_BYTES);
  trailer.writeUInt32LE(entry.crc32, 0);
  // The format stores the size modulo 2^32.
  trailer.writeUInt32LE(entry.size % 2 ** 32, 4);
  return Readable.from(
    (async function* () {
      yield GZIP_HEADER;
      yield* packed;
      yield trailer;
    })(),
    { objectMode: false },
  );
}

async function readPacked(
  blobs: BlobStore,
  build: Source,
  entry: WebEntry,
  range: ByteRange | null,
): Promise<Readable> {
  const { start, end } = range ?? { start: 0, end: entry.packedSize - 1 };
  if (end < start) return Readable.from([]);
  const first = await findContent(blobs, build, entry);
  return blobs.read(build.blobKey, { start: first + start, end: first + end });
}

/**
 * The offset after the local header, its name and its extra field (APPNOTE.TXT, 4.3.7), which may differ from the
 * directory's.
 */
async function findContent(
  blobs: BlobStore,
  { blobKey: key, contentStarts }: Source,
  entry: WebEntry,
): Promise<number> {
  const cached = contentStarts.get(entry);
  if (cached !== undefined) return cached;
  const header = await readBytes(blobs, key, entry.offset, entry.offset + LOCAL_HEADER_BYTES);
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new Error(`The blob ${key} has no entry at ${entry.offset}`);
  const start = entry.offset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  contentStarts.set(entry, start);
  return start;
}
