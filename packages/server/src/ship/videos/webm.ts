// cspell:ignore ebml
// Reads a WebM: a tree of elements, each with an id and a size (RFC 8794 and RFC 9559).
import { KIB, MIB } from '@chauffeur/contract/limits';
import type { VideoFacts } from '@chauffeur/contract/video-rules';
import { collectTracks, damagedVideo, type VideoBytes, VideoError } from './video-bytes.ts';

const IDS = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  void: 0xec,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  codecId: 0x86,
  contentEncodings: 0x6d80,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  cropBottom: 0x54aa,
  cropTop: 0x54bb,
  cropLeft: 0x54cc,
  cropRight: 0x54dd,
  displayWidth: 0x54b0,
  displayHeight: 0x54ba,
  displayUnit: 0x54b2,
  cluster: 0x1f43b675,
} as const;

const VIDEO_TRACK = 1;
const AUDIO_TRACK = 2;
const VIDEO_CODECS = ['V_VP8', 'V_VP9', 'V_AV1'];
const AUDIO_CODECS = ['A_VORBIS', 'A_OPUS'];

/** The maximum bytes of an id, which are 4, and of a size, which are 8. */
const MAX_HEAD_BYTES = 12;
const MAX_HEADER_BYTES = 4 * KIB;
const MAX_INFO_BYTES = 64 * KIB;
/** The setup of a codec, such as the tables of Vorbis, takes a few KiB. */
const MAX_TRACKS_BYTES = MIB;
/** The limit of elements before the first cluster, where a video has only a few. */
const MAX_ELEMENTS = 1000;
const NANOSECONDS = 1e9;
const DEFAULT_SCALE = 1_000_000;

/** `size` is null if it is unknown, as in a live recording. */
type Head = { id: number; headSize: number; size: number | null };

/**
 * Throws VideoError unless browsers can play the file. It is read up to the first cluster, which follows all that is
 * needed to play it.
 */
export async function readWebm(bytes: VideoBytes): Promise<VideoFacts> {
  const headAt = async (at: number) => readHead(await bytes.read(at, Math.min(MAX_HEAD_BYTES, bytes.size - at)));
  const bodyAt = (at: number, { headSize, size }: Head, max: number) => {
    if (size === null || size > max || at + headSize + size > bytes.size) throw damagedVideo();
    return bytes.read(at + headSize, size);
  };

  const header = await headAt(0);
  requireWebm(await bodyAt(0, header, MAX_HEADER_BYTES));
  const start = header.headSize + header.size!;
  const segment = await headAt(start);
  if (segment.id !== IDS.segment) throw damagedVideo();
  requireEnd(segment, bytes.size - start);

  let info: Buffer | null = null;
  let tracks: Buffer | null = null;
  for (let at = start + segment.headSize, count = 0; at < bytes.size && count < MAX_ELEMENTS; count++) {
    const head = await headAt(at);
    if (head.id === IDS.cluster) return describe(info, tracks);
    if (head.size === null) throw damagedVideo();
    if (head.id === IDS.info) info = await bodyAt(at, head, MAX_INFO_BYTES);
    if (head.id === IDS.tracks) tracks = await bodyAt(at, head, MAX_TRACKS_BYTES);
    at += head.headSize + head.size;
  }
  throw damagedVideo();
}

function requireWebm(header: Buffer): void {
  const docType = elementsOf(header).find(({ id }) => id === IDS.docType);
  if (docType === undefined) throw damagedVideo();
  if (readText(docType.body) !== 'webm')
    throw new VideoError('a Matroska video, which not all browsers play. Export it as WebM or MP4');
}

/** The segment is the rest of the file. */
function requireEnd({ headSize, size }: Head, available: number): void {
  if (size !== null && headSize + size !== available) throw damagedVideo();
}

/** The id keeps the bits that mark its length; the size doesn't. If all bits of the size are set, it is unknown. */
function readHead(bytes: Buffer): Head {
  const idLength = lengthOf(bytes, 0, 4);
  const sizeLength = lengthOf(bytes, idLength, 8);
  const id = bytes.readUIntBE(0, idLength);
  const marker = 0x80 >> (sizeLength - 1);
  let size = bytes[idLength]! & (marker - 1);
  let isUnknown = size === marker - 1;
  for (const byte of bytes.subarray(idLength + 1, idLength + sizeLength)) {
    // A size that is larger than any file is rounded.
    size = size * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { id, headSize: idLength + sizeLength, size: isUnknown ? null : size };
}

/** The number of bytes of the number at `at`: one more than it has leading zeros. */
function lengthOf(bytes: Buffer, at: number, max: number): number {
  const length = Math.clz32(bytes[at] ?? 0) - 23;
  if (length > max || at + length > bytes.length) throw damagedVideo();
  return length;
}

type Element = { id: number; body: Buffer };

function* elementsOf(body: Buffer): Generator<Element> {
  for (let rest = body; rest.length > 0; ) {
    const { id, headSize, size } = readHead(rest);
    if (size === null || headSize + size > rest.length) throw damagedVideo();
    yield { id, body: rest.subarray(headSize, headSize + size) };
    rest = rest.subarray(headSize + size);
  }
}

function find(body: Buffer, id: number): Buffer | undefined {
  return elementsOf(body).find((element) => element.id === id)?.body;
}

function describe(info: Buffer | null, tracks: Buffer | null): VideoFacts {
  if (info === null || tracks === null) throw damagedVideo();
  const entries = collectTracks(elementsOf(tracks).filter(({ id }) => id === IDS.trackEntry)).map(({ body }) => ({
    body,
    type: readNumber(body, IDS.trackType),
  }));
  const video = entries.find(({ type }) => type === VIDEO_TRACK);
  if (video === undefined) throw new VideoError('without a video track');
  requireCodec(video.body, VIDEO_CODECS);
  const audio = entries.find(({ type }) => type === AUDIO_TRACK);
  if (audio !== undefined) requireCodec(audio.body, AUDIO_CODECS);
  const settings = find(video.body, IDS.video);
  if (settings === undefined) throw damagedVideo();
  return { type: 'video/webm', ...readSize(settings), seconds: readDuration(info) };
}

function requireCodec(entry: Buffer, playable: readonly string[]): void {
  if (find(entry, IDS.contentEncodings) !== undefined)
    throw new VideoError('encrypted, or compressed in a way that browsers do not play');
  const codec = readText(find(entry, IDS.codecId) ?? Buffer.alloc(0));
  if (playable.includes(codec)) return;
  const name = /^[\w./-]{1,40}$/.test(codec) ? `the codec ${codec}` : 'an unknown codec';
  throw new VideoError(`encoded with ${name}, which not all browsers play`);
}

/** The size in pixels, less what is cropped, unless another size is given for showing it. */
function readSize(settings: Buffer): { width: number; height: number } {
  const read = (id: number) => readNumber(settings, id) ?? 0;
  const [shownWidth, shownHeight] = [read(IDS.displayWidth), read(IDS.displayHeight)];
  if (read(IDS.displayUnit) === 0 && shownWidth > 0 && shownHeight > 0)
    return { width: shownWidth, height: shownHeight };
  return {
    width: Math.max(0, read(IDS.pixelWidth) - read(IDS.cropLeft) - read(IDS.cropRight)),
    height: Math.max(0, read(IDS.pixelHeight) - read(IDS.cropTop) - read(IDS.cropBottom)),
  };
}

/** Reads the duration, which is in units of the scale. The scale is in nanoseconds. */
function readDuration(info: Buffer): number | null {
  const bytes = find(info, IDS.duration);
  if (bytes === undefined) return null;
  const units = bytes.length === 8 ? bytes.readDoubleBE() : bytes.length === 4 ? bytes.readFloatBE() : Number.NaN;
  const seconds = (units * (readNumber(info, IDS.timestampScale) ?? DEFAULT_SCALE)) / NANOSECONDS;
  if (Number.isNaN(seconds)) throw damagedVideo();
  return seconds > 0 ? seconds : null;
}

/** Reads the number of an element, which is rounded if it has more than 53 bits. Undefined without such an element. */
function readNumber(body: Buffer, id: number): number | undefined {
  const bytes = find(body, id);
  if (bytes === undefined) return undefined;
  if (bytes.length > 8) throw damagedVideo();
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}

/** A text may be padded with zeros. */
function readText(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/\0+$/, '');
}
