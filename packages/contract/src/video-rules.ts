// cspell:ignore ebml ftyp Decides whether a video has a duration and a size that a game's page can show. The server and
// the website use the same rules.
import { LIMITS, MIB } from './limits.ts';
import type { VIDEO_TYPES } from './operations/videos.ts';

export type VideoType = (typeof VIDEO_TYPES)[number];

/** What the container of a video says about it. */
export type VideoFacts = {
  readonly type: VideoType;
  /** The width in pixels, as the video is shown. */
  readonly width: number;
  readonly height: number;
  /** Null if the container does not say. */
  readonly seconds: number | null;
};

/** The number of bytes at the start of a file that `detectVideoType` needs. */
export const VIDEO_HEAD_BYTES = 8;

const EBML = [0x1a, 0x45, 0xdf, 0xa3];
/** The size of the first box of an MP4 comes first. */
const FTYP = [0x66, 0x74, 0x79, 0x70];

/**
 * Detects the container from the start of the file; null if it is neither. Its name and its declared type don't count.
 */
export function detectVideoType(head: Uint8Array): VideoType | null {
  if (EBML.every((byte, index) => head[index] === byte)) return 'video/webm';
  if (FTYP.every((byte, index) => head[4 + index] === byte)) return 'video/mp4';
  return null;
}

/** Null if the video can be used; otherwise a sentence about the problem and one about the requirements. */
export function findVideoProblem({ width, height, seconds }: VideoFacts): string | null {
  const { min, max } = LIMITS.videoPixels;
  if (Math.min(width, height) < min) return refuseVideo(`${width}×${height} pixels are too few`);
  if (Math.max(width, height) > max) return refuseVideo(`${width}×${height} pixels are too many`);
  if (seconds !== null && seconds > LIMITS.videoSeconds)
    return refuseVideo(`longer than ${LIMITS.videoSeconds / 60} minutes`);
  return null;
}

export const VIDEO_TOO_LARGE = `larger than ${LIMITS.videoBytes / MIB} MB`;

/** The reason, followed by the requirements. */
export function refuseVideo(reason: string): string {
  const { min, max } = LIMITS.videoPixels;
  return `${reason}. A video is an MP4 (H.264, VP9 or AV1, with AAC, MP3, Opus or FLAC sound) or a WebM (VP8, VP9 or AV1, with Vorbis or Opus sound), with sides of ${min} to ${max} pixels, at most ${LIMITS.videoSeconds / 60} minutes long and ${LIMITS.videoBytes / MIB} MB large.`;
}
