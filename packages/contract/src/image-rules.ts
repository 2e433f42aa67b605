// Decides whether a store image has the format, the size and the shape that its kind needs: the server's rules, and what a page says before it sends one.
import type { Static } from 'typebox';
import { MIB } from './limits.ts';
import type { MediaKind } from './operations/media.ts';

export type ImageKind = Static<typeof MediaKind>;

/** What is known of an image before its pixels are read. */
export type ImageFacts = {
  /** Bytes of the file. */
  size: number;
  /** By content, whatever the file is called. */
  format: ImageFormat;
  /** Pixels, the way up that it is shown. */
  width: number;
  height: number;
  /** 1 unless it is animated. */
  frames: number;
};

export const IMAGE_FORMATS = ['png', 'jpeg', 'gif', 'webp'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** A GIF that moves is served as WebP: a tenth of the time to encode, and a fraction of the bytes for players to load. */
export function servedFormat({ format, frames }: ImageFacts): ImageFormat {
  return format === 'gif' && frames > 1 ? 'webp' : format;
}

type Pixels = { width: number; height: number };
type Bounds = { least: Pixels; most: Pixels; megabytes: number };

/** The spec's limits. Megabytes are MiB. */
const BOUNDS: Record<ImageKind, Bounds> = {
  thumbnail: { least: { width: 960, height: 540 }, most: { width: 1920, height: 1080 }, megabytes: 5 },
  cover: { least: { width: 1024, height: 576 }, most: { width: 2048, height: 1152 }, megabytes: 8 },
  screenshot: { least: { width: 1280, height: 720 }, most: { width: 2048, height: 1152 }, megabytes: 10 },
};

/** Bytes that an image of any kind may have. */
export const MAX_IMAGE_BYTES = Math.max(...Object.values(BOUNDS).map(({ megabytes }) => megabytes)) * MIB;

/** Width to height: 16:9 with room for what is cut a little off. */
const RATIO = { least: 1.7, most: 1.85 };

/** A part of an image, in pixels from its upper left corner. */
export type Crop = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

/** The largest part in the middle that is 16:9, which is what would be left of an image that is not; null for one whose shape is right. */
export function cropOf({ width, height }: Pixels): Crop | null {
  if (hasShape({ width, height })) return null;
  const cut =
    width * 9 > height * 16
      ? { width: Math.round((height * 16) / 9), height }
      : { width, height: Math.round((width * 9) / 16) };
  return { left: Math.floor((width - cut.width) / 2), top: Math.floor((height - cut.height) / 2), ...cut };
}

function hasShape({ width, height }: Pixels): boolean {
  return width / height >= RATIO.least && width / height <= RATIO.most;
}

/** Of all frames together, 108 of 1024×576: encoded within seconds, in about 200 MB of memory. */
export const MAX_PIXELS = 64_000_000;

type Rule = { name: string; problem: (facts: ImageFacts, bounds: Bounds) => string | null };

/** In order; the first that finds something says it. */
const RULES: readonly Rule[] = [
  {
    name: 'bytes',
    problem: ({ size }, { megabytes }) => (size > megabytes * MIB ? `larger than ${megabytes} MB` : null),
  },
  {
    name: 'least pixels',
    problem: ({ width, height }, { least }) =>
      width < least.width || height < least.height ? `${width}×${height} pixels are too few` : null,
  },
  {
    name: 'most pixels',
    problem: ({ width, height }, { most }) =>
      width > most.width || height > most.height ? `${width}×${height} pixels are too many` : null,
  },
  {
    name: 'shape',
    problem: ({ width, height }) =>
      hasShape({ width, height })
        ? null
        : `${width}×${height} pixels are not 16:9, ${(width / height).toFixed(3)} to 1`,
  },
  {
    name: 'frames',
    problem: ({ width, height, frames }) =>
      frames > 1 && width * height * frames > MAX_PIXELS
        ? `${frames} frames are too many to animate: at ${width}×${height} send at most ${Math.floor(MAX_PIXELS / (width * height))}`
        : null,
  },
];

/** Null when the image may be used as `kind`; else a sentence about what it is, and one about what is needed. */
export function imageProblem(kind: ImageKind, facts: ImageFacts): string | null {
  const bounds = BOUNDS[kind];
  for (const { problem } of RULES) {
    const found = problem(facts, bounds);
    if (found !== null) return refusalOf(kind, found);
  }
  return null;
}

/** The reason, with what an image of this kind has to be. */
export function refusalOf(kind: ImageKind, reason: string): string {
  const { least, most, megabytes } = BOUNDS[kind];
  const pixels = `${least.width}×${least.height} to ${most.width}×${most.height} pixels`;
  return `${reason}. A ${kind} is a PNG, JPEG, GIF or WebP of ${pixels}, 16:9 (width to height ${RATIO.least.toFixed(2)} to ${RATIO.most.toFixed(2)}), at most ${megabytes} MB.`;
}
