// The thread of `encodeImage`: checks one uploaded image and encodes it again.
import { readFile, writeFile } from 'node:fs/promises';
import {
  findImageProblem,
  IMAGE_FORMATS,
  type ImageFacts,
  type ImageFormat,
  MAX_PIXELS,
  refusalOf,
  servedFormat,
} from '@chauffeur/contract/image-rules';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { PRIVATE_FILE } from '../../kernel/private-files.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import { disarmImage } from './disarm-image.ts';
import type { EncodeInput, EncodeResult, ImageCopy } from './encode-image.ts';

/** The quality of lossy formats. It is high, because most uploads have already been compressed once. */
const QUALITY = 90;
/** The quality of animations. It is lower, because each frame is visible briefly and every player loads all of them. */
const ANIMATION_QUALITY = 80;
/** The widths of copies in pixels: for lists, for a card, and for half a page or a card on a high-density screen. */
const COPY_WIDTHS = [160, 480, 960];
/** The quality of copies. It is lower, because they are shown small. */
const COPY_QUALITY = 78;

// Caching would be useless, because each image is read once. The accepted formats are set for all threads in
// encode-image.ts.
sharp.cache(false);

await answerTask(async (input: EncodeInput): Promise<EncodeResult> => {
  const { source, target, kind } = input;
  const file = await readFile(source);
  const image = disarmImage(file);
  if (image === null) return { refused: refusalOf(kind, 'made of too many scans or frames. Export it again') };
  const facts = await readFacts(image, file.length);
  if (facts === null) return { refused: refusalOf(kind, 'not a readable PNG, JPEG, GIF or WebP') };
  const problem = findImageProblem(kind, facts);
  if (problem !== null) return { refused: problem };
  const format = servedFormat(facts);
  const encoded = await encode(image, input, facts, format);
  if (encoded === null)
    return { refused: refusalOf(kind, 'damaged, truncated or too slow to decode. Export it again') };
  const { data, info } = encoded;
  await writeFile(target, data, { mode: PRIVATE_FILE });
  const copies = facts.frames > 1 ? [] : await writeCopies(input, data, info.width);
  return { format, width: info.width, height: info.pageHeight ?? info.height, size: data.length, copies };
});

/** Reads only the header; null if the format is not accepted. */
async function readFacts(image: Buffer, size: number): Promise<ImageFacts | null> {
  const read = async () => sharp(image).metadata();
  const header = await read().catch(() => null);
  const format = IMAGE_FORMATS.find((accepted) => accepted === header?.format);
  if (header === null || format === undefined) return null;
  const frames = header.pages ?? 1;
  const { width, height } = frames > 1 ? header : header.autoOrient;
  return { size, format, width, height, frames };
}

/**
 * Decodes the image and encodes its pixels again, so that the result has no metadata, no profile except sRGB and no
 * hidden data. The recorded orientation is applied. Null if the image cannot be decoded in time.
 */
async function encode(
  source: Buffer,
  { seconds }: EncodeInput,
  facts: ImageFacts,
  format: ImageFormat,
): Promise<{ data: Buffer; info: OutputInfo } | null> {
  const animated = facts.frames > 1;
  const image = sharp(source, { animated, limitInputPixels: MAX_PIXELS, failOn: 'error' }).timeout({ seconds });
  try {
    return await encoderOf(animated ? image : image.autoOrient(), format, animated).toBuffer({
      resolveWithObject: true,
    });
  } catch {
    // The decoder's error does not help the uploader, who has to export the image again in any case.
    return null;
  }
}

/** Writes smaller copies in WebP. Copies that would not be smaller in bytes are skipped. */
async function writeCopies({ target, seconds }: EncodeInput, image: Buffer, imageWidth: number): Promise<ImageCopy[]> {
  const copies: ImageCopy[] = [];
  for (const width of COPY_WIDTHS.filter((each) => each < imageWidth)) {
    const copy = await sharp(image).timeout({ seconds }).resize({ width }).webp({ quality: COPY_QUALITY }).toBuffer();
    if (copy.length >= image.length) continue;
    const path = `${target}.${width}`;
    await writeFile(path, copy, { mode: PRIVATE_FILE });
    copies.push({ width, size: copy.length, path });
  }
  return copies;
}

/** Higher efforts would take more time and save hardly any bytes. */
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
