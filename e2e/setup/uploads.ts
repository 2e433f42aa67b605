// Uploads builds of a studio only half, for tests that interrupt an upload, and waits for what becomes of them.
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fieldPart, filePart, multipartOf, type Part } from '../../packages/server/test/setup/raw.ts';
import type { ApiResponse } from '../../packages/server/test/setup/server.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { register, sha256, uploadFields } from '../../packages/server/test/setup/uploads.ts';
import type { Service } from './processes.ts';
import type { Served } from './served.ts';
import { readOffers, type Studio } from './studio.ts';

/** A server with a studio. */
type Place = { readonly service: Service; readonly studio: Studio };

const UPLOADS = '/api/v1/tool/upload/files';

/** Sends the first half of a chunk. Returns a function that sends the rest. */
export function sendHalfChunk(served: Place, session: string, zip: Buffer, start: number, end: number) {
  return sendHalf(served, [filePart(zip.subarray(start, end))], chunkHeaders(session, zip, start, end));
}

/** Registers a build of this version and sends the first half of its upload. Returns a function that sends the rest. */
export async function sendHalfUpload(served: Served, version: string, zip: Buffer) {
  const { service, studio } = served;
  const fields = Object.entries(uploadFields(await register(service, studio, { version }), zip));
  const before = await listBlobs(served);
  const parts = [...fields.map(([name, value]) => fieldPart(name, value)), filePart(zip)];
  const sendRest = await sendHalf(served, parts, {});
  await until(async () => (await listBlobs(served)).length !== before.length);
  return sendRest;
}

/** Waits until the server reports a running upload. */
export async function untilUnderWay({ service }: Pick<Place, 'service'>): Promise<void> {
  await until(async () => /chauffeur_uploads_in_progress 1/.test(await (await fetch(`${service.url}/metrics`)).text()));
}

/** Waits until players can download this version. Returns its download URL. */
export async function untilOffered(served: Place, version: string): Promise<string> {
  const { download_url } = await until(
    async () => (await readOffers(served.service, served.studio.slug)).find((offer) => offer.version === version),
    () => `${version} was not offered:\n${served.service.output()}`,
  );
  return download_url;
}

/** Returns the SHA-256 of a download. */
export async function downloadSum(url: string): Promise<string> {
  return sha256(new Uint8Array(await (await fetch(url)).arrayBuffer()));
}

function chunkHeaders(session: string, zip: Buffer, start: number, end: number): Record<string, string> {
  return { 'x-upload-session-id': session, 'content-range': `bytes ${start}-${end - 1}/${zip.length}` };
}

/** Returns the names of the game's blobs, including incomplete ones. */
async function listBlobs({ service, studio }: Served): Promise<string[]> {
  // The folder is created with the first blob.
  return readdir(join(service.dataFolder, 'blobs', 'files', studio.gameUid)).catch(() => []);
}

async function sendHalf(
  served: Place,
  parts: readonly Part[],
  headers: Record<string, string>,
): Promise<() => Promise<Pick<ApiResponse, 'status' | 'body'>>> {
  const { hostname, port } = new URL(served.service.url);
  const body = multipartOf(parts);
  const all = {
    ...served.studio.keyHeaders,
    ...headers,
    host: 'chauffeur',
    connection: 'close',
    'content-type': 'multipart/form-data; boundary=B',
    'content-length': String(body.length),
  };
  // The server can be killed in the meantime, so the response decides.
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${UPLOADS} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const half = Math.floor(body.length / 2);
  await new Promise((resolve) => socket.write(body.subarray(0, half), resolve));
  return async () => {
    const received: Buffer[] = [];
    socket.on('data', (data: Buffer) => received.push(data));
    socket.write(body.subarray(half));
    await new Promise((resolve) => socket.once('close', resolve));
    const text = Buffer.concat(received).toString();
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
    if (status === undefined) throw new Error(`no response to the upload, but: ${text}`);
    return { status: Number(status), body: JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) };
  };
}
