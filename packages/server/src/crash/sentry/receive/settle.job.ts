// Adds attachments that came before their event to its report.
import type { Context } from '../../../context.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { deleteReportFiles } from '../../crashes/report/files.ts';
import { findReportsOfEvents } from '../sentry.sql.ts';
import { copyFile } from './intake.ts';
import { addToReport } from './merge.ts';
import { deletePart, listPartGames, listParts, type PartRow } from './parts.ts';

export const settleJob = defineJob('sentry:settle', { attempts: 3, cron: '* * * * *' }, settleParts);

/** Safe to run twice: a report doesn't get the same file again. Goes on with the others if one fails, and fails at the end. */
export async function settleParts(ctx: Context): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const { game_id: gameId } of await listPartGames(ctx.db)) {
    const parts = await listParts(ctx.db, gameId);
    const reports = await findReportsOfEvents(ctx.db, gameId, [...new Set(parts.map(({ event_id }) => event_id))]);
    for (const part of parts) {
      const reportId = reports.get(part.event_id)?.report_id;
      if (reportId === undefined) continue;
      try {
        await settle(ctx, gameId, reportId, part);
      } catch (error) {
        // Without its file, the part would fail until it is swept.
        if (error instanceof BlobMissingError) await deletePart(ctx.db, gameId, part.part_id);
        else failure = { error };
      }
    }
  }
  if (failure !== undefined) throw failure.error;
}

async function settle(ctx: Context, gameId: string, reportId: string, part: PartRow): Promise<void> {
  const attachments = [];
  for (const attachment of part.attachments)
    attachments.push({ ...attachment, ...(await copyFile(ctx, reportId, attachment)) });
  const addition = { event: null, details: null, dump: null, log: null, attachments };
  const added = await addToReport(ctx, gameId, reportId, addition);
  await deletePart(ctx.db, gameId, part.part_id);
  const unused = attachments.filter(({ key }) => !added.keys.has(key));
  await deleteReportFiles(ctx, { ...NO_FILES, attachments: [...part.attachments, ...unused] });
}

const NO_FILES = { dump_key: null, log_key: null, stack_key: null, event_key: null } as const;
