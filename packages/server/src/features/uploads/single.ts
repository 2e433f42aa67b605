// The single upload: one form with the whole zip, stored while it arrives.
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context, GameCaller } from '../../context.ts';
import type { BlobUpload } from '../../kernel/blobs/store.ts';
import type { Fields } from '../../kernel/form.ts';
import { newId } from '../../kernel/ids.ts';
import type { FilePart } from '../../kernel/multipart.ts';
import { requireBuild } from '../builds/builds.ts';
import { requireOwnProgram } from '../games/games.ts';
import { claimRoom, type Room } from '../usage/usage.ts';
import { blobKeyOf, completeFile, type UploadedFile } from './complete-file.ts';
import { createReceiver, storeBytes } from './receive.ts';
import { hasTargetFields, readFilename, readTarget, requireSamePlace, tooLarge } from './target.ts';

export type SingleUpload = {
  /** Stores the file part; refuses before the first byte when the fields in front of it are already wrong. */
  store(part: FilePart, fieldsSoFar: Fields): Promise<void>;
  /** Records the file, once the whole form has come. */
  finish(fields: Fields): Promise<UploadedFile>;
  /** Removes what was stored. */
  discard(): Promise<void>;
};

export function startSingleUpload(ctx: Context, caller: GameCaller, room: Room): SingleUpload {
  const fileId = newId();
  const key = blobKeyOf(caller.gameId, fileId);
  const receiver = createReceiver({
    most: Math.min(LIMITS.fileBytes, room.left),
    tooLarge: room.left < LIMITS.fileBytes ? room.full : tooLarge,
  });
  let upload: BlobUpload | undefined;
  let filename = '';

  async function resolve(fields: Fields) {
    const target = readTarget(fields);
    await requireOwnProgram(ctx, caller.gameId, fields, 4039);
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
        keyRef: caller.keyRef,
        upload: upload!,
        digest,
      };
      return completeFile(ctx, arrival, { after: (tx) => claimRoom(ctx, tx, caller.gameId) });
    },
    discard: () => ctx.blobs.delete(key),
  };
}
