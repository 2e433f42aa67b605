// Decodes bodies as clients encode them: gzip, deflate with or without the header of zlib, Brotli, zstd, several of them
// one after another, and some with a Content-Encoding that is missing or wrong. The size of what comes out is bounded at
// each step, and bytes are only decoded as fast as they are read. A body that was cut off decodes to what had arrived:
// the format inside of it shows what is missing.
import { Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { SentryError } from './error.ts';

export type ByteSource = AsyncIterable<Uint8Array>;

export type DecodingLimits = {
  /** Bytes after decoding, and between two steps of it. */
  readonly maxBytes: number;
};

type Encoding = 'gzip' | 'zlib' | 'raw-deflate' | 'br' | 'zstd';

/** A chain is at most this long: a proxy may compress again what a client has compressed. */
const MAX_CHAIN = 3;
const NAMES: Readonly<Record<string, 'gzip' | 'deflate' | 'br' | 'zstd'>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  zlib: 'deflate',
  br: 'br',
  zstd: 'zstd',
};

/**
 * The decoded bytes. Throws SentryError: `unsupported` for another encoding before the first byte, `malformed` for bytes
 * that can't be decoded any further, `too-large` past `maxBytes` or 200 times what was sent, and errors of the source,
 * each after the bytes that came before it.
 */
export async function* decodeBody(
  source: ByteSource,
  contentEncoding: string | undefined,
  { maxBytes }: DecodingLimits,
): AsyncGenerator<Uint8Array, undefined> {
  const named = encodingsOf(contentEncoding);
  let sent = 0;
  async function* counted(): AsyncGenerator<Uint8Array, undefined> {
    for await (const piece of source) {
      sent += piece.length;
      yield piece;
    }
  }
  const maxDecoded = () => Math.min(maxBytes, ANY_RATIO_BYTES + MAX_RATIO * sent);
  let bytes: ByteSource = counted();
  // The last one was applied last.
  for (const name of named.toReversed()) bytes = await decodeStep(bytes, name, maxDecoded);
  if (named.length === 0) bytes = await decodeStep(bytes, null, maxDecoded);
  yield* bounded(bytes, () => maxBytes);
}

/**
 * Dumps and logs are compressed to a twentieth, and dumps with much empty memory to a hundredth. Some kilobytes that
 * decode to hundreds of megabytes take seconds and contain nothing.
 */
const MAX_RATIO = 200;
/** The limit of what is sent in a few bytes. */
const ANY_RATIO_BYTES = 16 * 1024 * 1024;

function encodingsOf(header: string | undefined): ('gzip' | 'deflate' | 'br' | 'zstd')[] {
  const names = (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity' && name !== 'none' && name !== 'utf-8');
  if (names.length > MAX_CHAIN)
    throw new SentryError('unsupported', `Content-Encoding: more than ${MAX_CHAIN} encodings. Send one.`);
  return names.map((name) => {
    if (!Object.hasOwn(NAMES, name))
      throw new SentryError('unsupported', 'Content-Encoding: not supported. Send gzip, deflate, br, zstd or none.');
    return NAMES[name]!;
  });
}

/** Enough to recognize each encoding. */
const START_BYTES = 4;

async function decodeStep(
  source: ByteSource,
  name: 'gzip' | 'deflate' | 'br' | 'zstd' | null,
  maxBytes: () => number,
): Promise<ByteSource> {
  const { start, bytes } = await peek(source);
  const encoding = encodingOfStart(start, name);
  return encoding === null ? bytes : bounded(decode(bytes, encoding), maxBytes);
}

/**
 * What the bytes are encoded with. Their start decides, since proxies and libraries decode bodies and leave the header,
 * or encode them without it. Only Brotli and deflate without a header can't be recognized, so they need to be named.
 */
function encodingOfStart(start: Uint8Array, name: 'gzip' | 'deflate' | 'br' | 'zstd' | null): Encoding | null {
  const [first = 0, second = 0, third = 0, fourth = 0] = start;
  // No text starts with these, and no stream of Brotli as an envelope does.
  const isGzip = first === 0x1f && second === 0x8b;
  const isZstd = first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd;
  const isZlib = (first & 0x8f) === 0x08 && ((first << 8) | second) % 31 === 0;
  if (isGzip && name !== 'br') return 'gzip';
  if (isZstd && name !== 'br') return 'zstd';
  if (isPlain(first, second)) return null;
  if (name === 'deflate') return isZlib ? 'zlib' : 'raw-deflate';
  // No base64 looks like this.
  if (name !== 'br' && isZlib && first === 0x78) return 'zlib';
  return start.length === 0 ? null : name;
}

/** A form starts with dashes or a line break, and an envelope with an object of JSON. */
function isPlain(first: number, second: number): boolean {
  const [byte, next] = [String.fromCharCode(first), String.fromCharCode(second)];
  if (byte === '{') return '"} \r\n'.includes(next);
  return (byte === '-' && next === '-') || (byte === '\r' && next === '\n') || (byte === '[' && next === '{');
}

async function peek(source: ByteSource): Promise<{ start: Uint8Array; bytes: ByteSource }> {
  const iterator = source[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let length = 0;
  let failure: { readonly error: unknown } | null = null;
  while (length < START_BYTES) {
    try {
      const { done, value } = await iterator.next();
      if (done) break;
      pieces.push(value);
      length += value.length;
    } catch (error) {
      failure = { error };
      break;
    }
  }
  async function* bytes(): AsyncGenerator<Uint8Array, undefined> {
    try {
      yield* pieces;
      if (failure !== null) throw failure.error;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { start: Buffer.concat(pieces).subarray(0, START_BYTES), bytes: bytes() };
}

const CHUNK_BYTES = 16 * 1024;
/** RFC 8878 recommends 8 MiB, the most memory that a frame may demand. */
const ZSTD_WINDOW_LOG = 23;

/** With these, a body that was cut off ends like any other, after everything that could be decoded. */
const DECODERS: Readonly<Record<Encoding, () => Transform>> = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_SYNC_FLUSH }),
  zlib: () => createInflate({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_SYNC_FLUSH }),
  'raw-deflate': () => createInflateRaw({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES, finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: CHUNK_BYTES,
      finishFlush: constants.ZSTD_e_flush,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
    }),
};

async function* decode(source: ByteSource, encoding: Encoding): AsyncGenerator<Uint8Array, undefined> {
  let failure: { readonly error: unknown } | null = null;
  // An error of the source ends the input, so that all of what arrived is decoded first.
  async function* input(): AsyncGenerator<Uint8Array, undefined> {
    try {
      yield* source;
    } catch (error) {
      failure = { error };
    }
  }
  const encoded = Readable.from(input(), { objectMode: false });
  const decoder = DECODERS[encoding]();
  const decoded = new Decoded(decoder);
  encoded.on('error', () => undefined).pipe(decoder);
  try {
    yield* decoded.bytes();
  } finally {
    encoded.destroy();
    decoder.destroy();
  }
  if (failure !== null) throw (failure as { readonly error: unknown }).error;
}

/** Decoded bytes that may wait for their reader. */
const BUFFER_BYTES = 256 * 1024;

/** What comes out of a decoder, including everything before an error, which an iterator of the stream would discard. */
class Decoded {
  readonly #decoder: Transform;
  #queue: Uint8Array[] = [];
  #queued = 0;
  #end: 'none' | 'ended' | { readonly cause: unknown } = 'none';
  #wake: (() => void) | undefined;

  constructor(decoder: Transform) {
    this.#decoder = decoder;
    decoder.on('data', (bytes: Uint8Array) => {
      this.#queue.push(bytes);
      this.#queued += bytes.length;
      if (this.#queued >= BUFFER_BYTES) decoder.pause();
      this.#wake?.();
    });
    decoder.on('end', () => this.#finish('ended'));
    decoder.on('error', (cause) => this.#finish({ cause }));
  }

  async *bytes(): AsyncGenerator<Uint8Array, undefined> {
    for (;;) {
      const pieces = this.#queue;
      this.#queue = [];
      this.#queued = 0;
      yield* pieces;
      if (this.#queue.length > 0) continue;
      if (this.#end === 'ended') return;
      if (this.#end !== 'none')
        throw new SentryError('malformed', 'The body does not match its Content-Encoding. Encode it again.', this.#end);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      this.#decoder.resume();
      await promise;
    }
  }

  #finish(end: 'ended' | { readonly cause: unknown }): void {
    if (this.#end === 'none') this.#end = end;
    this.#wake?.();
  }
}

/** The limit may grow while the source is read. */
async function* bounded(source: ByteSource, maxBytes: () => number): AsyncGenerator<Uint8Array, undefined> {
  let length = 0;
  for await (const bytes of source) {
    const max = maxBytes();
    const left = max - length;
    if (bytes.length > left) {
      if (left > 0) yield bytes.subarray(0, left);
      throw new SentryError('too-large', `The body has more than ${max} bytes. Send a smaller one.`);
    }
    length += bytes.length;
    yield bytes;
  }
}
