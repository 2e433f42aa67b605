// The streaming routes of the store: downloads, as a signed redirect if the blob store supports it, and cacheable
// shelves.
import { errors } from '@chauffeur/contract/errors';
import * as shelvesContract from '@chauffeur/contract/operations/shelves';
import * as contract from '@chauffeur/contract/operations/store';
import type { Context } from '../../context.ts';
import { findGame } from '../../people/games/games.sql.ts';
import { answer } from '../../request/answer.ts';
import { stream } from '../../request/route.ts';
import { matches, resumesDownload, sendBlob } from '../../request/send-blob.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import { countDownload } from '../../ship/downloads/downloads.ts';
import { type FileRow, findFile, isOffered } from '../../ship/files/files.ts';
import { countReferredDownload } from '../statistics/statistics.ts';
import { createDownloadLink, readDownloadLink } from './download-links.ts';
import { downloadNameOf } from './download-name.ts';
import { CACHE_SECONDS, readShelf } from './shelves.ts';
import { requireDownloadable } from './store.ts';

const SIGNED_SECONDS = 3600;

/** `GET …/files/{file_uid}/download`. */
export const downloadFile = stream(contract.downloadFile, async (ctx, { caller, input, request, reply }) => {
  const isResumed = (file: FileRow) => resumesDownload(request.headers, etagOf(file));
  const { game, file, isMember } = await requireDownloadable(ctx, caller, input, isResumed);
  const blob = await blobOf(ctx, game.slug, file);
  const download = { gameId: game.game_id, buildId: file.build_id, blob };
  if (!isMember && (await countDownload(ctx, request, download)))
    countReferredDownload(ctx, { gameId: game.game_id, host: input.referrer, headers: request.headers });
  const isPublic = game.visibility === 'public';
  // Files of drafts must not be stored in shared caches, and signed URLs expire.
  reply.header('cache-control', isPublic ? 'no-cache' : 'private, no-cache');
  reply.header('vary', 'Cookie, X-Access-Token');
  const link = isPublic ? createDownloadLink(ctx, { gameId: game.game_id, fileId: file.file_id }) : null;
  if (link !== null && !matches(request.headers['if-none-match'], blob.etag))
    return reply.header('etag', blob.etag).code(302).header('location', link).send();
  return sendBlob(ctx.blobs, request, reply, { ...blob, signedSeconds: SIGNED_SECONDS });
});

/** `GET …/public/downloads/{token}`: the bytes, for a CDN that keeps them while the link is valid. */
export const downloadByLink = stream(contract.downloadByLink, async (ctx, { input: { token }, request, reply }) => {
  const link = readDownloadLink(ctx, token);
  const game = link === null ? null : await findGame(ctx.db, link.gameId);
  const file = link === null || game === null ? null : await findFile(ctx.db, game.game_id, link.fileId);
  if (link === null || game === null || file === null || !isOffered(file.scan_state))
    throw errors.notFound('token: not valid, or no longer valid. Open the download of the game again.');
  reply.header('cache-control', `public, max-age=${link.seconds}, immutable`);
  return sendBlob(ctx.blobs, request, reply, { ...(await blobOf(ctx, game.slug, file)), signedSeconds: null });
});

async function blobOf({ db }: Context, slug: string, file: FileRow) {
  const build = await findBuild(db, file.game_id, file.build_id);
  const filename = build === null ? file.filename : downloadNameOf(slug, build, file.filename);
  return { key: file.blob_key, size: file.size, etag: etagOf(file), filename, contentType: 'application/zip' };
}

function etagOf({ checksum }: FileRow): string {
  return `"${checksum}"`;
}

/** `GET …/public/shelves/{shelf}`: the same for everyone, so shared caches may store it. */
export const getShelf = stream(shelvesContract.getShelf, async (ctx, { input, request, reply }) => {
  const { shelf, etag } = await readShelf(ctx, input);
  reply.header('etag', etag).header('cache-control', `public, max-age=${CACHE_SECONDS}`);
  return matches(request.headers['if-none-match'], etag) ? reply.code(304).send() : answer(200, shelf);
});
