// Owns the body of a request for its whole life, errors included: decodes it, bounds its size and time, and delivers
// bytes only to a waiting reader.
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import type { ByteSource } from '../kernel/blobs/store.ts';
import { createUnpacker } from '../kernel/blobs/unpack-file.ts';

/** A decoded body exceeds its size limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** A body is incomplete, too slow, or does not match its headers. The operation maps it to its own error code. */
export class UnreadableBodyError extends Error {
  override readonly name = 'UnreadableBodyError';
}

export type BodyOptions = {
  /**
   * `header`: as Content-Encoding says. `zlib`: always a zlib stream, as Unreal sends. `none`: a Content-Encoding is
   * rejected. `raw`: the reader decodes the bytes.
   */
  encoding?: 'header' | 'zlib' | 'none' | 'raw';
  /** Bytes after decoding. Protects against small bodies that decode to huge ones. */
  maxBytes: number;
  /**
   * Ends the body if the sender needs longer than this for the next KiB. Time during which nothing is read does not
   * count.
   */
  idleMs: number;
  /** Ends the body with the signal's reason, which must be an Error. */
  signal?: AbortSignal | undefined;
};

/** A request, as far as its body needs it. */
export type BodySource = Readable & Pick<IncomingMessage, 'headers' | 'complete'>;

/** The bytes of a body, which can be read once. */
export type Body = ByteSource & {
  /** Ends the body early: the pending read and all later reads reject with `reason`. */
  fail(reason: Error): void;
};

/**
 * Passes the body of a request to `read`, and detaches it when `read` settles. Reading rejects with UnreadableBodyError
 * if the body is incomplete, too slow or does not match its Content-Encoding, and with BodyTooLargeError beyond
 * `maxBytes`. An error that occurs between two reads is kept for the next read; it is never emitted, so it cannot end
 * the process. The request is not destroyed, because the sender still needs a response.
 *
 * Rejects with UnreadableBodyError for an unsupported Content-Encoding, and with whatever `read` rejects with.
 */
export async function receiveBody<T>(
  request: BodySource,
  options: BodyOptions,
  read: (body: Body) => Promise<T>,
): Promise<T> {
  const body = new RequestBody(request, options);
  try {
    return await read(body);
  } finally {
    body.detach();
  }
}

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  zstd: () => createUnpacker('zstd'),
} as const;

/** Returns undefined for a body without an encoding. */
function createDecoder({ headers }: BodySource, encoding: BodyOptions['encoding']): Transform | undefined {
  if (encoding === 'zlib') return createInflate();
  if (encoding === 'raw') return undefined;
  const named = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (named === '' || named === 'identity') return undefined;
  if (encoding === 'none')
    throw new UnreadableBodyError('Content-Encoding: not supported here. Send the body as it is.');
  if (Object.hasOwn(DECODERS, named)) return DECODERS[named as keyof typeof DECODERS]();
  throw new UnreadableBodyError('Content-Encoding: not supported. Send gzip, zstd, deflate or no encoding.');
}

/** The bytes to buffer while the reader is busy; beyond that the sender has to wait. */
const BUFFER_BYTES = 256 * 1024;
/**
 * A sender of fewer bytes than this within the idle time counts as idle. Otherwise one byte now and then would hold a
 * connection forever.
 */
const MIN_PROGRESS_BYTES = 1024;

export const BODY_CUT = 'The connection closed before the whole body had arrived. Send it again.';
export const BODY_LATE = 'The body did not arrive in time. Send it again.';

const detached = new Error('The body was read after its request had been handled');

class RequestBody implements Body {
  readonly #request: BodySource;
  readonly #decoder: Transform | undefined;
  readonly #source: Readable;
  readonly #maxBytes: number;
  readonly #idleMs: number;
  readonly #signal: AbortSignal | undefined;
  #queue: Buffer[] = [];
  #queued = 0;
  #size = 0;
  #isEnded = false;
  #failure: Error | undefined;
  /** Resumes the read that is waiting for bytes, the end or a failure. */
  #wake: (() => void) | undefined;
  #idleSpent = 0;
  #progress = 0;

  constructor(request: BodySource, { encoding = 'header', maxBytes, idleMs, signal }: BodyOptions) {
    this.#decoder = createDecoder(request, encoding);
    this.#request = request;
    this.#source = this.#decoder ?? request;
    this.#maxBytes = maxBytes;
    this.#idleMs = idleMs;
    this.#signal = signal;
    // Never removed, because an error after the detaching also needs a listener.
    request.on('error', () => undefined);
    this.#decoder?.on('error', (cause) =>
      this.fail(new UnreadableBodyError('The body does not match its Content-Encoding. Encode it again.', { cause })),
    );
    request.on('close', this.#onClose);
    this.#source.on('data', this.#onData).on('end', this.#onEnd).pause();
    if (this.#decoder !== undefined) request.pipe(this.#decoder);
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.#onAbort();
    if (request.destroyed) this.#onClose();
  }

  fail(reason: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#queue = [];
    this.#wake?.();
  }

  /**
   * Leaves the request, so that the rest of its body can be discarded. It is not called `release`, because that of a
   * `ByteSource` takes back bytes that were read.
   */
  detach(): void {
    this.fail(detached);
    this.#request.off('close', this.#onClose);
    this.#source.off('data', this.#onData).off('end', this.#onEnd);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    if (this.#decoder === undefined) return;
    this.#request.unpipe(this.#decoder);
    this.#decoder.destroy();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: () => this.#next(),
      // A reader that stops early leaves the remaining bytes unread.
      return: async () => ({ done: true, value: undefined }),
    };
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const bytes = this.#queue.shift();
      if (bytes !== undefined) {
        this.#queued -= bytes.length;
        return { done: false, value: bytes };
      }
      if (this.#isEnded) return { done: true, value: undefined };
      await this.#wait();
    }
  }

  async #wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const since = performance.now();
    const idle = setTimeout(() => this.fail(new UnreadableBodyError(BODY_LATE)), this.#idleMs - this.#idleSpent);
    this.#wake = resolve;
    this.#source.resume();
    await promise;
    this.#wake = undefined;
    clearTimeout(idle);
    this.#idleSpent += performance.now() - since;
    if (this.#progress < MIN_PROGRESS_BYTES) return;
    this.#progress = 0;
    this.#idleSpent = 0;
  }

  readonly #onData = (bytes: Buffer) => {
    this.#size += bytes.length;
    this.#progress += bytes.length;
    if (this.#size > this.#maxBytes) return this.fail(new BodyTooLargeError(this.#maxBytes));
    if (this.#failure !== undefined) return;
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    if (this.#queued >= BUFFER_BYTES) this.#source.pause();
    this.#wake?.();
  };

  readonly #onEnd = () => {
    this.#isEnded = true;
    this.#wake?.();
  };

  readonly #onClose = () => {
    // Of a whole body too, bytes that weren't read yet are gone with the connection.
    const { complete, readableEnded } = this.#request;
    if (!complete || !readableEnded) this.fail(new UnreadableBodyError(BODY_CUT));
  };

  readonly #onAbort = () => this.fail(this.#signal?.reason as Error);
}
