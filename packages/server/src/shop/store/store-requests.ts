// Downloads: signed redirects if the blob store supports them, links for a CDN, the names of files, and the count of
// the websites that they came from. And shelves, which can be cached.
import { errors } from '@chauffeur/contract/errors';
import * as shelvesContract from '@chauffeur/contract/operations/shelves';
import * as contract from '@chauffeur/contract/operations/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Context } from '../../context.ts';
import { DAY, HOUR, SECOND } from '../../kernel/clock.ts';
import { deriveKey, isCurrent, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { pageOfWhole } from '../../request/cursor.ts';
import { perContext } from '../../request/per-context.ts';
import { answer } from '../../request/perform.ts';
import { handle, stream } from '../../request/route.ts';
import { matches, resumesDownload, sendBlob } from '../../request/send-blob.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import { countDownload } from '../../ship/downloads/downloads.ts';
import { findManifest, readEntries, readScanHistory } from '../../ship/files/files.sql.ts';
import { findFile, type GameFileRow, isOffered, MANIFEST_TYPE } from '../../ship/files/files.ts';
import { findDifference, findPack, type Pair, type StoredBlob } from '../../ship/patches/patches.sql.ts';
import { signMessage } from '../../ship/signing-keys/signing-keys.ts';
import { countReferredDownload } from '../statistics/statistics.ts';
import { CACHE_SECONDS, readShelf } from './shelves.ts';
import { requireDownloadable, requireFile, requireOffered } from './store.ts';

const SIGNED_SECONDS = 3600;

/** `GET …/files/{file_uid}/download`. */
export const downloadFile = stream(contract.downloadFile, async (ctx, { caller, input, request, reply }) => {
  const isResumed = (file: GameFileRow) => resumesDownload(request.headers, etagOf(file));
  const { game, file, isMember } = await requireDownloadable(ctx, caller, input, isResumed);
  const blob = await blobOf(ctx, game.slug, file);
  const download = { gameId: game.game_id, buildId: file.build_id, blob };
  if (!isMember && (await countDownload(ctx, request, download)))
    countReferredDownload(ctx, { gameId: game.game_id, host: input.referrer, headers: request.headers });
  const isPublic = game.visibility === 'public';
  // Files of drafts must not be stored in shared caches, and signed URLs expire.
  reply.header('cache-control', isPublic ? 'no-cache' : 'private, no-cache');
  reply.header('vary', 'Authorization, Cookie, X-Access-Token');
  const link = isPublic ? createDownloadLink(ctx, { gameId: game.game_id, fileId: file.file_id }) : null;
  if (link !== null && !matches(request.headers['if-none-match'], blob.etag))
    return reply.header('etag', blob.etag).code(302).header('location', link).send();
  return sendBlob(ctx.blobs, request, reply, { ...blob, signedSeconds: SIGNED_SECONDS });
});

/** A manifest never changes, but its signature is that of a key which can be replaced. */
const MANIFEST_SECONDS = 300;

/** `GET …/files/{file_uid}/manifest`, with its signature in a header. Clients may ask for it as for the file. */
export const getManifest = stream(contract.getManifest, async (ctx, { caller, input, request, reply }) => {
  const { game, file } = await requireDownloadable(ctx, caller, input, () => true);
  const manifest = await findManifest(ctx.db, file);
  if (manifest === undefined)
    throw errors.notFound('file_uid: this file has no manifest. Download the zip as a whole.');
  const { keyId, bytes } = await signMessage(ctx, 'manifest', Buffer.from(manifest.sha256, 'hex'));
  const scope = game.visibility === 'public' ? 'public' : 'private';
  reply
    .header('cache-control', `${scope}, max-age=${MANIFEST_SECONDS}`)
    .header('vary', 'Authorization, Cookie, X-Access-Token')
    .header('x-chauffeur-signature', `${keyId} ${bytes.toString('base64url')}`);
  const { key, size, sha256 } = manifest;
  const blob = { key, size, etag: `"${sha256}"`, filename: `${file.file_id}.manifest`, contentType: MANIFEST_TYPE };
  return sendBlob(ctx.blobs, request, reply, { ...blob, signedSeconds: null });
});

/** What is made of two files never changes, and neither does what is found at its address. */
const PATCH_SECONDS = DAY / SECOND;

/** `GET …/files/{file_uid}/patches/{from_file_uid}`. Clients may ask for it as for the file. */
export const getPatch = stream(contract.getPatch, async (ctx, { caller, input, request, reply }) => {
  const { pair, isPublic } = await requirePair(ctx, caller, input);
  const pack = await findPack(ctx.db, pair);
  if (pack === undefined)
    throw errors.notFound('from_file_uid: there is no patch pack from this file. Update with blocks instead.');
  return sendPatch(ctx, request, reply, {
    ...{ ...pack, isPublic, filename: `${pair.fileId}.pack` },
    signedSeconds: SIGNED_SECONDS,
  });
});

/** `GET …/files/{file_uid}/manifest-differences/{from_file_uid}`. Clients may ask for it as for the file. */
export const getManifestDifference = stream(
  contract.getManifestDifference,
  async (ctx, { caller, input, request, reply }) => {
    const { pair, isPublic } = await requirePair(ctx, caller, input);
    const difference = await findDifference(ctx.db, pair);
    if (difference === undefined)
      throw errors.notFound('from_file_uid: there is no difference from this file. Get the manifest instead.');
    return sendPatch(ctx, request, reply, {
      ...{ ...difference, isPublic, filename: `${pair.fileId}.difference` },
      signedSeconds: null,
    });
  },
);

type PairInput = { readonly uid: string; readonly file_uid: string; readonly from_file_uid: string };

async function requirePair(ctx: Context, caller: Caller, input: PairInput): Promise<{ pair: Pair; isPublic: boolean }> {
  const { game, file } = await requireDownloadable(ctx, caller, input, () => true);
  const pair = { gameId: game.game_id, fileId: file.file_id, fromFileId: input.from_file_uid };
  return { pair, isPublic: game.visibility === 'public' };
}

type SentPatch = StoredBlob & {
  readonly isPublic: boolean;
  readonly filename: string;
  readonly signedSeconds: number | null;
};

function sendPatch({ blobs }: Context, request: FastifyRequest, reply: FastifyReply, patch: SentPatch) {
  const { isPublic, sha256, signedSeconds, ...blob } = patch;
  // A redirect must not outlive the address that it leads to.
  const seconds = signedSeconds === null ? PATCH_SECONDS : SIGNED_SECONDS / 2;
  reply
    .header('cache-control', `${isPublic ? 'public' : 'private'}, max-age=${seconds}, immutable`)
    .header('vary', 'Authorization, Cookie, X-Access-Token');
  const contentType = 'application/octet-stream';
  return sendBlob(blobs, request, reply, { ...blob, etag: `"${sha256}"`, contentType, signedSeconds });
}

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

async function blobOf({ db }: Context, slug: string, file: GameFileRow) {
  const build = await findBuild(db, file.game_id, file.build_id);
  const filename = build === null ? file.filename : downloadNameOf(slug, build, file.filename);
  return { key: file.blob_key, size: file.size, etag: etagOf(file), filename, contentType: 'application/zip' };
}

function etagOf({ checksum }: GameFileRow): string {
  return `"${checksum}"`;
}

/** `GET …/public/shelves/{shelf}`. The response is the same for everyone, so shared caches may store it. */
export const getShelf = stream(shelvesContract.getShelf, async (ctx, { input, request, reply }) => {
  const { shelf, etag } = await readShelf(ctx, input);
  reply.header('etag', etag).header('cache-control', `public, max-age=${CACHE_SECONDS}`);
  return matches(request.headers['if-none-match'], etag) ? reply.code(304).send() : answer(200, shelf);
});

type LinkedFile = { readonly gameId: string; readonly fileId: string };

const UUID_BYTES = 16;
const LIFE_HOURS = 2;
const keyOf = perContext(({ secret }) => deriveKey(secret, 'downloads'));

/** A link on the CDN that is valid for one to two hours; null without a CDN. */
export function createDownloadLink(ctx: Context, { gameId, fileId }: LinkedFile): string | null {
  const { downloadUrl } = ctx.config;
  if (downloadUrl === undefined) return null;
  const payload = Buffer.alloc(2 * UUID_BYTES + 4);
  payload.write(gameId.replaceAll('-', ''), 0, 'hex');
  payload.write(fileId.replaceAll('-', ''), UUID_BYTES, 'hex');
  payload.writeUInt32BE(Math.floor(ctx.clock.now().getTime() / HOUR) + LIFE_HOURS, 2 * UUID_BYTES);
  return `${downloadUrl.replace(/\/+$/, '')}/api/v1/public/downloads/${signToken(keyOf(ctx), payload)}`;
}

/** The file of a link, and for how many seconds the link is still valid; null if it is not. */
export function readDownloadLink(ctx: Context, token: string): (LinkedFile & { readonly seconds: number }) | null {
  const payload = openToken(keyOf(ctx), token);
  if (payload === null) return null;
  const endsAt = payload.readUInt32BE(2 * UUID_BYTES) * HOUR;
  const seconds = Math.floor((endsAt - ctx.clock.now().getTime()) / SECOND);
  if (seconds <= 0 || !isCurrent(endsAt, LIFE_HOURS * HOUR, ctx.clock.now())) return null;
  return { gameId: readUuid(payload, 0), fileId: readUuid(payload, UUID_BYTES), seconds };
}

function readUuid(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + UUID_BYTES);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

type NamedBuild = {
  readonly version: string;
  readonly build_type: string;
  readonly os: string;
  readonly arch: string;
};

/**
 * The name of the downloaded file, such as `night-owls-1.2.0-windows-x86_64.zip`. A name that the developer chose is
 * kept if it begins with the game's slug too: players find a download by the name of the game.
 */
export function downloadNameOf(slug: string, build: NamedBuild, uploadedName: string): string {
  if (uploadedName.startsWith(slug)) return uploadedName;
  const type = build.build_type === 'game' ? [] : [build.build_type];
  const parts = [slug, ...type, nameable(build.version), build.os, build.arch];
  return `${parts.filter((part) => part !== '').join('-')}.zip`;
}

/** Keeps letters, digits and characters that every OS allows in names. */
function nameable(version: string): string {
  return version
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._+-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

export const getProvenance = handle(contract.getProvenance, async (ctx, { caller, input }) => {
  const { game, viewer, file } = await requireFile(ctx, caller, input);
  if (!viewer.isMember) await requireOffered(ctx, viewer, file);
  const [build, history, entries] = await Promise.all([
    findBuild(ctx.db, game.game_id, file.build_id),
    readScanHistory(ctx.db, file),
    readEntries(ctx.db, file),
  ]);
  if (build === null) throw errors.notFound('file_uid: this game has no such file.');
  const { items, ...next } = pageOfWhole(['provenance', file.file_id], entries, input);
  return {
    file_uid: file.file_id,
    game_uid: game.game_id,
    build_id: build.build_id,
    version: build.version,
    os: build.os,
    arch: build.arch,
    channel: build.channel,
    filename: file.filename,
    download_name: downloadNameOf(game.slug, build, file.filename),
    size: file.size,
    checksum: file.checksum,
    uploaded_at: file.uploaded_at.toISOString(),
    origin: file.origin,
    reused: [...(file.reused ?? [])],
    scan: { state: file.scan_state, history: history.map(({ at, ...event }) => ({ at: at.toISOString(), ...event })) },
    entries: [...items],
    ...next,
  };
});
