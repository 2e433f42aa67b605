// The thread of `encodePreview`: decodes one image within limits and encodes it again.
import { readFile, writeFile } from 'node:fs/promises';
import { IMAGE_FORMATS, MAX_PIXELS } from '@chauffeur/contract/image-rules';
import sharp from 'sharp';
import { PRIVATE_FILE } from '../../kernel/private-files.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import { disarmImage } from './disarm-image.ts';
import type { PreviewInput, PreviewResult } from './encode-image.ts';

/** The maximum width and height in pixels. A screenshot of a common display keeps its size. */
const MAX_SIDE = 1920;
const QUALITY = 80;

// Each image is read once. The accepted formats are set for all threads in encode-image.ts.
sharp.cache(false);

await answerTask(async ({ source, target, seconds }: PreviewInput): Promise<PreviewResult> => {
  const image = disarmImage(await readFile(source));
  if (image === null) return { refused: 'The image is made of too many scans or frames to show.' };
  const read = async () => sharp(image).metadata();
  const header = await read().catch(() => null);
  if (header === null || !IMAGE_FORMATS.some((format) => format === header.format))
    return { refused: 'Not a readable PNG, JPEG, GIF or WebP.' };
  if (header.width * header.height > MAX_PIXELS)
    return { refused: `The image has ${header.width} × ${header.height} pixels, which is too large to show.` };
  try {
    // Only the first frame of an animation is decoded. Metadata is not copied.
    const { data, info } = await sharp(image, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .timeout({ seconds })
      .autoOrient()
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .toBuffer({ resolveWithObject: true });
    await writeFile(target, data, { mode: PRIVATE_FILE });
    return { width: info.width, height: info.height, size: data.length };
  } catch {
    return { refused: 'The image is damaged, or takes too long to decode.' };
  }
});
