// The SQL that reads the attachments of a report, and records the encoded images.
import { sql } from 'kysely';
import { changed, type Db, row } from '../../../kernel/database/db.ts';
import type { Attachment } from '../report/files.ts';

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
