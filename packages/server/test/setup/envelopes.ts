// Makes envelopes as Sentry's SDKs send them, and sends them.
import { randomUUID } from 'node:crypto';
import type { TestDsn } from './dsns.ts';
import type { TestServer } from './server.ts';

/** An envelope of items: their headers, and what follows. */
export function envelope(header: object, items: readonly (readonly [object, string | Buffer])[]): Buffer {
  const lines = items.flatMap(([head, payload]) => [
    Buffer.from(`${JSON.stringify({ ...head, length: Buffer.byteLength(payload) })}\n`),
    Buffer.from(payload as string),
    Buffer.from('\n'),
  ]);
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...lines]);
}

export const newEventId = () => randomUUID().replaceAll('-', '');

export function sendEnvelope(
  { server, projectNo, key }: { readonly server: Pick<TestServer, 'url'> } & Pick<TestDsn, 'projectNo' | 'key'>,
  body: Buffer,
  { path = 'envelope/', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${server.url}/api/${projectNo}/${path}`, {
    method: 'POST',
    headers: { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}`, ...headers },
    body: new Uint8Array(body),
  });
}

/** The parts of a DSN. */
export function partsOf(dsn: string): Pick<TestDsn, 'projectNo' | 'key'> {
  const { username, pathname } = new URL(dsn);
  return { key: username, projectNo: Number(pathname.slice(1)) };
}
