// cspell:ignore alac apch apcn dvhe enca encv ftyp mdat mdia mehd minf moof moov mvex mvhd soun stbl stsd tkhd trak vide
// Reads an MP4: a sequence of boxes, each with a size and a type, some of which contain boxes (ISO/IEC 14496-12).
import { MIB } from '@chauffeur/contract/limits';
import type { VideoFacts } from '@chauffeur/contract/video-rules';
import { collectTracks, damagedVideo, type VideoBytes, VideoError } from './video-bytes.ts';

/** Brands of MP4 files, the first of which a file can have in any position. QuickTime and images have others. */
const BRANDS = /^(iso[m2-9a-c]|mp4[12]|avc1|av01|dash|M4V[ HP]|cmf[cs2]|f4v )$/;
const VIDEO_CODECS = ['avc1', 'avc3', 'vp09', 'av01'];
const AUDIO_CODECS = ['mp4a', '.mp3', 'Opus', 'fLaC'];
/** Codecs that some browsers don't play, by the name that a developer knows. */
const OTHER_CODECS: Readonly<Record<string, string>> = {
  hvc1: 'H.265',
  hev1: 'H.265',
  dvh1: 'Dolby Vision',
  dvhe: 'Dolby Vision',
  mp4v: 'MPEG-4 Visual',
  apcn: 'ProRes',
  apch: 'ProRes',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
  alac: 'Apple Lossless',
  encv: 'an encrypted codec',
  enca: 'an encrypted codec',
};

/** The profiles Baseline, Main, Extended and High, which have 8 bits and 4:2:0. */
const H264_PROFILES = [66, 77, 88, 100];
/** The fields of a sample entry of video, after which its boxes follow. */
const VIDEO_ENTRY_BYTES = 78;

/** A file with a fragment for each second has two boxes for each fragment. */
const MAX_BOXES = 20_000;
const MAX_FTYP_BYTES = 1024;
/** The tables of an hour of video take about 3 MB. */
const MAX_MOOV_BYTES = 16 * MIB;
/** The size and the type of a box, and the large size of a large one. */
const MAX_HEADER_BYTES = 16;

/**
 * Throws VideoError unless browsers can play the file. All of its boxes are checked to follow each other to its end.
 */
export async function readMp4(bytes: VideoBytes): Promise<VideoFacts> {
  let movie: Buffer | null = null;
  let hasMedia = false;
  for (let at = 0, count = 0; at < bytes.size; count++) {
    if (count === MAX_BOXES) throw new VideoError('made of too many parts. Export it again');
    const available = bytes.size - at;
    const { type, headerSize, size } = readHeader(
      await bytes.read(at, Math.min(MAX_HEADER_BYTES, available)),
      available,
    );
    const readBody = (max: number) => {
      if (size > max) throw damagedVideo();
      return bytes.read(at + headerSize, size - headerSize);
    };
    if (count === 0) {
      if (type !== 'ftyp') throw damagedVideo();
      requireBrand(await readBody(MAX_FTYP_BYTES));
    } else if (type === 'moov') {
      if (movie !== null) throw damagedVideo();
      movie = await readBody(MAX_MOOV_BYTES);
    } else if (type === 'mdat') hasMedia = true;
    at += size;
  }
  if (movie === null || !hasMedia) throw damagedVideo();
  return readMovie(movie);
}

type Header = { type: string; headerSize: number; size: number };

/** Size 1 means that a large size follows, and 0 that the box is the last one. */
function readHeader(head: Buffer, available: number): Header {
  if (head.length < 8) throw damagedVideo();
  const type = head.toString('latin1', 4, 8);
  const shortSize = head.readUInt32BE(0);
  if (shortSize === 1 && head.length < 16) throw damagedVideo();
  const headerSize = shortSize === 1 ? 16 : 8;
  const size = shortSize === 1 ? readUint64(head, 8) : shortSize === 0 ? available : shortSize;
  if (size < headerSize || size > available) throw damagedVideo();
  return { type, headerSize, size };
}

/** Checks the brands: a major one, its version, and compatible ones. */
function requireBrand(ftyp: Buffer): void {
  const brands = Array.from({ length: Math.floor(ftyp.length / 4) }, (_, index) =>
    ftyp.toString('latin1', index * 4, index * 4 + 4),
  ).toSpliced(1, 1);
  if (!brands.some((brand) => BRANDS.test(brand)))
    throw new VideoError(
      brands[0] === 'qt  ' ? 'a QuickTime movie, which not all browsers play. Export it as MP4' : 'not an MP4 video',
    );
}

/** The bodies of the boxes in `body`, with their types. */
function* boxesOf(body: Buffer): Generator<{ type: string; body: Buffer }> {
  for (let rest = body; rest.length > 0; ) {
    const { type, headerSize, size } = readHeader(rest, rest.length);
    yield { type, body: rest.subarray(headerSize, size) };
    rest = rest.subarray(size);
  }
}

/** The body of the first box at `path`; undefined if there is none. */
function findBox(body: Buffer, [type, ...path]: readonly string[]): Buffer | undefined {
  const box = boxesOf(body).find((each) => each.type === type)?.body;
  return box === undefined || path.length === 0 ? box : findBox(box, path);
}

function requireBox(body: Buffer, path: readonly string[], minLength: number): Buffer {
  const box = findBox(body, path);
  if (box === undefined || box.length < minLength) throw damagedVideo();
  return box;
}

function readMovie(movie: Buffer): VideoFacts {
  const tracks = collectTracks(boxesOf(movie).filter(({ type }) => type === 'trak')).map(({ body }) => ({
    body,
    handler: requireBox(body, ['mdia', 'hdlr'], 12).toString('latin1', 8, 12),
  }));
  const video = tracks.find(({ handler }) => handler === 'vide');
  if (video === undefined) throw new VideoError('without a video track');
  const format = readFormat(video.body);
  requireCodec(format.codec, VIDEO_CODECS);
  if (format.codec.startsWith('avc')) requireProfile(format.body);
  const audio = tracks.find(({ handler }) => handler === 'soun');
  if (audio !== undefined) requireCodec(readFormat(audio.body).codec, AUDIO_CODECS);
  return { type: 'video/mp4', ...readSize(video.body, format.body), seconds: readDuration(movie) };
}

function requireCodec(codec: string, playable: readonly string[]): void {
  if (playable.includes(codec)) return;
  const name = OTHER_CODECS[codec] ?? (/^[\w .-]{4}$/.test(codec) ? `the codec ${codec}` : 'an unknown codec');
  throw new VideoError(`encoded with ${name}, which not all browsers play`);
}

/** Programs that encode RGB images often keep all of their colours, which only some browsers play. */
function requireProfile(entry: Buffer): void {
  const configuration = requireBox(entry.subarray(VIDEO_ENTRY_BYTES), ['avcC'], 2);
  if (!H264_PROFILES.includes(configuration[1]!))
    throw new VideoError(
      'encoded with a profile of H.264 that not all browsers play. Export it with 8 bits and 4:2:0 (yuv420p)',
    );
}

/** The first sample entry of a track: its codec, and the fields that follow. */
function readFormat(track: Buffer): { codec: string; body: Buffer } {
  const table = requireBox(track, ['mdia', 'minf', 'stbl', 'stsd'], 16);
  const { type: codec, headerSize, size } = readHeader(table.subarray(8), table.length - 8);
  return { codec, body: table.subarray(8 + headerSize, 8 + size) };
}

/** The size from the header of the track, which includes the aspect ratio of pixels, or else that of the codec. */
function readSize(track: Buffer, format: Buffer): { width: number; height: number } {
  const header = requireBox(track, ['tkhd'], 84);
  const matrixAt = header[0] === 1 ? 52 : 40;
  if (header.length < matrixAt + 44 || format.length < 28) throw damagedVideo();
  const width = Math.round(header.readUInt32BE(matrixAt + 36) / 0x10000) || format.readUInt16BE(24);
  const height = Math.round(header.readUInt32BE(matrixAt + 40) / 0x10000) || format.readUInt16BE(26);
  // A phone that is held upright records a wide video, and a matrix that turns it.
  const isTurned = header.readUInt32BE(matrixAt) === 0 && header.readUInt32BE(matrixAt + 4) !== 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** Reads the duration. In a file of fragments, the header has no duration, and a box about fragments may have it. */
function readDuration(movie: Buffer): number | null {
  const header = requireBox(movie, ['mvhd'], 20);
  const isLong = header[0] === 1;
  if (isLong && header.length < 32) throw damagedVideo();
  const scale = header.readUInt32BE(isLong ? 20 : 12);
  const own = readTime(header, isLong ? 24 : 16, isLong);
  const fragments = findBox(movie, ['mvex', 'mehd']);
  const units = own ?? (fragments === undefined ? null : readFragmentsTime(fragments));
  return units === null || scale === 0 ? null : units / scale;
}

function readFragmentsTime(box: Buffer): number | null {
  const isLong = box[0] === 1;
  if (box.length < (isLong ? 12 : 8)) throw damagedVideo();
  return readTime(box, 4, isLong);
}

/** Reads a time. Null if it is unknown, which is written as zero or with all bits set. */
function readTime(bytes: Buffer, at: number, isLong: boolean): number | null {
  const time = isLong ? readUint64(bytes, at) : bytes.readUInt32BE(at);
  return time === 0 || time === (isLong ? 2 ** 64 : 2 ** 32 - 1) ? null : time;
}

/** Reads a number, which is rounded if it is larger than any file. */
function readUint64(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
