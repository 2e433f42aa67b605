// Checks an image in the browser by the server's rules, before it is uploaded.
import { detectImageFormat, IMAGE_HEAD_BYTES } from '@chauffeur/contract/image-format';
import { findImageProblem, type ImageKind, refusalOf } from '@chauffeur/contract/image-rules';
import { type CropHint, cropHint } from './crop-hint.ts';

/** Why an image can't be uploaded and, if cropping would help, what to crop. */
export type Refused = {
  readonly file: File;
  readonly problem: string;
  readonly cut: (CropHint & { readonly width: number; readonly height: number }) | null;
};

/** Null if the image can be uploaded, otherwise what is wrong and what is needed. The number of frames is checked by the server. */
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
