// Reads ranges of a zip from the server, and from the store or CDN that it redirects to.
import { isTransient, NetworkError } from '@chauffeur/contract/client';
import { UpdaterError } from './error.ts';
import type { Answer, Get } from './get.ts';
import { TransientError } from './retries.ts';
import type { Throttle } from './throttle.ts';

/**
 * The bytes of a response, each piece of which is valid until the next one is asked for. They begin at `start` of the zip,
 * which is 0 if the server ignores ranges. `end` closes the connection, if bytes are left.
 */
export type OpenRange = {
  readonly start: number;
  readonly bytes: AsyncGenerator<Buffer, void>;
  readonly end: () => void;
};

export type ZipSourceOptions = {
  /** The download of the API. */
  readonly url: string;
  /** Bytes of the zip. */
  readonly size: number;
  /** Sent to `url`, but not to where it redirects. */
  readonly headers: Readonly<Record<string, string>>;
  readonly get: Get;
  readonly throttle: Throttle;
  /** How long no byte may arrive. */
  readonly stallMs: number;
  /** Called with the number of bytes that arrived. */
  readonly onBytes: (count: number) => void;
};

const MAX_REDIRECTS = 5;
/** How signed addresses that have expired are refused; the server then gives a new one. */
const EXPIRED = new Set([400, 401, 403, 404, 410]);
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);

/** An address that bytes were read from, and the entity tag that it gave them. */
type Location = { readonly url: string; tag: string | null };

/** The server sends something else than it was asked for. Another of several servers may be right. */
export class UnfitError extends TransientError {}

export class ZipSource {
  readonly #options: ZipSourceOptions;
  #location: Location | null = null;

  constructor(options: ZipSourceOptions) {
    this.#options = options;
  }

  /** Asks the server for the address again, such as after wrong bytes from one of several mirrors. */
  forget(): void {
    this.#location = null;
  }

  /**
   * Opens `length` bytes at `offset`, or if the server ignores ranges, the whole zip. Fewer or more bytes can follow. Rejects
   * with TransientError if it may work later, with UpdaterError if it won't, and with the reason of `signal`.
   */
  async open(offset: number, length: number, signal: AbortSignal): Promise<OpenRange> {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const stall = new Stall(this.#options.stallMs, stop);
    try {
      let { response, location } = await this.#request(offset, length, both);
      if (this.#isExpired(response, location)) {
        await response.cancel();
        this.#forget(location);
        ({ response, location } = await this.#request(offset, length, both, null));
      }
      const start = await this.#startOf(response, location, offset);
      return { start, bytes: this.#read(response, both, stall, signal), end: () => stall.end() };
    } catch (error) {
      stall.end();
      throw failureOf(error, signal);
    }
  }

  async #request(
    offset: number,
    length: number,
    signal: AbortSignal,
    known: Location | null = this.#location,
  ): Promise<{ response: Answer; location: Location }> {
    const own: Location = { url: this.#options.url, tag: null };
    let location = known ?? own;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const isOwn = location.url === this.#options.url;
      const headers: Record<string, string> = {
        // Bytes that were compressed again would have other positions.
        'accept-encoding': 'identity',
        range: `bytes=${offset}-${offset + length - 1}`,
        ...(location.tag !== null && { 'if-range': location.tag }),
        ...(isOwn && this.#options.headers),
      };
      const response = await this.#options.get(location.url, headers, signal);
      if (!isRedirect(response)) {
        // Kept for the next requests. One that was known before may have been replaced meanwhile.
        if (location !== known) this.#location = location;
        return { response, location };
      }
      await response.cancel();
      location = { url: targetOf(response, location.url), tag: null };
    }
    throw new TransientError('The download is redirected too often.');
  }

  /** Whether an address that the server had redirected to is no longer valid. */
  #isExpired({ status }: Answer, { url }: Location): boolean {
    return url !== this.#options.url && EXPIRED.has(status);
  }

  /** Another request may have found a new address in the meantime. */
  #forget(location: Location): void {
    if (this.#location === location) this.#location = null;
  }

  /** Where the bytes of the response begin. */
  async #startOf(response: Answer, location: Location, offset: number): Promise<number> {
    const { status, headers } = response;
    if (status === 206) {
      const [, first, total] =
        /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
      const isRight = first === String(offset) && (total === '*' || total === String(this.#options.size));
      if (isRight) {
        // A weak tag doesn't identify the bytes (RFC 9110, section 13.1.5).
        const tag = headers.get('etag');
        location.tag = tag?.startsWith('"') === true ? tag : null;
        return offset;
      }
      await response.cancel();
      this.forget();
      throw new UnfitError('The server answers with another part of the download than it was asked for.');
    }
    if (status === 200) {
      const length = headers.get('content-length');
      if (length === String(this.#options.size)) return 0;
      const isPage = /^text\/html\b/i.test(headers.get('content-type') ?? '');
      if (!isPage && (length === null || headers.has('content-encoding'))) return 0;
      await response.cancel();
      this.forget();
      throw new UnfitError(
        isPage
          ? 'A web page arrives instead of the download. The network may have a page to sign in.'
          : 'The download doesn’t have the size that it should have.',
      );
    }
    await response.cancel();
    if (this.#isExpired(response, location) || (status === 416 && location.url !== this.#options.url)) {
      this.#forget(location);
      throw new TransientError(`The address of the download answers with status ${status}.`);
    }
    if (TRANSIENT.has(status))
      throw new TransientError(`The server answers with status ${status}.`, { afterMs: retryAfterOf(headers) });
    throw new UpdaterError(
      'network',
      `The download was refused with status ${status}.`,
      'The developer may have replaced the version. Try again.',
    );
  }

  async *#read(response: Answer, signal: AbortSignal, stall: Stall, outer: AbortSignal): AsyncGenerator<Buffer, void> {
    try {
      for await (const bytes of response.body) {
        stall.pause();
        this.#options.onBytes(bytes.length);
        await this.#options.throttle.take(bytes.length, signal);
        yield bytes;
        stall.resume();
      }
    } catch (error) {
      throw failureOf(error, outer);
    } finally {
      stall.end();
    }
  }
}

/** Aborts a request when nothing arrives for too long. */
class Stall {
  readonly #ms: number;
  readonly #stop: AbortController;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, stop: AbortController) {
    this.#ms = ms;
    this.#stop = stop;
    this.resume();
  }

  /** While the reader is busy, nothing can arrive. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#timer = setTimeout(() => this.#stop.abort(new TransientError('The server sends nothing.')), this.#ms);
  }

  /** Also ends the request, if its bytes weren't all read. */
  end(): void {
    clearTimeout(this.#timer);
    this.#stop.abort(new TransientError('The request was ended.'));
  }
}

function isRedirect({ status }: Answer): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function targetOf(response: Answer, from: string): string {
  const url = URL.parse(response.headers.get('location') ?? '', from);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new TransientError('The download is redirected to an address that is not valid.');
}

/** Returns milliseconds. */
function retryAfterOf(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

/** Any other error is that the connection failed, unless `signal` was aborted. */
function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof TransientError || error instanceof UpdaterError) return error;
  // The cause of an error of `fetch`, and the first error of several attempts of Node.
  const { cause, errors } = error as Error & { errors?: unknown[] };
  const [known = error] = [cause, errors?.[0]].filter((part) => part instanceof Error);
  const message = `The connection failed: ${(known as Error).message}`;
  if (isTransient(new NetworkError(message, { cause: error }))) return new TransientError(message, { cause: error });
  // Such as a certificate that isn't trusted.
  const remedy = 'Check the clock of this computer, and whether a program or a proxy inspects its connections.';
  return new UpdaterError('network', message, remedy, { cause: error });
}
