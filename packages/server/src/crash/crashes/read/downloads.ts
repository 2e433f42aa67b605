// The files of a report for developers: private links, which members of the game create and which are valid for an hour
// for anyone with the link, and attachments as they are shown on the report's page.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { LinkKind } from '@chauffeur/contract/operations/crash-files';
import * as contract from '@chauffeur/contract/operations/crash-files';
import * as crashes from '@chauffeur/contract/operations/crash-files';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountCaller, Context } from '../../../context.ts';
import { attachment } from '../../../kernel/blobs/content-disposition.ts';
import { readUnpacked } from '../../../kernel/blobs/packed.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { deriveKey, isCurrent, openToken, signToken } from '../../../kernel/secrets/signed-token.ts';
import { findGame } from '../../../people/game-access/game-access.sql.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { perContext } from '../../../request/per-context.ts';
import { handle, stream } from '../../../request/route.ts';
import { type BlobReader, type SendableBlob, sendBlob } from '../../../request/send-blob.ts';
import { readStackText } from '../process/excerpt.ts';
import type { Attachment } from '../report/files.ts';
import { readLogTail, tailStartOf } from '../report/log-text.ts';
import { findFiles, noSuchFile, requireFiles, type StoredFiles, unknownCrash } from './report.ts';
import { formatTrace } from './stacks.ts';

/** A log may contain anything, so it is never served as HTML. */
const FORMATS = {
  stack: { extension: 'txt', contentType: 'text/plain; charset=utf-8' },
  log: { extension: 'log', contentType: 'text/plain; charset=utf-8' },
  dump: { extension: 'dmp', contentType: 'application/octet-stream' },
  attachment: { extension: 'bin', contentType: 'application/octet-stream' },
} as const satisfies Record<LinkKind, { extension: string; contentType: string }>;

export const requestCrashDownload = handle(
  crashes.requestCrashDownload,
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
  crashes.downloadCrashFile,
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

/**
 * Returns null if the report has no such file. The size of a stack is unknown, and a trace is a stack without a blob.
 */
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

export type DownloadGrant = {
  kind: LinkKind;
  /** The number of the attachment; 0 for other kinds. */
  attachment: number;
  gameId: string;
  reportId: string;
  expiresAt: Date;
};

const KINDS: readonly string[] = ['stack', 'log', 'dump', 'attachment'] satisfies LinkKind[];

const keyOf = perContext(({ secret }) => deriveKey(secret, 'crash download'));

export function makeDownloadToken(
  ctx: Context,
  { kind, attachment, gameId, reportId, expiresAt }: DownloadGrant,
): string {
  const parts = [kind, gameId, reportId, expiresAt.getTime(), ...(kind === 'attachment' ? [attachment] : [])];
  return signToken(keyOf(ctx), Buffer.from(parts.join(' ')));
}

/** The file that the token allows to download; null if the token is invalid or expired. */
export function openDownloadToken(ctx: Context, token: string): DownloadGrant | null {
  const [kind = '', gameId = '', reportId = '', end, attachment = '0'] =
    openToken(keyOf(ctx), token)?.toString().split(' ') ?? [];
  if (!isKind(kind) || !isUuid(gameId) || !isUuid(reportId)) return null;
  const expiresAt = new Date(Number(end));
  const isValid = isCurrent(expiresAt.getTime(), LIMITS.crashDownloadSeconds * SECOND, ctx.clock.now());
  return isValid ? { kind, attachment: Number(attachment), gameId, reportId, expiresAt } : null;
}

function isKind(text: string): text is LinkKind {
  return KINDS.includes(text);
}

type AttachmentRef = { uid: string; crash_id: string; attachment: string };

export const getCrashAttachment = handle(contract.getCrashAttachment, async (ctx, { caller, input }) => {
  const { kind, key, size } = await requireAttachment(ctx, caller, input);
  if (kind !== 'text' || key === null) throw noSuchFile('attachment');
  const start = tailStartOf(size, LIMITS.crashLogShownBytes);
  // Stores reject an empty range.
  const bytes =
    size === 0
      ? Buffer.alloc(0)
      : await buffer(
          await readUnpacked(ctx.blobs, key, { start, end: size - 1 }).catch((error) => {
            throw error instanceof BlobMissingError ? noSuchFile('attachment', error) : error;
          }),
        );
  return { text: readLogTail(bytes, start > 0), size, is_cut: start > 0 };
});

/** Sends the image as the server encoded it, never as it arrived. */
export const getCrashAttachmentImage = stream(
  contract.getCrashAttachmentImage,
  async (ctx, { caller, input, request, reply }) => {
    const { image, name } = await requireAttachment(ctx, caller, input);
    if (image === undefined) throw noSuchFile('attachment');
    reply.header('cache-control', 'private, max-age=3600');
    reply.header('content-security-policy', "default-src 'none'; sandbox");
    const blob = {
      key: image.key,
      size: image.size,
      etag: etagOf(image.key),
      filename: `${name}.webp`,
      contentType: 'image/webp',
      signedSeconds: null,
    };
    try {
      return await sendBlob(ctx.blobs, request, reply, blob);
    } catch (error) {
      if (!(error instanceof BlobMissingError)) throw error;
      for (const name of ['etag', 'content-disposition', 'content-length', 'cache-control']) reply.removeHeader(name);
      throw noSuchFile('attachment', error);
    }
  },
);

async function requireAttachment(ctx: Context, caller: AccountCaller, input: AttachmentRef): Promise<Attachment> {
  const { attachments } = await requireFiles(ctx, caller, input);
  const attachment = attachments[Number(input.attachment)];
  if (attachment === undefined) throw noSuchFile('attachment');
  return attachment;
}
