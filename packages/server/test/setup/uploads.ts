// Small real zips for tests of uploads, and the requests that send them.
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Api, type ApiResponse, type KeyHolder, request } from './server.ts';
import { until } from './until.ts';

/** A valid zip with one stored entry, laid out as in PKWARE's APPNOTE. Shares no code with the reader under test. */
export function smallZip(name = 'game.txt', content: Uint8Array = Buffer.from('hello, player')): Buffer {
  const path = Buffer.from(name);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(0x0800, 2);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(content.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, path, content]);
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, Buffer.alloc(14), path]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end]);
}

/** A valid zip with `bytes` random bytes, which cannot be compressed. */
export function zipOfSize(bytes: number): Buffer {
  return smallZip('data.bin', randomBytes(bytes));
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export type BuildInput = {
  version?: string;
  os?: string;
  arch?: string;
  channel?: string;
  build_type?: string;
  title?: string;
  commit?: string;
  changelog_items?: readonly { title: string; description?: string }[];
};

/** Registers a build. Returns its id. */
export async function register(server: Api, game: KeyHolder, input: BuildInput = {}): Promise<string> {
  const response = await postJson(server, game, { version: '1.0.0', os: 'linux', arch: 'x86_64', ...input });
  if (!response.body.success) throw new Error(JSON.stringify(response.body));
  return response.body.data.build_id;
}

export function postJson(server: Api, game: KeyHolder, body: unknown): Promise<ApiResponse> {
  return request(`${server.api}/tool/upload/build`, {
    method: 'POST',
    headers: { ...game.keyHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** The fields of an upload form; undefined ones are left out. */
export type FormFields = Record<string, string | undefined>;

export function uploadFields(buildId: string, zip: Uint8Array): Record<string, string> {
  return { build_id: buildId, os: 'linux', arch: 'x86_64', channel: 'stable', checksum: sha256(zip) };
}

/** A form whose file comes after the text fields, or before them with `fileFirst`. */
export function formOf(
  fields: FormFields,
  zip: Uint8Array | undefined,
  { filename = 'game.zip', fileFirst = false } = {},
): FormData {
  const form = new FormData();
  const addFile = () => zip !== undefined && form.append('file', new Blob([zip as Uint8Array<ArrayBuffer>]), filename);
  if (fileFirst) addFile();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  if (!fileFirst) addFile();
  return form;
}

/** Sends a zip in one request. */
export function upload(server: Api, game: KeyHolder, form: FormData): Promise<ApiResponse> {
  return request(`${server.api}/tool/upload/files`, { method: 'POST', headers: game.keyHeaders, body: form });
}

/** Registers a build and uploads a zip for it. Returns the ids. */
export async function ship(
  server: Api,
  game: KeyHolder,
  input: BuildInput = {},
  zip: Uint8Array = smallZip(),
): Promise<Shipped> {
  const { os = 'linux', arch = 'x86_64', channel = 'stable' } = input;
  const buildId = await register(server, game, input);
  const response = await upload(server, game, formOf({ ...uploadFields(buildId, zip), os, arch, channel }, zip));
  if (!response.body.success) throw new Error(JSON.stringify(response.body));
  return { buildId, fileUid: response.body.data.file_uid };
}

export type FileRecord = { file_uid: string; status: string; message: string; detail: string | null };

/** Waits until the scan of the file has ended. Returns the file. */
export function untilScanned(server: Api, game: KeyHolder, fileUid: string): Promise<FileRecord> {
  return until(async () => {
    const { body } = await request(`${server.api}/tool/files/${fileUid}`, { headers: game.keyHeaders });
    return ['pending', 'scanning'].includes(body.data.status) ? undefined : (body.data as FileRecord);
  });
}

export type Shipped = { buildId: string; fileUid: string };

/** Ships a build and waits until its scan has ended. */
export async function shipAndScan(
  server: Api,
  game: KeyHolder,
  input: BuildInput = {},
  zip: Uint8Array = smallZip(),
): Promise<Shipped> {
  const shipped = await ship(server, game, input, zip);
  await untilScanned(server, game, shipped.fileUid);
  return shipped;
}

export function openSession(server: Api, game: KeyHolder, fields: FormFields): Promise<ApiResponse> {
  const entries = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return request(`${server.api}/tool/upload/sessions`, {
    method: 'POST',
    headers: game.keyHeaders,
    body: new URLSearchParams(entries),
  });
}

/** Registers a build and opens a session for `zip`. `fields` are added to those of the session. Returns the id of the session. */
export async function startSession(
  server: Api,
  game: KeyHolder,
  zip: Uint8Array,
  fields: FormFields = {},
  input: BuildInput = {},
): Promise<string> {
  const buildId = await register(server, game, input);
  const response = await openSession(server, game, {
    filename: 'game.zip',
    total_size: String(zip.length),
    ...uploadFields(buildId, zip),
    ...fields,
  });
  if (!response.body.success) throw new Error(JSON.stringify(response.body));
  return response.body.data.session_id;
}

/** Sends the bytes from `start` up to (excluding) `end` of the zip as one chunk. */
export function sendChunk(
  server: Api,
  game: KeyHolder,
  sessionId: string,
  zip: Uint8Array,
  start: number,
  end: number,
  init: RequestInit = {},
): Promise<ApiResponse> {
  return request(`${server.api}/tool/upload/files`, {
    method: 'POST',
    headers: {
      ...game.keyHeaders,
      'x-upload-session-id': sessionId,
      'content-range': `bytes ${start}-${end - 1}/${zip.length}`,
    },
    body: formOf({}, zip.subarray(start, end)),
    ...init,
  });
}
