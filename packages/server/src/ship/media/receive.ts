// Receives the form of an image upload: the kind, and the image files, which are written to a folder.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiError, CODES, errors } from '@chauffeur/contract/errors';
import { MAX_IMAGE_BYTES } from '@chauffeur/contract/image-rules';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { MediaKindInput } from '@chauffeur/contract/operations/media';
import { findProblem } from '@chauffeur/contract/validate';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { PRIVATE_FILE } from '../../kernel/private-files.ts';
import { type Fields, readForm } from '../../request/form.ts';
import { findFilenameProblem } from '../../request/text-rules.ts';
import type { ImageKind } from './media.ts';

export type ReceivedFile = { filename: string; path: string };
export type ReceivedForm = { kind: ImageKind; files: ReceivedFile[] };

const Form = Type.Object({ kind: MediaKindInput });

/**
 * Throws `invalidMedia` for an invalid form, and `imageRefused` with the index of the file at the first byte over the
 * size limit.
 */
export async function receiveImages(request: FastifyRequest, folder: string, idleMs: number): Promise<ReceivedForm> {
  const files: ReceivedFile[] = [];
  const fields = await readForm(request.raw, {
    maxBytes: LIMITS.imagesPerRequest * MAX_IMAGE_BYTES + MIB,
    maxFiles: LIMITS.imagesPerRequest,
    invalid: CODES.invalidMedia,
    idleMs,
    checkAccess: request.checkAccess,
    async onFile({ filename, bytes }) {
      const problem = findFilenameProblem(filename);
      if (problem !== null) throw errors.invalidMedia(problem);
      const index = files.length;
      const path = join(folder, String(index));
      files.push({ filename, path });
      await writeFile(
        path,
        limited(bytes, () => tooLarge(filename, index)),
        { mode: PRIVATE_FILE },
      );
    },
  });
  const kind = readKind(fields);
  if (kind !== 'screenshot' && files.length > 1)
    throw errors.invalidMedia(`file: a game has one ${kind}. Send exactly one file part.`);
  return { kind, files };
}

function readKind(fields: Fields): ImageKind {
  const problem = findProblem(Form, { ...fields });
  if (problem !== null) throw errors.invalidMedia(problem);
  return fields.kind === 'gallery' ? 'screenshot' : (fields.kind as ImageKind);
}

async function* limited(source: ByteSource, tooLarge: () => Error): ByteSource {
  let size = 0;
  for await (const bytes of source) {
    size += bytes.length;
    if (size > MAX_IMAGE_BYTES) throw tooLarge();
    yield bytes;
  }
}

function tooLarge(filename: string, index: number): ApiError {
  return errors.imageRefused(`${filename}: larger than ${MAX_IMAGE_BYTES / MIB} MB. Make it smaller.`, {
    data: { index },
  });
}
