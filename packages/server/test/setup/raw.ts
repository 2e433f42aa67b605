// Sends requests byte by byte over a socket that `fetch` would not send: malformed forms, wrong lengths, half a body.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestServer } from './server.ts';

/** A response; null if the server closed the connection without one. */
export type RawResponse = {
  status: number;
  headers: ReadonlyMap<string, string>;
  text: string;
  body: { success: boolean; data?: unknown; error?: { code: number; message: string } } | null;
} | null;

export type RawRequest = {
  method: string;
  path: string;
  /** A list, so that a header can occur twice; `Host` and `Connection: close` are added. */
  headers: readonly (readonly [name: string, value: string])[];
  body?: Uint8Array;
};

/** Connects and sends the head and body of a request unchanged. The caller destroys the socket. */
export async function beginRequest(server: TestServer, { method, path, headers, body }: RawRequest): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  // The server can close the connection before everything is sent; only the response matters.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const lines = [['Host', 'chauffeur'], ['Connection', 'close'], ...headers].map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  if (body !== undefined) socket.write(body);
  return socket;
}

/** Sends a request and returns the response. With `endAfter`, closes our side of the connection after the last byte. */
export async function sendRaw(
  server: TestServer,
  request: RawRequest,
  { endAfter = false } = {},
): Promise<RawResponse> {
  const socket = await beginRequest(server, request);
  if (endAfter) socket.end();
  return readResponse(socket);
}

/** Reads the response until the server closes the connection. */
export async function readResponse(socket: Socket): Promise<RawResponse> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return parseResponse(Buffer.concat(chunks).toString());
}

function parseResponse(response: string): RawResponse {
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(response) ?? [];
  if (status === undefined) return null;
  const [head = '', text = ''] = response.split(/\r\n\r\n([\s\S]*)/, 2);
  const lines = head.split('\r\n').slice(1);
  const headers = new Map(lines.map((line) => [line.replace(/:.*/, '').toLowerCase(), line.replace(/^[^:]*: /, '')]));
  return { status: Number(status), headers, text, body: parseJson(text) };
}

function parseJson(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export type Part = { headers: string; content: string | Uint8Array };

/** The part of a text field. */
export function fieldPart(name: string, content: string): Part {
  return { headers: `Content-Disposition: form-data; name="${name}"`, content };
}

/** The part of a file. */
export function filePart(content: Uint8Array, { name = 'file', filename = 'game.zip' } = {}): Part {
  const disposition = `Content-Disposition: form-data; name="${name}"; filename="${filename}"`;
  return { headers: `${disposition}\r\nContent-Type: application/zip`, content };
}

/** A multipart body (RFC 7578). */
export function multipartOf(parts: readonly Part[], boundary = 'B'): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => [`--${boundary}\r\n${headers}\r\n\r\n`, content, '\r\n']);
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string)));
}
