// The requests that sentry-cli sends, for tests.
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { filePart, multipartOf } from './raw.ts';
import { type KeyHolder, request, type TestServer } from './server.ts';

/** Both halves of a deploy key or an upload token, as sentry-cli gets them. */
export function tokenOf({ keyHeaders }: KeyHolder): string {
  return `${keyHeaders['x-access-token']}.${keyHeaders['x-secret-key']}`;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape.
export type CliResponse = { status: number; headers: Headers; body: any };

/** `path` is relative to `/api/0`. A body is sent as JSON. */
export function callAsSentryCli(
  server: Pick<TestServer, 'url'>,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<CliResponse> {
  return request(`${server.url}/api/0${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

export const sha1 = (bytes: Uint8Array) => hash('sha1', bytes);

/** A form with gzipped chunks, each under its hash. */
export function chunkForm(chunks: readonly Uint8Array[], names = chunks.map(sha1)): Buffer {
  return multipartOf(
    chunks.map((chunk, index) => filePart(gzipSync(chunk), { name: 'file_gzip', filename: names[index] ?? '' })),
  );
}

/** Sends a form to the address of chunks. */
export function sendChunks(server: Pick<TestServer, 'url'>, token: string, form: Uint8Array): Promise<CliResponse> {
  return request(`${server.url}/api/0/organizations/studio/chunk-upload/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=B' },
    body: new Uint8Array(form),
  });
}
