// Downloads parts of a zip: several ranges at a time, each for parts that are next to each other.
import { free } from '@chauffeur/deltas/memory';
import { UpdaterError } from './error.ts';
import { Retries, type RetryPolicy, TransientError } from './retries.ts';
import { untrusted } from './trust.ts';
import type { OpenRange } from './zip-source.ts';

/** Bytes of a zip that are needed, and what is done with them. */
export type Part = {
  readonly offset: number;
  readonly length: number;
  /**
   * Rejects with WrongBytesError if they aren't what they should be. May be called again after that. The bytes are valid
   * until it resolves.
   */
  readonly use: (bytes: Buffer) => Promise<void>;
};

/** The server sent other bytes than the manifest has. */
export class WrongBytesError extends Error {
  override readonly name = 'WrongBytesError';
}

export type Source = {
  open(offset: number, length: number, signal: AbortSignal): Promise<OpenRange>;
  forget(): void;
};

export type DownloadOptions = {
  /** Bytes of the zip. */
  readonly size: number;
  readonly signal: AbortSignal;
  readonly retries: RetryPolicy;
};

const PARALLEL = 4;
/** Parts that are less than this apart are downloaded together. */
const GAP_BYTES = 16 * 1024;
/** How much one request is for, unless a single part is larger. */
const REQUEST_BYTES = 8 * 1024 * 1024;
/** How often wrong bytes are asked for again. */
const WRONG_ATTEMPTS = 3;

/** The server sends the zip from its start whatever it is asked for. */
class RangesIgnored extends Error {}

/** Rejects with UpdaterError if the server can't be reached or sends wrong bytes, or with the reason of `signal`. */
export async function download(source: Source, parts: readonly Part[], options: DownloadOptions): Promise<void> {
  const { signal } = options;
  const left = new Set(parts.toSorted((a, b) => a.offset - b.offset));
  const requests = groupParts([...left]);
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const work = async () => {
    for (let next = requests.shift(); next !== undefined; next = requests.shift())
      await fetchParts(source, next, left, { ...options, signal: either, fromStart: false });
  };
  const workers = Array.from({ length: PARALLEL }, () => work().catch((error) => void stop.abort(error)));
  await Promise.all(workers);
  try {
    signal.throwIfAborted();
    if (stop.signal.aborted && !(stop.signal.reason instanceof RangesIgnored)) throw stop.signal.reason;
    if (left.size > 0) await fetchParts(source, [...left], left, { ...options, fromStart: true });
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof WrongBytesError)
    return untrusted('The server sends other bytes than it signed.', undefined, error);
  if (!(error instanceof TransientError)) return error;
  const remedy = 'Check the network connection, then try again. What has arrived is used.';
  return new UpdaterError('network', error.message, remedy, { cause: error });
}

/** Parts for one request each. */
function groupParts(sorted: readonly Part[]): Part[][] {
  const groups: Part[][] = [];
  let [start, end] = [0, Number.NEGATIVE_INFINITY];
  for (const part of sorted) {
    const partEnd = part.offset + part.length;
    if (part.offset - end < GAP_BYTES && partEnd - start <= REQUEST_BYTES) groups.at(-1)!.push(part);
    else {
      groups.push([part]);
      start = part.offset;
    }
    end = Math.max(end, partEnd);
  }
  return groups;
}

type FetchOptions = DownloadOptions & { readonly fromStart: boolean };

/** Downloads sorted parts, and removes each from `left` when it was used. */
async function fetchParts(
  source: Source,
  parts: readonly Part[],
  left: Set<Part>,
  { size, signal, retries: policy, fromStart }: FetchOptions,
): Promise<void> {
  const retries = new Retries(policy);
  let wrong = 0;
  for (;;) {
    const pending = parts.filter((part) => left.has(part));
    const [first, last] = [pending[0], pending.at(-1)];
    if (first === undefined || last === undefined) return;
    const [offset, end] = fromStart ? [0, size] : [first.offset, endOf(pending)];
    try {
      const range = await source.open(offset, end - offset, signal);
      try {
        if (range.start !== offset) throw new RangesIgnored();
        const onProgress = () => {
          retries.reset();
          wrong = 0;
        };
        await useParts(range, pending, onProgress, left);
      } finally {
        range.end();
      }
    } catch (error) {
      if (error instanceof RangesIgnored) throw error;
      if (!(error instanceof WrongBytesError)) {
        await retries.waitAfter(error, signal);
        continue;
      }
      signal.throwIfAborted();
      wrong += 1;
      // Another mirror may be right.
      source.forget();
      if (wrong >= WRONG_ATTEMPTS) throw error;
    }
  }
}

function endOf(parts: readonly Part[]): number {
  return parts.reduce((end, { offset, length }) => Math.max(end, offset + length), 0);
}

async function useParts(
  { start, bytes }: OpenRange,
  parts: readonly Part[],
  onProgress: () => void,
  left: Set<Part>,
): Promise<void> {
  const reader = new StreamReader(bytes, start);
  try {
    for (const part of parts) {
      await part.use(await reader.read(part.offset, part.length));
      left.delete(part);
      onProgress();
    }
  } finally {
    reader.close();
  }
}

/** Reads pieces of a stream that don't overlap, in their order. Each is valid until the next one is read. */
class StreamReader {
  readonly #bytes: AsyncGenerator<Buffer, void>;
  #chunk: Buffer = Buffer.alloc(0);
  /** Used again and again, because memory would grow faster than it is collected. */
  #scratch: Buffer = Buffer.alloc(0);
  /** Where the chunk begins. */
  #position: number;

  constructor(bytes: AsyncGenerator<Buffer, void>, start: number) {
    this.#bytes = bytes;
    this.#position = start;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    while (this.#position + this.#chunk.length <= offset && length > 0) await this.#next();
    this.#drop(offset - this.#position);
    if (this.#chunk.length >= length) return this.#take(length);
    if (this.#scratch.length < length) {
      free(this.#scratch);
      this.#scratch = Buffer.allocUnsafeSlow(length);
    }
    const result = this.#scratch.subarray(0, length);
    let filled = 0;
    for (;;) {
      const taken = this.#take(Math.min(this.#chunk.length, length - filled));
      taken.copy(result, filled);
      filled += taken.length;
      if (filled === length) return result;
      await this.#next();
    }
  }

  close(): void {
    free(this.#scratch);
  }

  #take(length: number): Buffer {
    const taken = this.#chunk.subarray(0, length);
    this.#drop(length);
    return taken;
  }

  #drop(length: number): void {
    this.#chunk = this.#chunk.subarray(length);
    this.#position += length;
  }

  async #next(): Promise<void> {
    // The chunk is no longer valid when the next one is asked for.
    this.#position += this.#chunk.length;
    this.#chunk = Buffer.alloc(0);
    const { value, done } = await this.#bytes.next();
    if (done) throw new TransientError('The connection ended too early.');
    this.#chunk = value as Buffer;
  }
}
