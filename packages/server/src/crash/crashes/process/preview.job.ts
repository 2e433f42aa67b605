// Encodes the images among the attachments of a report again, so that pages never show a file as it was sent.
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { bytesOf } from '../../../kernel/blobs/byte-source.ts';
import { readUnpacked } from '../../../kernel/blobs/packed.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { changed, type Db, row } from '../../../kernel/database/db.ts';
import { bindJob } from '../../../kernel/jobs/jobs.ts';
import { PRIVATE_FILE, withWorkFolder } from '../../../kernel/private-files.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { ThreadCrashError, ThreadTimeoutError } from '../../../kernel/threads/threads.ts';
import type { PreviewResult } from '../../../ship/media/media.ts';
import { encodePreview } from '../../../ship/media/media.ts';
import { type Attachment, blobStemOf } from '../report/files.ts';
import { previewJob } from '../report/jobs.ts';

type Payload = { gameId: string; reportId: string };

export const makePreviewsBinding = bindJob(previewJob, makePreviews);

/** Safe to run twice, even concurrently: an image gets one preview, and a second one is deleted. */
export async function makePreviews(ctx: Context, { gameId, reportId }: Payload): Promise<void> {
  const attachments = await findAttachments(ctx.db, gameId, reportId);
  for (const [index, { kind, key, image, problem }] of attachments.entries()) {
    if (kind !== 'image' || key === null || image !== undefined || problem !== undefined) continue;
    await makePreview(ctx, { gameId, reportId, attachment: index }, key);
  }
}

type ImageRef = Payload & { readonly attachment: number };

function makePreview(ctx: Context, ref: ImageRef, source: string): Promise<void> {
  return withWorkFolder(ctx.config.dataFolder, (folder) => makePreviewIn(ctx, folder, ref, source));
}

async function makePreviewIn(
  ctx: Context,
  folder: string,
  { gameId, reportId, attachment }: ImageRef,
  source: string,
): Promise<void> {
  const key = `${blobStemOf(reportId)}.${newId()}.webp`;
  try {
    const result = await encode(ctx, source, folder);
    let preview: Pick<Attachment, 'image' | 'problem'>;
    if ('refused' in result) preview = { problem: result.refused };
    else {
      await ctx.blobs.put(
        key,
        bytesOf(() => createReadStream(join(folder, 'image.webp'))),
      );
      preview = { image: { key, ...result } };
    }
    const isRecorded = await recordPreview(ctx.db, { gameId, reportId, attachment, source }, preview);
    if (!isRecorded && preview.image !== undefined) await ctx.blobs.delete(key);
  } catch (error) {
    // The report was deleted meanwhile.
    if (!(error instanceof BlobMissingError)) throw error;
  }
}

/** The size of the file was limited when it arrived. */
async function encode(ctx: Context, source: string, folder: string): Promise<PreviewResult> {
  const path = join(folder, 'image');
  await pipeline(await readUnpacked(ctx.blobs, source), createWriteStream(path, { mode: PRIVATE_FILE }));
  try {
    return await encodePreview({ source: path, target: `${path}.webp` });
  } catch (error) {
    if (error instanceof ThreadTimeoutError || error instanceof ThreadCrashError) {
      ctx.log.warn({ err: error, key: source }, 'an image of a crash report could not be encoded');
      return { refused: 'The image takes too long or too much memory to decode.' };
    }
    throw error;
  }
}

/** Empty if there is no such report. */
export async function findAttachments(db: Db, gameId: string, reportId: string): Promise<Attachment[]> {
  const report = await row(
    db,
    sql<{ attachments: Attachment[] }>`select attachments from crash_reports
      where game_id = ${gameId} and report_id = ${reportId}`,
  );
  return report?.attachments ?? [];
}

/** Returns false if the report was deleted, or the image of the attachment was recorded meanwhile. */
export async function recordPreview(
  db: Db,
  ref: { gameId: string; reportId: string; attachment: number; source: string },
  preview: Pick<Attachment, 'image' | 'problem'>,
): Promise<boolean> {
  const element = sql`attachments -> ${ref.attachment}::integer`;
  const count = await changed(
    db,
    sql`update crash_reports
      set attachments = jsonb_set(attachments, array[${String(ref.attachment)}], ${element} || ${JSON.stringify(preview)}::jsonb)
      where game_id = ${ref.gameId} and report_id = ${ref.reportId} and ${element} ->> 'key' = ${ref.source}
        and not ${element} ? 'image' and not ${element} ? 'problem'`,
  );
  return count > 0;
}
