// Private links to the files of a report: created by members of the game, valid for an hour for anyone with the link.
import { createHash } from 'node:crypto';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { LinkKind } from '@chauffeur/contract/operations/crash-files';
import * as contract from '@chauffeur/contract/operations/crash-files';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import { attachment } from '../../../kernel/blobs/content-disposition.ts';
import { readUnpacked } from '../../../kernel/blobs/packed.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { findGame } from '../../../people/game-access/game-access.sql.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle, stream } from '../../../request/route.ts';
import { type BlobReader, type SendableBlob, sendBlob } from '../../../request/send-blob.ts';
import { readStackText } from '../process/stack-text.ts';
import { type DownloadGrant, makeDownloadToken, openDownloadToken } from './download-token.ts';
import { noSuchFile, unknownCrash } from './not-found.ts';
import { findFiles, type StoredFiles } from './report-list.sql.ts';
import { formatTrace } from './trace-record.ts';

/** A log may contain anything, so it is never served as HTML. */
const FORMATS = {
  stack: { extension: 'txt', contentType: 'text/plain; charset=utf-8' },
  log: { extension: 'log', contentType: 'text/plain; charset=utf-8' },
  dump: { extension: 'dmp', contentType: 'application/octet-stream' },
  attachment: { extension: 'bin', contentType: 'application/octet-stream' },
} as const satisfies Record<LinkKind, { extension: string; contentType: string }>;

export const requestCrashDownload = handle(
  contract.requestCrashDownload,
  async (ctx, { caller, input: { uid, crash_id, kind, attachment = 0 } }) => {
    const { game } = await requireMember(ctx, caller, uid);
    const reportId = crash_id.toLowerCase();
    const files = await findFiles(ctx.db, game.game_id, reportId);
    if (files === undefined) throw unknownCrash();
    const file = fileOf(files, { kind, attachment, reportId });
    if (file === null) throw noSuchFile(kind);
    const expiresAt = new Date(ctx.clock.now().getTime() + LIMITS.crashDownloadSeconds * SECOND);
    const token = makeDownloadToken(ctx, { kind, attachment, gameId: game.game_id, reportId, expiresAt });
    ctx.log.info({ game: game.game_id, crash: reportId, kind, user: caller.user.id }, 'download link created');
    return {
      url: `${ctx.publicUrl}/api/v1/crash-downloads/${token}`,
      expires_at: expiresAt.toISOString(),
      filename: file.filename,
    };
  },
);

/**
 * `GET /crash-downloads/{token}`. The server sends the file itself, even if the store could sign a URL: the file is
 * stored compressed, a signed URL would outlive the link, and its use would not be logged.
 */
export const downloadCrashFile = stream(
  contract.downloadCrashFile,
  async (ctx, { input: { token }, request, reply }) => {
    const grant = openDownloadToken(ctx, token);
    // The game may have been deleted since.
    if (grant === null || (await findGame(ctx.db, grant.gameId)) === null) throw unknownLink();
    const files = await findFiles(ctx.db, grant.gameId, grant.reportId);
    if (files === undefined) throw unknownLink();
    request.log.info({ game: grant.gameId, crash: grant.reportId, kind: grant.kind }, 'download link used');
    // The URL contains the token, which must not leak to other sites.
    reply.header('cache-control', 'private, no-store').header('referrer-policy', 'no-referrer');
    reply.header('content-security-policy', "default-src 'none'; sandbox");
    try {
      return await sendFile(ctx, request, reply, grant, files);
    } catch (error) {
      if (!(error instanceof BlobMissingError)) throw error;
      reply.removeHeader('etag').removeHeader('content-disposition').removeHeader('content-length');
      throw noSuchFile(grant.kind, error);
    }
  },
);

async function sendFile(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  grant: DownloadGrant,
  files: StoredFiles,
): Promise<FastifyReply> {
  const { kind } = grant;
  const file = fileOf(files, grant);
  if (file === null) throw noSuchFile(kind);
  const { key, size, filename } = file;
  const { contentType } = FORMATS[kind];
  if (kind === 'stack' || key === null) {
    const text = Buffer.from(key === null ? formatTrace(files.trace!) : await readStackText(ctx.blobs, key));
    reply.header('content-type', contentType).header('content-disposition', attachment(filename));
    return reply.send(text);
  }
  const blob: SendableBlob = { key, size, etag: etagOf(key), filename, contentType, signedSeconds: null };
  const unpacked: BlobReader = {
    read: (stored, range) => readUnpacked(ctx.blobs, stored, range),
    sign: async () => null,
  };
  return sendBlob(unpacked, request, reply, blob);
}

/** A key is never written twice, so its hash identifies the content without revealing the key. */
export function etagOf(key: string): string {
  return `"${createHash('sha256').update(key).digest('base64url')}"`;
}

type FileRef = Pick<DownloadGrant, 'kind' | 'attachment' | 'reportId'>;

/** Null if the report has no such file. The size of a stack is unknown, and a trace is a stack without a blob. */
function fileOf(
  { stack_key, trace, log_key, log_size, dump_key, dump_size, attachments }: StoredFiles,
  { kind, attachment, reportId }: FileRef,
): { key: string | null; size: number; filename: string } | null {
  const attached = attachments[attachment];
  const { key, size } = {
    stack: { key: stack_key, size: 0 },
    log: { key: log_key, size: log_size },
    dump: { key: dump_key, size: dump_size },
    attachment: { key: attached?.key ?? null, size: attached?.size ?? 0 },
  }[kind];
  const filename = kind === 'attachment' ? (attached?.name ?? '') : `crash-${reportId}.${FORMATS[kind].extension}`;
  if (kind === 'stack' && key === null && trace !== null) return { key, size: 0, filename };
  return key === null ? null : { key, size: size ?? 0, filename };
}

function unknownLink(): ApiError {
  return errors.notFound('This link is not valid or has expired. Request a new one.');
}
