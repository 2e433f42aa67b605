// Decides whether a store image has the format, size and aspect ratio that its kind needs. The server and the website
// use the same rules.
import type { Static } from 'typebox';
import { MIB } from './limits.ts';
import type { MediaKind } from './operations/media.ts';

export type ImageKind = Static<typeof MediaKind>;

/** The properties of an image that its header contains, so they are available before it is decoded. */
export type ImageFacts = {
  /** Bytes of the file. */
  size: number;
  /** Detected from the content, not from the file name. */
  format: ImageFormat;
  /** In pixels, after the recorded orientation is applied. */
  width: number;
  height: number;
  /** 1 unless it is animated. */
  frames: number;
};

export const IMAGE_FORMATS = ['png', 'jpeg', 'gif', 'webp'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/**
 * Animated GIFs are served as WebP, which takes a tenth of the time to encode and is much smaller for players to load.
 */
export function servedFormat({ format, frames }: ImageFacts): ImageFormat {
  return format === 'gif' && frames > 1 ? 'webp' : format;
}

type Pixels = { width: number; height: number };
type Bounds = { min: Pixels; max: Pixels; megabytes: number };

/** Megabytes are MiB here. */
const BOUNDS: Record<ImageKind, Bounds> = {
  thumbnail: { min: { width: 960, height: 540 }, max: { width: 1920, height: 1080 }, megabytes: 5 },
  cover: { min: { width: 1024, height: 576 }, max: { width: 2048, height: 1152 }, megabytes: 8 },
  screenshot: { min: { width: 1280, height: 720 }, max: { width: 2048, height: 1152 }, megabytes: 10 },
};

/** The largest file size of any kind, in bytes. */
export const MAX_IMAGE_BYTES = Math.max(...Object.values(BOUNDS).map(({ megabytes }) => megabytes)) * MIB;

/** The largest file size of a kind, in bytes. */
export function maxBytesOf(kind: ImageKind): number {
  return BOUNDS[kind].megabytes * MIB;
}

/** Width divided by height: 16:9, with a tolerance for slightly different crops. */
const RATIO = { min: 1.7, max: 1.85 };

/** A part of an image, in pixels from its upper left corner. */
export type Crop = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

/** The largest centred part that is 16:9; null if the image already has the right aspect ratio. */
export function cropOf({ width, height }: Pixels): Crop | null {
  if (hasAspectRatio({ width, height })) return null;
  const cut =
    width * 9 > height * 16
      ? { width: Math.round((height * 16) / 9), height }
      : { width, height: Math.round((width * 9) / 16) };
  return { left: Math.floor((width - cut.width) / 2), top: Math.floor((height - cut.height) / 2), ...cut };
}

function hasAspectRatio({ width, height }: Pixels): boolean {
  return width / height >= RATIO.min && width / height <= RATIO.max;
}

/**
 * The limit is for all frames together. 108 frames of 1024×576 are encoded within seconds, with about 200 MB of memory.
 */
export const MAX_PIXELS = 64_000_000;

type Rule = { name: string; find: (facts: ImageFacts, bounds: Bounds) => string | null };

/** Checked in this order; only the first problem is reported. */
const RULES: readonly Rule[] = [
  {
    name: 'bytes',
    find: ({ size }, { megabytes }) => (size > megabytes * MIB ? `larger than ${megabytes} MB` : null),
  },
  {
    name: 'min pixels',
    find: ({ width, height }, { min }) =>
      width < min.width || height < min.height ? `${width}×${height} pixels are too few` : null,
  },
  {
    name: 'max pixels',
    find: ({ width, height }, { max }) =>
      width > max.width || height > max.height ? `${width}×${height} pixels are too many` : null,
  },
  {
    name: 'aspect ratio',
    find: ({ width, height }) =>
      hasAspectRatio({ width, height })
        ? null
        : `${width}×${height} pixels are not 16:9, ${(width / height).toFixed(3)} to 1`,
  },
  {
    name: 'frames',
    find: ({ width, height, frames }) =>
      frames > 1 && width * height * frames > MAX_PIXELS
        ? `${frames} frames are too many to animate: at ${width}×${height} send at most ${Math.floor(MAX_PIXELS / (width * height))}`
        : null,
  },
];

/** Null if the image can be used as `kind`; otherwise a sentence about the problem and one about the requirements. */
export function findImageProblem(kind: ImageKind, facts: ImageFacts): string | null {
  const bounds = BOUNDS[kind];
  for (const { find } of RULES) {
    const reason = find(facts, bounds);
    if (reason !== null) return refusalOf(kind, reason);
  }
  return null;
}

/** The reason, followed by the requirements for the kind. */
export function refusalOf(kind: ImageKind, reason: string): string {
  const { min, max, megabytes } = BOUNDS[kind];
  const pixels = `${min.width}×${min.height} to ${max.width}×${max.height} pixels`;
  return `${reason}. A ${kind} is a PNG, JPEG, GIF or WebP of ${pixels}, 16:9 (width to height ${RATIO.min.toFixed(2)} to ${RATIO.max.toFixed(2)}), at most ${megabytes} MB.`;
}

/** Enough bytes to detect any of the formats. */
export const IMAGE_HEAD_BYTES = 12;

/**
 * Detects the format of an image by its first bytes, because a file name can have any extension. Null for any format that
 * is not accepted.
 */
export function detectImageFormat(head: Uint8Array): ImageFormat | null {
  const text = String.fromCharCode(...head.subarray(0, IMAGE_HEAD_BYTES));
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(text)) return 'gif';
  return /^RIFF.{4}WEBP/s.test(text) ? 'webp' : null;
}
