// The single upload: one form with the complete zip, stored while it arrives.
import { CODES } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { UploadedFile } from '@chauffeur/contract/operations/uploads';
import type { Context, GameCaller } from '../../context.ts';
import type { BlobUpload } from '../../kernel/blobs/store.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireOwnProgram } from '../../people/games/games.ts';
import type { Fields } from '../../request/form.ts';
import type { FilePart } from '../../request/multipart.ts';
import { createReceiver, storeBytes } from '../../request/receive-bytes.ts';
import { requireBuild } from '../builds/builds.ts';
import { originOf } from '../files/files.ts';
import { enforceQuota, type FreeStorage } from '../usage/usage.ts';
import { blobKeyOf, completeFile } from './complete-file.ts';
import { hasTargetFields, readFilename, readTarget, requireSamePlace, tooLarge } from './target.ts';

export type SingleUpload = {
  /** Stores the file part. Invalid fields before the file are refused before its first byte is stored. */
  store(part: FilePart, fieldsSoFar: Fields): Promise<void>;
  /** Records the file after the complete form has arrived. */
  finish(fields: Fields): Promise<UploadedFile>;
  /** Deletes the stored bytes. */
  discard(): Promise<void>;
};

export function startSingleUpload(ctx: Context, caller: GameCaller, storage: FreeStorage): SingleUpload {
  const fileId = newId();
  const key = blobKeyOf(caller.gameId, fileId);
  const receiver = createReceiver({
    maxBytes: Math.min(LIMITS.fileBytes, storage.bytes),
    tooLarge: storage.bytes < LIMITS.fileBytes ? storage.exceeded : tooLarge,
  });
  let upload: BlobUpload | undefined;
  let filename = '';

  async function resolve(fields: Fields) {
    const target = readTarget(fields);
    await requireOwnProgram(ctx, caller.gameId, fields, CODES.unknownBuildOfFile);
    const build = await requireBuild(ctx.db, caller.gameId, target.build);
    requireSamePlace(target, build);
    return { target, build };
  }

  return {
    async store(part, fieldsSoFar) {
      filename = readFilename(part.filename);
      if (hasTargetFields(fieldsSoFar)) await resolve(fieldsSoFar);
      upload = await storeBytes(ctx.blobs, await ctx.blobs.begin(key), receiver, part.bytes);
      ctx.metrics.uploadedBytes.inc({ way: 'single' }, upload.size);
    },
    async finish(fields) {
      const { target, build } = await resolve(fields);
      const digest = receiver.hash?.digest('hex') ?? null;
      const arrival = {
        build,
        fileId,
        filename,
        checksum: target.checksum,
        origin: originOf(caller),
        upload: upload!,
        digest,
      };
      return completeFile(ctx, arrival, { after: (tx) => enforceQuota(ctx, tx, caller.gameId) });
    },
    discard: () => ctx.blobs.delete(key),
  };
}
