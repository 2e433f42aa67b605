// cspell:ignore ebml ftyp isom isommp mdat mdia minf moov mvhd soun stbl stsd tkhd trak vide
// Small real videos for tests, the parts of containers that tests make up, and the requests that send videos.
import { readFile } from 'node:fs/promises';
import type { VideoBytes } from '../../src/ship/videos/video-bytes.ts';
import { type ApiResponse, request, type TestGame, type TestServer } from './server.ts';

/** The real ones, which are described in fixtures/videos/README.md. */
export const VIDEO_NAMES = [
  'h264.mp4',
  'h264-moov-last.mp4',
  'h264-fragments.mp4',
  'h264-turned.mp4',
  'vp9.mp4',
  'vp9.webm',
  'vp8-live.webm',
] as const;

export function readVideoFixture(name: (typeof VIDEO_NAMES)[number]): Promise<Buffer<ArrayBuffer>> {
  return readFile(new URL(`../fixtures/videos/${name}`, import.meta.url));
}

/** Fails if bytes are read that do not exist. */
export function videoBytes(bytes: Buffer): VideoBytes {
  return {
    size: bytes.length,
    async read(start, length) {
      if (!(start >= 0 && length >= 0 && start + length <= bytes.length))
        throw new Error(`bytes ${start} + ${length} of ${bytes.length}`);
      return bytes.subarray(start, start + length);
    },
  };
}

/** A box of an MP4. */
export function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** A box whose size takes 64 bits; `size` replaces the right one. */
export function largeBox(type: string, content: Uint8Array, size = BigInt(16 + content.length)): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1);
  head.write(type, 4, 'latin1');
  head.writeBigUInt64BE(size, 8);
  return Buffer.concat([head, content]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

export const FTYP = box('ftyp', Buffer.from('isom\0\0\0\0isommp42', 'latin1'));
export const MDAT = box('mdat', Buffer.alloc(32));

type TrackOptions = {
  handler?: 'vide' | 'soun';
  codec?: string;
  width?: number;
  height?: number;
  /** The byte of the configuration of H.264; null for none. */
  profile?: number | null;
};

export function track({
  handler = 'vide',
  codec = 'avc1',
  width = 640,
  height = 360,
  profile = 100,
}: TrackOptions = {}): Buffer {
  const tkhd = Buffer.alloc(84);
  numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000).copy(tkhd, 40);
  numbers(width * 0x10000, height * 0x10000).copy(tkhd, 76);
  const fields = Buffer.alloc(78);
  fields.writeUInt16BE(width, 24);
  fields.writeUInt16BE(height, 26);
  const configuration = profile === null ? [] : [box('avcC', Buffer.from([1, profile, 0, 30]))];
  const stsd = box('stsd', numbers(0, 1), box(codec, fields, ...configuration));
  const hdlr = box('hdlr', numbers(0, 0), Buffer.from(handler), Buffer.alloc(12));
  return box('trak', box('tkhd', tkhd), box('mdia', hdlr, box('minf', box('stbl', stsd))));
}

export function movieHeader(duration = 2000, timescale = 1000): Buffer {
  return box('mvhd', numbers(0, 0, 0, timescale, duration), Buffer.alloc(80));
}

/** A movie with a long header, whose duration takes 64 bits. */
export function longMovieHeader(duration: bigint, timescale: number): Buffer {
  const head = Buffer.concat([numbers(0x01000000, 0, 0, 0, 0, timescale), Buffer.alloc(8)]);
  head.writeBigUInt64BE(duration, 24);
  return box('mvhd', head, Buffer.alloc(80));
}

export function mp4(...tracks: readonly Uint8Array[]): Buffer {
  return Buffer.concat([FTYP, box('moov', movieHeader(), ...tracks), MDAT]);
}

/** An element of a WebM, whose size takes 8 bytes; `size` replaces the right one, null makes it unknown. */
export function element(id: number, content: Uint8Array, size: bigint | null = BigInt(content.length)): Buffer {
  const idBytes = Buffer.from(id.toString(16).padStart(id > 0xff ? (id > 0xffff ? 6 : 4) : 2, '0'), 'hex');
  const sizeBytes = Buffer.alloc(8);
  sizeBytes.writeBigUInt64BE((1n << 56n) | (size ?? (1n << 56n) - 1n));
  return Buffer.concat([idBytes, sizeBytes, content]);
}

export const EBML_HEADER = element(0x1a45dfa3, element(0x4282, Buffer.from('webm')));
export const CLUSTER = element(0x1f43b675, Buffer.alloc(16));

export function webmInfo(duration = 2000): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(duration);
  return element(
    0x1549a966,
    Buffer.concat([element(0x2ad7b1, Buffer.from([0x0f, 0x42, 0x40])), element(0x4489, bytes)]),
  );
}

export type WebmTrack = { type?: number; codec?: string; video?: Uint8Array; more?: Uint8Array };

/** The tracks have 640×360 pixels unless `video` has other settings. */
export function webmTracks(...tracks: readonly WebmTrack[]): Buffer {
  const entries = tracks.map(({ type = 1, codec = 'V_VP9', video = pixels(640, 360), more = Buffer.alloc(0) }) =>
    element(
      0xae,
      Buffer.concat([
        element(0x83, Buffer.from([type])),
        element(0x86, Buffer.from(codec)),
        element(0xe0, video),
        more,
      ]),
    ),
  );
  return element(0x1654ae6b, Buffer.concat(entries));
}

function number(id: number, value: number): Buffer {
  return element(id, Buffer.from([value >> 8, value & 0xff]));
}

export function pixels(width: number, height: number, more: Readonly<Record<number, number>> = {}): Buffer {
  const others = Object.entries(more).map(([id, value]) => number(Number(id), value));
  return Buffer.concat([number(0xb0, width), number(0xba, height), ...others]);
}

export function webm(...content: readonly Uint8Array[]): Buffer {
  return Buffer.concat([EBML_HEADER, element(0x18538067, Buffer.concat(content))]);
}

export function videoForm(bytes: Uint8Array, name = 'trailer.mp4'): FormData {
  const form = new FormData();
  form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  return form;
}

export function postVideo(server: TestServer, game: TestGame, body: RequestInit['body']): Promise<ApiResponse> {
  return request(`${server.api}/tool/videos`, { method: 'POST', headers: game.keyHeaders, body: body ?? null });
}

/** Adds a video. Returns its uid. */
export async function addVideo(server: TestServer, game: TestGame, name = 'trailer.mp4'): Promise<string> {
  const { status, body } = await postVideo(server, game, videoForm(await readVideoFixture('vp9.mp4'), name));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.added.uid;
}

export async function videoBlobsOf(server: TestServer, game: TestGame): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of server.ctx.blobs.list(`videos/${game.uid}/`)) keys.push(key);
  return keys.sort();
}

export type ListedVideo = { uid: string; position: number; status: string; detail: string | null };

/** The list that members of the game see. */
export async function listVideosOf(server: TestServer, game: TestGame): Promise<ListedVideo[]> {
  const { body } = await request(`${server.api}/tool/videos`, { headers: game.keyHeaders });
  return body.data.videos;
}
