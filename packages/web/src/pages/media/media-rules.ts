// Decides about media before the server does: whether an image can be uploaded, how to crop it, and the order of the
// images after one was moved.
import {
  type Crop,
  cropOf,
  detectImageFormat,
  findImageProblem,
  IMAGE_HEAD_BYTES,
  type ImageFacts,
  type ImageKind,
  refusalOf,
} from '@chauffeur/contract/image-rules';

/** Why an image can't be uploaded and, if cropping would help, what to crop. */
export type Refused = {
  readonly file: File;
  readonly problem: string;
  readonly cut: (CropHint & { readonly width: number; readonly height: number }) | null;
};

/**
 * Checks an image by the server's rules: null if it can be uploaded, otherwise what is wrong and what is needed. The
 * server also checks the number of frames.
 */
export async function checkImage(file: File, kind: ImageKind): Promise<Refused | null> {
  const refuse = (reason: string): Refused => ({ file, problem: refusalOf(kind, reason), cut: null });
  const format = detectImageFormat(new Uint8Array(await file.slice(0, IMAGE_HEAD_BYTES).arrayBuffer()));
  if (format === null) return refuse('not a PNG, JPEG, GIF or WebP');
  const image = await createImageBitmap(file).catch(() => null);
  if (image === null) return refuse('damaged');
  const { width, height } = image;
  image.close();
  const facts = { size: file.size, format, width, height, frames: 1 };
  const problem = findImageProblem(kind, facts);
  if (problem === null) return null;
  const hint = cropHint(kind, facts);
  return { file, problem, cut: hint === null ? null : { ...hint, width, height } };
}

type CropHint = { readonly crop: Crop; readonly description: string };

/**
 * Describes how to crop an image to the aspect ratio of a store image, and whether the result would be accepted. Null
 * if the aspect ratio is right.
 */
export function cropHint(kind: ImageKind, facts: ImageFacts): CropHint | null {
  const crop = cropOf(facts);
  if (crop === null) return null;
  const { width, height } = crop;
  const problem = findImageProblem(kind, { ...facts, width, height });
  const result =
    problem === null
      ? `The result, ${width}×${height}, can be uploaded.`
      : `The result would still not be accepted: ${problem}`;
  return { crop, description: `${formatCut(facts, crop)} ${result}` };
}

function formatCut({ width, height }: Pick<ImageFacts, 'width' | 'height'>, { left, top, ...kept }: Crop): string {
  if (kept.width < width) return `Crop ${left} pixels on the left and ${width - kept.width - left} on the right.`;
  return `Crop ${top} pixels at the top and ${height - kept.height - top} at the bottom.`;
}

/** Returns `uids` with the item at index `from` moved to index `to`, unchanged if either doesn't exist. */
export function moved(uids: readonly string[], from: number, to: number): string[] {
  const uid = uids[from];
  if (uid === undefined || to < 0 || to >= uids.length) return [...uids];
  return uids.toSpliced(from, 1).toSpliced(to, 0, uid);
}
