// Says what would have to be cut off an image that has not the shape of a store image, and whether the rest would do.
import { type Crop, cropOf, type ImageFacts, type ImageKind, imageProblem } from '@chauffeur/contract/image-rules';

export type CropHint = { readonly crop: Crop; readonly says: string };

/** Null where the shape is right. */
export function cropHint(kind: ImageKind, facts: ImageFacts): CropHint | null {
  const crop = cropOf(facts);
  if (crop === null) return null;
  const { width, height } = crop;
  const problem = imageProblem(kind, { ...facts, width, height });
  const rest = problem === null ? `${width}×${height} is left, which may be sent.` : `But then: ${problem}`;
  return { crop, says: `${sayCut(facts, crop)} ${rest}` };
}

function sayCut({ width, height }: Pick<ImageFacts, 'width' | 'height'>, { left, top, ...kept }: Crop): string {
  if (kept.width < width) return `Cut ${left} pixels off the left side and ${width - kept.width - left} off the right.`;
  return `Cut ${top} pixels off the top and ${height - kept.height - top} off the bottom.`;
}
