// Looks at an image in the browser by the rules that the service has, so that a wrong one is not sent first.
import { type ImageKind, imageProblem, refusalOf } from '@chauffeur/contract/image-rules';
import { formatOf, HEAD_BYTES } from './image-facts.ts';

/** Null when it may be sent; else what is wrong with it, and what is needed. Frames are left to the service. */
export async function checkImage(file: File, kind: ImageKind): Promise<string | null> {
  const format = formatOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  if (format === null) return `${file.name}: ${refusalOf(kind, 'no image that is taken here')}`;
  const image = await createImageBitmap(file).catch(() => null);
  if (image === null) return `${file.name}: ${refusalOf(kind, 'the image cannot be read')}`;
  const { width, height } = image;
  image.close();
  const problem = imageProblem(kind, { size: file.size, format, width, height, frames: 1 });
  return problem === null ? null : `${file.name}: ${problem}`;
}
