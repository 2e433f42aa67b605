// The attacks: each takes a correct request and sends something broken instead.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants, deflateSync, gzipSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import type { Correct } from './abuse-requests.ts';

export type Abuse = {
  readonly name: string;
  /** Sends the broken request. Returns the statuses of the responses, or none if the connection ended without one. */
  readonly send: (address: URL, method: string, request: Correct) => Promise<number[]>;
};

type Headers = Readonly<Record<string, string>>;
/** What to send: a head with these headers, these bytes, and this end of the connection. */
type Sent = { headers?: Headers; without?: readonly string[]; body?: Buffer; end?: 'wait' | 'fin' | 'rst' };

const HEAD_SENT_MS = 20_000;

async function exchange(address: URL, method: string, request: Correct, sent: Sent): Promise<number[]> {
  const { body = request.body, end = 'wait', without = [] } = sent;
  const headers: Record<string, string> = {
    host: address.host,
    connection: 'close',
    ...request.headers,
    'content-length': String(request.body.length),
    ...sent.headers,
  };
  for (const name of without) delete headers[name];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const socket = connect(Number(address.port), address.hostname);
  // The server can close the connection before everything is sent.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(Buffer.from(`${method} ${request.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  if (body.length > 0) await new Promise((resolve) => socket.write(body, resolve));
  if (end === 'rst') {
    socket.resetAndDestroy();
    return [];
  }
  if (end === 'fin') socket.end();
  return statusesOf(socket);
}

async function statusesOf(socket: Socket): Promise<number[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const late = setTimeout(() => socket.destroy(), HEAD_SENT_MS);
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  clearTimeout(late);
  const text = Buffer.concat(chunks).toString('latin1');
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}

const abuse = (name: string, change: (request: Correct) => Sent): Abuse => ({
  name,
  send: (address, method, request) => exchange(address, method, request, change(request)),
});

const BIG = 600 * MIB;

/** Half a megabyte that decompresses to more than any route accepts. */
const bombs = {
  gzip: gzipSync(Buffer.alloc(BIG), { level: constants.Z_BEST_SPEED }),
  deflate: deflateSync(Buffer.alloc(BIG), { level: constants.Z_BEST_SPEED }),
};

const CONTENT_TYPES = [
  'x',
  'text/plain',
  'application/json',
  'application/json; charset=utf-99',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=C',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'multipart/form-data; boundary="\xff\xfe"',
  'multipart/mixed; boundary=B',
  'application/octet-stream',
  `a/${'b'.repeat(4000)}`,
];
const ENCODINGS = ['gzip', 'x-gzip', 'deflate', 'br', 'gzip, gzip', 'identity, gzip', '', '\xff'];
const LENGTHS = ['999999999999999', '-1', '1e3', 'a', '0', '1'];

/** How much of a body is sent before the connection ends. */
const CUTS: readonly (readonly [name: string, bytes: (length: number) => number])[] = [
  ['no byte', () => 0],
  ['one byte', () => 1],
  ['half', (length) => Math.floor(length / 2)],
  ['all but one byte', (length) => length - 1],
];

/** The attacks on every route. */
export const ABUSES: readonly Abuse[] = [
  abuse('no body and no length', () => ({ body: Buffer.alloc(0), without: ['content-length'] })),
  abuse('an empty body', () => ({ body: Buffer.alloc(0), headers: { 'content-length': '0' } })),
  abuse('no Content-Type', () => ({ without: ['content-type'] })),
  ...CONTENT_TYPES.map((type) =>
    abuse(`Content-Type: ${type.slice(0, 60)}`, () => ({ headers: { 'content-type': type } })),
  ),
  ...ENCODINGS.map((encoding) =>
    abuse(`Content-Encoding: ${encoding} in name only`, () => ({ headers: { 'content-encoding': encoding } })),
  ),
  abuse('half of a gzip body', ({ body }) => packed(gzipSync(body).subarray(0, -12), 'gzip')),
  abuse('a gzip body with something behind it', ({ body }) =>
    packed(Buffer.concat([gzipSync(body), Buffer.from('and more')]), 'gzip'),
  ),
  abuse('a gzip body of nothing', () => packed(gzipSync(Buffer.alloc(0)), 'gzip')),
  abuse('a gzip bomb', () => packed(bombs.gzip, 'gzip')),
  abuse('a deflate bomb without Content-Encoding', () => ({
    body: bombs.deflate,
    headers: { 'content-length': String(bombs.deflate.length) },
  })),
  ...LENGTHS.map((length) =>
    abuse(`Content-Length: ${length}`, () => ({ headers: { 'content-length': length }, end: 'fin' })),
  ),
  abuse('a chunked body of broken chunks', ({ body }) => ({
    headers: { 'transfer-encoding': 'chunked' },
    without: ['content-length'],
    body: Buffer.concat([Buffer.from('5\r\n'), body.subarray(0, 5), Buffer.from('\r\nzz\r\n')]),
    end: 'fin',
  })),
  ...CUTS.flatMap(([name, bytes]) =>
    (['fin', 'rst'] as const).map((end) =>
      abuse(`cut by ${end.toUpperCase()} after ${name}`, ({ body }) => ({
        body: body.subarray(0, bytes(body.length)),
        end,
      })),
    ),
  ),
  abuse('nothing after half of the body', ({ body }) => ({ body: body.subarray(0, Math.floor(body.length / 2)) })),
  abuse('nothing after the head', () => ({ body: Buffer.alloc(0) })),
  {
    name: 'two senders at once',
    async send(address, method, request) {
      const both = [1, 2].map(() => exchange(address, method, request, {}));
      return (await Promise.all(both)).flat();
    },
  },
];

function packed(body: Buffer, encoding: string): Sent {
  return { body, headers: { 'content-encoding': encoding, 'content-length': String(body.length) } };
}

/** Values of every JSON type, including edge cases. */
const VALUES = [null, true, 0, -1.5, 1e308, '', '\u0000', '\ud800', 'x'.repeat(70_000), [], [[]], {}, { length: 1 }];

/** Returns the body with one value, or the whole body, replaced by a value of another type. */
export function wrongTypes(body: unknown): unknown[] {
  const inside =
    typeof body === 'object' && body !== null
      ? Object.entries(body).flatMap(([name, value]) =>
          wrongTypes(value).map((wrong) =>
            Array.isArray(body) ? body.with(Number(name), wrong) : { ...body, [name]: wrong },
          ),
        )
      : [];
  return [...VALUES, ...inside];
}
