// Keeps attachments that arrive before the event that they belong to, and adds them to its report once that is there.
// After a day without it, they are deleted.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { changed, type Db, row, rows } from '../../../kernel/database/db.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { countStored, dailyLimits } from '../../crashes/receive/daily-limits.ts';
import type { StoredAttachment } from '../../crashes/receive/store-file.ts';

export type Part = {
  readonly gameId: string;
  readonly eventId: string;
  /** The files are kept under this id, as those of a report are. */
  readonly partId: string;
  readonly attachments: readonly StoredAttachment[];
};

/** Parts of a game that may wait. Keys are public, so anyone could send any number of them. */
const MAX_PARTS = 1000;
const WAIT = DAY;

/** Returns false if too many are waiting. */
export async function keepPart(ctx: Context, { gameId, eventId, partId, attachments }: Part): Promise<boolean> {
  const now = ctx.clock.now();
  const kept = await row(
    ctx.db,
    sql`insert into sentry_parts (game_id, event_id, part_id, received_at, attachments)
      select game_id, ${eventId}, ${partId}::uuid, ${now}::timestamptz, ${JSON.stringify(attachments)}::jsonb
      from games where game_id = ${gameId}
        and (select count(*) from sentry_parts where game_id = ${gameId}) < ${MAX_PARTS} returning part_id`,
  );
  if (kept === undefined) return false;
  const stored = attachments.reduce((sum, file) => sum + file.stored, 0);
  await countStored(ctx.db, gameId, stored, dailyLimits(ctx).day);
  return true;
}

export function listPartGames(db: Db): Promise<{ game_id: string }[]> {
  return rows(db, sql<{ game_id: string }>`select distinct game_id from sentry_parts`);
}

export type PartRow = { event_id: string; part_id: string; attachments: StoredAttachment[] };

export function listParts(db: Db, gameId: string): Promise<PartRow[]> {
  return rows(
    db,
    sql<PartRow>`select event_id, part_id, attachments from sentry_parts where game_id = ${gameId} order by part_id`,
  );
}

export async function deletePart(db: Db, gameId: string, partId: string): Promise<void> {
  await changed(db, sql`delete from sentry_parts where game_id = ${gameId} and part_id = ${partId}`);
}

export const sweepPartsJob = defineJob(
  'sentry:sweep-parts',
  { attempts: 3, cron: '23 * * * *', deletesOld: true },
  sweepParts,
);

/** Their files are then deleted with all others that belong to no report. */
export async function sweepParts({ db, clock }: Context): Promise<void> {
  const before = new Date(clock.now().getTime() - WAIT);
  await changed(db, sql`delete from sentry_parts where received_at < ${before}::timestamptz`);
}
