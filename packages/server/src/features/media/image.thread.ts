// The thread of `encodeImage`: looks at one uploaded image, judges it, and writes it anew.
import { stat, writeFile } from 'node:fs/promises';
import {
  IMAGE_FORMATS,
  type ImageFacts,
  type ImageFormat,
  imageProblem,
  MOST_PIXELS,
  refusalOf,
  servedFormat,
} from '@chauffeur/contract/image-rules';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { answerTask } from '../../kernel/threads.ts';
import type { EncodeInput, EncodeResult, ImageCopy } from './image.ts';

/** Of the formats that lose some: high, since what comes has mostly been through it once. */
const QUALITY = 90;
/** A frame is seen for a moment, and every player loads all of them. */
const ANIMATION_QUALITY = 80;
/** Of copies, in pixels: for a card, and for half a page or a card on a screen with twice the pixels. */
const COPY_WIDTHS = [480, 960];
/** They are looked at in passing. */
const COPY_QUALITY = 78;

// No image comes twice. Which formats it reads is set for all threads at once, in image.ts.
sharp.cache(false);

await answerTask(async (input: EncodeInput): Promise<EncodeResult> => {
  const { source, target, kind } = input;
  const facts = await readFacts(source);
  if (facts === null) return { refused: refusalOf(kind, 'not a PNG, JPEG, GIF or WebP that can be read') };
  const problem = imageProblem(kind, facts);
  if (problem !== null) return { refused: problem };
  const format = servedFormat(facts);
  const encoded = await encode(input, facts, format);
  if (encoded === null) return { refused: refusalOf(kind, 'damaged, cut off, or too slow to read; export it again') };
  const { data, info } = encoded;
  await writeFile(target, data);
  const copies = facts.frames > 1 ? [] : await writeCopies(input, data, info.width);
  return { format, width: info.width, height: info.pageHeight ?? info.height, size: data.length, copies };
});

/** Reads the header only; null when it is of no format that is accepted. */
async function readFacts(source: string): Promise<ImageFacts | null> {
  const { size } = await stat(source);
  const header = await sharp(source)
    .metadata()
    .catch(() => null);
  const format = IMAGE_FORMATS.find((known) => known === header?.format);
  if (header === null || format === undefined) return null;
  const frames = header.pages ?? 1;
  const { width, height } = frames > 1 ? header : header.autoOrient;
  return { size, format, width, height, frames };
}

/**
 * Decodes the image and encodes its pixels: what is served holds no metadata, no profile but sRGB, and nothing hidden
 * behind the picture. The orientation that a camera noted is applied. Null when it cannot be decoded in time.
 */
async function encode(
  { source, seconds }: EncodeInput,
  facts: ImageFacts,
  format: ImageFormat,
): Promise<{ data: Buffer; info: OutputInfo } | null> {
  const animated = facts.frames > 1;
  const image = sharp(source, { animated, limitInputPixels: MOST_PIXELS, failOn: 'error' }).timeout({ seconds });
  try {
    return await encoderOf(animated ? image : image.autoOrient(), format, animated).toBuffer({
      resolveWithObject: true,
    });
  } catch {
    // What the decoder stumbled on says nothing to who made the image: its remedy is to export it again.
    return null;
  }
}

/** Smaller copies in WebP beside the image, but for those that would save nothing: a drawing may be small as it is. */
async function writeCopies({ target, seconds }: EncodeInput, image: Buffer, imageWidth: number): Promise<ImageCopy[]> {
  const copies: ImageCopy[] = [];
  for (const width of COPY_WIDTHS.filter((each) => each < imageWidth)) {
    const copy = await sharp(image).timeout({ seconds }).resize({ width }).webp({ quality: COPY_QUALITY }).toBuffer();
    if (copy.length >= image.length) continue;
    const path = `${target}.${width}`;
    await writeFile(path, copy);
    copies.push({ width, size: copy.length, path });
  }
  return copies;
}

/** Efforts are those at which more time saves next to no bytes. */
function encoderOf(image: Sharp, format: ImageFormat, animated: boolean): Sharp {
  switch (format) {
    case 'png':
      return image.png();
    case 'jpeg':
      return image.jpeg({ quality: QUALITY });
    case 'gif':
      return image.gif({ effort: 3 });
    case 'webp':
      return image.webp(animated ? { quality: ANIMATION_QUALITY, effort: 0 } : { quality: QUALITY });
  }
}
