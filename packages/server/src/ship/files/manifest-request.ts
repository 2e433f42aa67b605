// `GET …/tool/files/{file_uid}/manifest`: for the command, which compares what the server has with its folder.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/files';
import { stream } from '../../request/route.ts';
import { sendBlob } from '../../request/send-blob.ts';
import { findManifest } from './files.sql.ts';
import { MANIFEST_TYPE } from './files.ts';

export const getFileManifest = stream(contract.getFileManifest, async (ctx, { caller, input, request, reply }) => {
  const manifest = await findManifest(ctx.db, { game_id: caller.gameId, file_id: input.file_uid });
  if (manifest === undefined)
    throw errors.notFound('file_uid: this game has no such file, or the file has no manifest (yet).');
  const { key, size, sha256 } = manifest;
  reply.header('cache-control', 'private, no-cache');
  return sendBlob(ctx.blobs, request, reply, {
    ...{ key, size, etag: `"${sha256}"`, filename: `${input.file_uid}.manifest` },
    ...{ contentType: MANIFEST_TYPE, signedSeconds: null },
  });
});
