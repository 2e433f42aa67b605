// Adds to a report what comes after it: Sentry's SDKs send the dump, the event and the attachments of one crash together
// or apart, in any order, and some of it twice.
import { LIMITS } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { changed, row, type Tx, transact } from '../../../kernel/database/db.ts';
import { addJob } from '../../../kernel/jobs/jobs.ts';
import type { SentEvent } from '../../crashes/receive/reports.sql.ts';
import type { StoredAttachment, StoredReportFile } from '../../crashes/receive/store-file.ts';
import { type CrashDetails, sentFieldsOf } from '../../crashes/report/fields.ts';
import { type Attachment, isLogAttachment } from '../../crashes/report/files.ts';
import { previewJob, processCrashJob, readLogJob } from '../../crashes/report/jobs.ts';

/** The files must be kept under the id of the report. */
export type Addition = {
  readonly event: SentEvent | null;
  readonly details: CrashDetails | null;
  readonly dump: StoredReportFile | null;
  readonly log: StoredReportFile | null;
  readonly attachments: readonly StoredAttachment[];
};

type Present = {
  has_event: boolean;
  dump_key: string | null;
  log_key: string | null;
  attachments: Attachment[];
};

/** What of an addition the report now has. */
export type Added = { readonly event: boolean; readonly keys: ReadonlySet<string> };

/** Adds nothing if there is no such report. */
export function addToReport(
  { db }: Pick<Context, 'db'>,
  gameId: string,
  reportId: string,
  addition: Addition,
): Promise<Added> {
  return transact(db, async (tx) => {
    const present = await row(
      tx,
      sql<Present>`select event_key is not null or event is not null as has_event, dump_key, log_key, attachments from crash_reports
        where game_id = ${gameId} and report_id = ${reportId} for update`,
    );
    return present === undefined
      ? { event: false, keys: new Set<string>() }
      : add(tx, { gameId, reportId }, present, addition);
  });
}

type Report = { readonly gameId: string; readonly reportId: string };

async function add(tx: Tx, report: Report, present: Present, addition: Addition): Promise<Added> {
  const event = present.has_event ? null : addition.event;
  const dump = present.dump_key === null ? addition.dump : null;
  const log = present.log_key === null ? addition.log : null;
  const attachments = newAttachments(present.attachments, addition.attachments);
  const keys = [event?.content.event_key, ...[dump, log, ...attachments].map((file) => file?.key)];
  const added = { event: event !== null, keys: new Set(keys.filter((key) => key != null)) };
  if (!added.event && added.keys.size === 0) return added;
  const { gameId, reportId } = report;
  const ofReport = sql`game_id = ${gameId} and report_id = ${reportId}`;
  if (event !== null && addition.details !== null) await addEvent(tx, report, event, addition.details);
  if (dump !== null)
    await changed(
      tx,
      // A crash with a dump is never an error that was handled.
      sql`update crash_reports set dump_key = ${dump.key}, dump_size = ${dump.size}, kind = 'crash', state = 'queued',
        failure = null where ${ofReport}`,
    );
  if (log !== null)
    await changed(tx, sql`update crash_reports set log_key = ${log.key}, log_size = ${log.size} where ${ofReport}`);
  if (attachments.length > 0) {
    const all = [
      ...present.attachments,
      ...attachments.map(({ name, kind, key, size }) => ({ name, kind, key, size })),
    ];
    await changed(tx, sql`update crash_reports set attachments = ${JSON.stringify(all)}::jsonb where ${ofReport}`);
    if (attachments.some(({ kind }) => kind === 'image')) await addJob(tx, previewJob, { gameId, reportId });
    if (attachments.some(isLogAttachment)) await addJob(tx, readLogJob, { gameId, reportId });
  }
  const hasDump = dump !== null || present.dump_key !== null;
  if (hasDump && (dump !== null || event !== null)) await addJob(tx, processCrashJob, { gameId, reportId });
  return added;
}

/** What the report has already is kept. */
async function addEvent(tx: Tx, { gameId, reportId }: Report, event: SentEvent, details: CrashDetails): Promise<void> {
  const sent = sentFieldsOf(details);
  const texts = ['app_name', 'engine_version', 'message', 'user_message'] as const;
  const filled = texts.map((name) => sql`${sql.ref(name)} = coalesce(nullif(${sql.ref(name)}, ''), ${sent[name]})`);
  await changed(
    tx,
    sql`update crash_reports set event_key = ${event.content.event_key}, event = ${event.content.event},
        fingerprint = ${event.fingerprint === null ? null : JSON.stringify(event.fingerprint)}::jsonb, ${sql.join(filled)},
        device_uid = coalesce(device_uid, ${sent.device_uid}), session_id = coalesce(session_id, ${sent.session_id}),
        metadata = ${JSON.stringify(details.metadata ?? {})}::jsonb || metadata
      where game_id = ${gameId} and report_id = ${reportId}`,
  );
}

/** The attachments that the report doesn't have yet and that fit its limits. */
function newAttachments(present: readonly Attachment[], sent: readonly StoredAttachment[]): StoredAttachment[] {
  const isPresent = ({ name, size }: StoredAttachment) =>
    present.some((attachment) => attachment.name === name && attachment.size === size);
  let left = LIMITS.crashAttachmentsBytes - present.reduce((sum, { size }) => sum + size, 0);
  const room = Math.max(0, LIMITS.crashAttachments - present.length);
  return sent
    .filter((attachment) => !isPresent(attachment))
    .filter(({ size }) => {
      left -= size;
      return left >= 0;
    })
    .slice(0, room);
}
