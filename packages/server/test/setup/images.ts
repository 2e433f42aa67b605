// cspell:ignore ANMF
// Small real images for tests of store images, the requests that send them, and what the server has stored.

import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { ERRORS, type ErrorCode } from '@chauffeur/contract/errors';
import sharp from 'sharp';
import { type Api, type ApiResponse, type KeyHolder, request, type TestGame, type TestServer } from './server.ts';

export type Format = 'png' | 'jpeg' | 'gif' | 'webp';

/** An image of one colour. */
export function picture(width = 1280, height = 720, format: Format = 'jpeg', background = '#c81e28'): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background } })
    .toFormat(format)
    .toBuffer();
}

/** A WebP of 1280×720 pixels in which the lossless image `webp` is the first frame, and `frames` times another one. */
export function animatedWebp(webp: Buffer, frames: number): Buffer {
  const header = Buffer.from([2, 0, 0, 0, 0xff, 4, 0, 0xcf, 2, 0]);
  // At 0, 0, of 8×8 pixels, for 100 ms.
  const place = Buffer.from([0, 0, 0, 0, 0, 0, 7, 0, 0, 7, 0, 0, 100, 0, 0, 0]);
  const frame = webpChunk('ANMF', Buffer.concat([place, webp.subarray(12)]));
  const chunks = [
    webpChunk('VP8X', header),
    webpChunk('ANIM', Buffer.alloc(6)),
    ...Array<Buffer>(frames + 1).fill(frame),
  ];
  return webpChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

function webpChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

export type NamedFile = { name: string; bytes: Uint8Array };

export function named(name: string, bytes: Uint8Array): NamedFile {
  return { name, bytes };
}

/** A form whose kind comes first, or last with `kindLast`; an undefined kind is left out. */
export function mediaForm(
  kind: string | undefined,
  files: readonly NamedFile[],
  { kindLast = false }: { kindLast?: boolean } = {},
): FormData {
  const form = new FormData();
  if (kind !== undefined && !kindLast) form.append('kind', kind);
  for (const { name, bytes } of files) form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  if (kind !== undefined && kindLast) form.append('kind', kind);
  return form;
}

export function postMedia(server: Api, game: KeyHolder, body: RequestInit['body']): Promise<ApiResponse> {
  return request(`${server.api}/tool/media`, { method: 'POST', headers: game.keyHeaders, body: body ?? null });
}

/** Adds images, of which some may have a name. Returns their uids. */
export async function addPictures(
  server: Api,
  game: KeyHolder,
  kind: string,
  images: readonly (NamedFile | Uint8Array)[],
): Promise<string[]> {
  const files = images.map((image, index) =>
    image instanceof Uint8Array ? named(`${kind}-${index}.jpg`, image) : image,
  );
  const { status, body } = await postMedia(server, game, mediaForm(kind, files));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.added.map((image: { uid: string }) => image.uid);
}

/** Valid screenshots named `<prefix>-<index>.jpg`. */
export async function screenshots(count: number, prefix = 'shot'): Promise<NamedFile[]> {
  const bytes = await picture();
  return Array.from({ length: count }, (_, index) => named(`${prefix}-${index}.jpg`, bytes));
}

/** Calls the routes of the game's images; `path` is relative to `/tool/media`. */
export function callMedia(
  server: TestServer,
  game: TestGame,
  path = '',
  { headers, ...init }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<ApiResponse> {
  return request(`${server.api}/tool/media${path}`, { ...init, headers: { ...game.keyHeaders, ...headers } });
}

/** Loads an image from its public URL. */
export function load(server: TestServer, uid: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.api}/public/media/${uid}`, { headers });
}

/** Returns the uids of the gallery in order. */
export async function galleryOf(server: TestServer, game: TestGame): Promise<string[]> {
  const { body } = await callMedia(server, game);
  return body.data.gallery.map((image: { uid: string }) => image.uid);
}

export async function imageBlobsOf(server: TestServer, game: TestGame): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of server.ctx.blobs.list(`media/${game.uid}/`)) keys.push(key);
  return keys.sort();
}

/** The keys of the blobs of a JPEG image and its smaller copies, in the order of `imageBlobsOf`. */
export function blobsOfPicture(game: TestGame, uid: string): string[] {
  return ['160.webp', '480.webp', '960.webp', 'jpg'].map((ending) => `media/${game.uid}/${uid}.${ending}`);
}

/** Fails unless the response is this error. */
export function assertRefusal({ status, body }: ApiResponse, code: ErrorCode, message: RegExp): void {
  assert.deepEqual([status, body.error?.code], [ERRORS[code].status, code], `${body.error?.message}`);
  assert.match(body.error?.message ?? '', message);
}

/** A chunk of a PNG, with its length and checksum. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(data.length);
  numbers.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)]);
}
