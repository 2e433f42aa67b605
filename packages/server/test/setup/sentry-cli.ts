// The requests that sentry-cli sends, for tests.
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
