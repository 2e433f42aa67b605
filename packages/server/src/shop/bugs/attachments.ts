// Files of bug tickets that aren't screenshots. Members download them as they were sent.
import { createHash } from 'node:crypto';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/bugs';
import { sql } from 'kysely';
import { readUnpacked } from '../../kernel/blobs/packed.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { stream } from '../../request/route.ts';
import { type BlobReader, sendBlob } from '../../request/send-blob.ts';

type Attachment = OutputOf<typeof contract.getBugTicket>['attachments'][number];

/** `key` is that of a packed blob, and `size` that of the file. */
export type NewAttachment = { readonly id: string; readonly name: string; readonly key: string; readonly size: number };

export async function insertAttachment(
  tx: Tx,
  { gameId, bugId }: { readonly gameId: string; readonly bugId: string },
  { id, name, key, size }: NewAttachment,
): Promise<void> {
  await changed(
    tx,
    sql`insert into bug_attachments (game_id, attachment_id, bug_id, name, blob_key, size)
      values (${gameId}, ${id}, ${bugId}, ${name}, ${key}, ${size})`,
  );
}

/** The files of a ticket in the order in which they were sent. */
export function listAttachments(db: Db, gameId: string, bugId: string): Promise<Attachment[]> {
  return rows(
    db,
    sql<Attachment>`select attachment_id as attachment_uid, name, size from bug_attachments
      where game_id = ${gameId} and bug_id = ${bugId} order by attachment_id`,
  );
}

type File = { name: string; blob_key: string; size: number };

function findAttachment(db: Db, gameId: string, bugId: string, attachmentId: string): Promise<File | undefined> {
  return row(
    db,
    sql<File>`select name, blob_key, size from bug_attachments
      where game_id = ${gameId} and bug_id = ${bugId} and attachment_id = ${attachmentId}`,
  );
}

/** Browsers save the file instead of showing it, whatever it is. */
export const getBugAttachment = stream(contract.getBugAttachment, async (ctx, { caller, input, request, reply }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const file = await findAttachment(ctx.db, game.game_id, input.bug_uid, input.attachment_uid);
  if (file === undefined) throw unknownAttachment();
  reply.header('cache-control', 'private, no-store');
  reply.header('content-security-policy', "default-src 'none'; sandbox");
  const unpacked: BlobReader = {
    read: (key, range) => readUnpacked(ctx.blobs, key, range),
    sign: async () => null,
  };
  try {
    return await sendBlob(unpacked, request, reply, {
      key: file.blob_key,
      size: file.size,
      // A key is never written twice, so its hash identifies the content.
      etag: `"${createHash('sha256').update(file.blob_key).digest('base64url')}"`,
      filename: file.name,
      contentType: 'application/octet-stream',
      signedSeconds: null,
    });
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error;
    for (const name of ['etag', 'content-disposition', 'content-length']) reply.removeHeader(name);
    throw unknownAttachment(error);
  }
});

function unknownAttachment(cause?: unknown): ApiError {
  return errors.notFound('attachment_uid: this ticket has no such file.', { cause });
}
