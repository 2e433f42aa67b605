// Requests bytes with Node's HTTP client, or with the `fetch` of a launcher. What Node's client has read is freed at once.
// The built-in `fetch` keeps copies until they are collected, which takes some 40 MB more, and more processor time.
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { free } from '@chauffeur/deltas/memory';

/** Each piece of `body` is valid until the next one is asked for. `cancel` ends a response whose body isn't read. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Buffer>;
  readonly cancel: () => Promise<void>;
};

/** Follows no redirects. Rejects with the reason of `signal`, and otherwise if the connection fails. */
export type Get = (url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Answer>;

export function getByFetch(own: typeof fetch): Get {
  return async (url, headers, signal) => {
    const response = await own(url, { headers, redirect: 'manual', signal });
    return {
      ...{ status: response.status, headers: response.headers, body: buffersOf(response.body ?? []) },
      cancel: async () => response.body?.cancel(),
    };
  };
}

async function* buffersOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  for await (const { buffer, byteOffset, byteLength } of chunks) yield Buffer.from(buffer, byteOffset, byteLength);
}

export const getByHttp: Get = (url, headers, signal) => {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { get } = url.startsWith('https:') ? https : http;
  const request = get(url, { headers: { ...headers }, signal }, (response) => {
    // An error also reaches who reads the body.
    response.on('error', ignore);
    resolve({
      status: response.statusCode ?? 0,
      headers: headersOf(response),
      body: bodyOf(response, signal),
      cancel: async () => void response.destroy(),
    });
  });
  request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
  request.once('socket', (socket: Socket) => {
    // Node 22 doesn't listen while a socket goes back to its agent, and an abort then would end the process.
    if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
    socket.on('data', freeSoon);
    request.once('close', () => socket.off('data', freeSoon));
  });
  return promise;
};

function ignore(): void {}

/** The client copies what it reads from a socket, before this is called or directly after it. */
function freeSoon(chunk: Buffer): void {
  queueMicrotask(() => free(chunk));
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  return new Headers(
    Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  );
}

/** Some proxies compress what they pass on, even if the client asks them not to. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', () => createZstdDecompress()],
]);

async function* bodyOf(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const decoder = DECODERS.get(response.headers['content-encoding']?.toLowerCase() ?? '')?.();
  try {
    if (decoder !== undefined) {
      // Not freed: a decoder fills the rest of the same memory next.
      yield* pipeline(response, decoder, ignore) as AsyncIterable<Buffer>;
      return;
    }
    for await (const chunk of response as AsyncIterable<Buffer>) {
      yield chunk;
      free(chunk);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
