// Downloads a file of a symbol server. A server may be slow, never end, respond with anything, or redirect to an address
// that it must not reach.
import { setTimeout } from 'node:timers';
import { failureCodeOf } from '@chauffeur/contract/client';
import { MINUTE, SECOND } from '../../../kernel/clock.ts';
import { type Internet, NotPublicError, requestPublic } from '../../../kernel/network/public-request.ts';
import type { SymbolSource } from '../../../symbol-sources.ts';
import type { SourcePath } from './layouts.ts';

/** A symbol server could not say whether it has a file. The message is a clause for operators. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** The server asked to be left alone for so long. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: string, options: ErrorOptions & { retryAfterMs?: number | undefined } = {}) {
    super(problem, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

export type Download = {
  /** Can be read once. Throws SourceError. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Ends the connection. Call it whether or not the bytes were read. */
  close(): void;
};

export type DownloadOptions = {
  /** It decides whether private addresses are allowed. */
  readonly internet: Internet;
  /** Ends the download, which then throws the reason. */
  readonly signal: AbortSignal;
  /** Without a byte for so long, the server counts as failed. */
  readonly idleMs?: number;
  readonly totalMs?: number;
};

const IDLE_MS = 20 * SECOND;
const TOTAL_MS = 5 * MINUTE;
const MAX_REDIRECTS = 5;

/** Servers that store files in a bucket respond with 403 if it may not be listed, and some with 400 to odd names. */
const ABSENT = [400, 403, 404, 410, 451];

/** Null if the server doesn't have the file. Throws SourceError. */
export async function download(
  source: Pick<SymbolSource, 'url' | 'authorization'>,
  path: SourcePath,
  { internet, signal, idleMs = IDLE_MS, totalMs = TOTAL_MS }: DownloadOptions,
): Promise<Download | null> {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(new SourceError(`it sent nothing for ${idleMs / 1000} s`)), idleMs);
  const late = setTimeout(() => idle.abort(new SourceError(`it took longer than ${totalMs / 1000} s`)), totalMs);
  const stop = () => {
    clearTimeout(timer);
    clearTimeout(late);
  };
  const whole = AbortSignal.any([signal, idle.signal]);
  const failed = (error: unknown): unknown => {
    stop();
    signal.throwIfAborted();
    return idle.signal.aborted ? idle.signal.reason : asSourceError(error);
  };
  const url = new URL(path.map(encodeURIComponent).join('/'), source.url);
  try {
    const response = await follow(url, source, { internet, signal: whole });
    if (response === null) {
      stop();
      return null;
    }
    async function* read(from: AsyncIterable<Uint8Array>) {
      try {
        for await (const bytes of from) {
          timer.refresh();
          yield bytes;
        }
      } catch (error) {
        throw failed(error);
      } finally {
        stop();
      }
    }
    return {
      bytes: read(response),
      close() {
        stop();
        response.destroy();
      },
    };
  } catch (error) {
    throw failed(error);
  }
}

type Request = { readonly internet: Internet; readonly signal: AbortSignal };

/** Each address is checked, also where redirects lead. Credentials are for the server itself only. */
async function follow(
  start: URL,
  { authorization }: Pick<SymbolSource, 'authorization'>,
  { internet, signal }: Request,
) {
  let url = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const headers = authorization !== undefined && url.origin === start.origin ? { authorization } : {};
    const response = await requestPublic(
      url,
      { method: 'GET', headers: { 'accept-encoding': 'gzip, zstd', ...headers }, signal },
      internet,
    );
    const { statusCode: status = 0, headers: answer } = response;
    if (status === 200) return response;
    response.destroy();
    if (ABSENT.includes(status)) return null;
    if (![301, 302, 303, 307, 308].includes(status)) throw refusalOf(status, answer['retry-after']);
    const next = URL.parse(answer.location ?? '', url);
    const isAllowed = next?.protocol === 'https:' || (next?.protocol === 'http:' && internet.allowsPrivate);
    if (next === null || !isAllowed) throw new SourceError('it redirects to an address that is not https');
    url = next;
  }
  throw new SourceError(`it redirects more than ${MAX_REDIRECTS} times`);
}

function refusalOf(status: number, retryAfter: string | undefined): SourceError {
  if (status === 401 || status === 407)
    return new SourceError('it needs a user and a password in its address, or refuses those');
  const seconds = Number(retryAfter);
  const retryAfterMs = seconds > 0 ? seconds * SECOND : undefined;
  return new SourceError(`it responds with the status ${status}`, { retryAfterMs });
}

function asSourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  if (error instanceof NotPublicError)
    return new SourceError(
      'its address, or one that it redirects to, is private; CHAUFFEUR_SYMBOL_PRIVATE_HOSTS can allow that',
      { cause: error },
    );
  return new SourceError(`it could not be reached (${failureCodeOf(error)})`, { cause: error });
}
