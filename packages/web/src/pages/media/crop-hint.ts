// Describes how to crop an image to the aspect ratio of a store image, and whether the result would be accepted.
import { type Crop, cropOf, findImageProblem, type ImageFacts, type ImageKind } from '@chauffeur/contract/image-rules';

export type CropHint = { readonly crop: Crop; readonly description: string };

/** Null if the aspect ratio is right. */
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
