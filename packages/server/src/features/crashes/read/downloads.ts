// Private links to the files of a report: asked for by the game's members, good for an hour for whoever holds one.
import { createHash } from 'node:crypto';
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crashes';
import type { DownloadKind } from '@chauffeur/contract/operations/crashes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountCaller, Caller, Context } from '../../../context.ts';
import { attachment } from '../../../kernel/blobs/content-disposition.ts';
import { readUnpacked } from '../../../kernel/blobs/packed.ts';
import { type BlobReader, type SendableBlob, sendBlob } from '../../../kernel/blobs/send.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { requireMember } from '../../games/games.ts';
import { readStackText } from '../process/stack-text.ts';
import { type DownloadGrant, makeDownloadToken, openDownloadToken } from './download-token.ts';
import { findFiles, type StoredFiles } from './reading.sql.ts';

/** A log may be anything that a player's machine wrote: it is never shown as a page of ours. */
const FORMS = {
  stack: { extension: 'txt', contentType: 'text/plain; charset=utf-8' },
  log: { extension: 'log', contentType: 'text/plain; charset=utf-8' },
  dump: { extension: 'dmp', contentType: 'application/octet-stream' },
} as const satisfies Record<DownloadKind, { extension: string; contentType: string }>;

export async function requestCrashDownload(
  ctx: Context,
  caller: AccountCaller,
  { uid, crash_id, kind }: InputOf<typeof contract.requestCrashDownload>,
) {
  const { game } = await requireMember(ctx, caller, uid);
  const reportId = crash_id.toLowerCase();
  const files = await findFiles(ctx.db, game.game_id, reportId);
  if (files === undefined) throw unknownCrash();
  if (keyOf(files, kind) === null) throw noSuchFile(kind);
  const expiresAt = new Date(ctx.clock.now().getTime() + LIMITS.crashDownloadSeconds * SECOND);
  const token = makeDownloadToken(ctx, { kind, gameId: game.game_id, reportId, expiresAt });
  ctx.log.info({ game: game.game_id, crash: reportId, kind, user: caller.user.id }, 'download link given');
  return {
    url: `${ctx.publicUrl}/api/v1/crash-downloads/${token}`,
    expires_at: expiresAt.toISOString(),
    filename: filenameOf(reportId, kind),
  };
}

/**
 * `GET /crash-downloads/{token}`. The server sends the bytes even if the store could sign an address: the store has them packed, a signed address
 * would outlive the link, and no log would record its use.
 */
export async function downloadCrashFile(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  { token }: { token: string },
): Promise<FastifyReply> {
  const grant = openDownloadToken(ctx, token);
  const files = grant === null ? undefined : await findFiles(ctx.db, grant.gameId, grant.reportId);
  if (grant === null || files === undefined) throw unknownLink();
  request.log.info({ game: grant.gameId, crash: grant.reportId, kind: grant.kind }, 'download link used');
  // The token is in the address: nobody who is linked to from here is to see it.
  reply.header('cache-control', 'private, no-store').header('referrer-policy', 'no-referrer');
  reply.header('content-security-policy', "default-src 'none'; sandbox");
  try {
    return await sendFile(ctx, request, reply, grant, files);
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error;
    reply.removeHeader('etag').removeHeader('content-disposition').removeHeader('content-length');
    throw noSuchFile(grant.kind, error);
  }
}

async function sendFile(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, reportId }: DownloadGrant,
  files: StoredFiles,
): Promise<FastifyReply> {
  const key = keyOf(files, kind);
  if (key === null) throw noSuchFile(kind);
  const filename = filenameOf(reportId, kind);
  const { contentType } = FORMS[kind];
  if (kind === 'stack') {
    const text = Buffer.from(await readStackText(ctx.blobs, key));
    reply.header('content-type', contentType).header('content-disposition', attachment(filename));
    return reply.send(text);
  }
  const size = kind === 'dump' ? files.dump_size : files.log_size;
  const blob: SendableBlob = { key, size: size ?? 0, etag: etagOf(key), filename, contentType, signedSeconds: null };
  const unpacked: BlobReader = {
    read: (stored, range) => readUnpacked(ctx.blobs, stored, range),
    sign: async () => null,
  };
  return sendBlob(unpacked, request, reply, blob);
}

/** A key is never written twice, so it stands for its bytes; it is nobody's business as it is. */
function etagOf(key: string): string {
  return `"${createHash('sha256').update(key).digest('base64url')}"`;
}

function keyOf(files: StoredFiles, kind: DownloadKind): string | null {
  return { stack: files.stack_key, log: files.log_key, dump: files.dump_key }[kind];
}

function filenameOf(reportId: string, kind: DownloadKind): string {
  return `crash-${reportId}.${FORMS[kind].extension}`;
}

export function unknownCrash(): ApiError {
  return new ApiError(4040, 'crash_id: this game has no such report; it may have been deleted, or its time was over.');
}

function unknownLink(): ApiError {
  return new ApiError(4040, 'This link is not valid, or its hour is over; ask for another.');
}

export function noSuchFile(kind: DownloadKind, cause?: unknown): ApiError {
  return new ApiError(4090, `kind: the report has no ${kind} to download; see what it lists as available.`, { cause });
}
