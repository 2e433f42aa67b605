// Receives the dump, the log or an attachment of a report at its single-use upload address, and adds it to the report.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { AttachmentKind } from '@chauffeur/contract/operations/crash-files';
import type { FastifyRequest } from 'fastify';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type ByteSource, PackedTooLargeError } from '../../../kernel/blobs/store.ts';
import { UnpackError } from '../../../kernel/blobs/unpack-file.ts';
import { changed, type Db, keepPlan, onlyRow, row, transact } from '../../../kernel/database/db.ts';
import { runForm } from '../../../kernel/database/shards.ts';
import { addJob, jobForEachRow } from '../../../kernel/jobs/jobs.ts';
import { isStorageFull } from '../../../kernel/storage-full.ts';
import { type Body, BodyTooLargeError, receiveBody } from '../../../request/body.ts';
import { isFormType } from '../../../request/form.ts';
import { reserveSlots } from '../../../request/held-jobs.ts';
import type { Attachment } from '../report/files.ts';
import { keepRow, previewJob, processCrashJob, readLogJob, type StackRow, stackColumns } from '../report/jobs.ts';
import {
  bytesLeft,
  type DailyLimits,
  dailyLimits,
  maxBytes,
  tooManyBytes,
  type UsedToday,
  usedToday,
} from './daily-limits.ts';
import { readCrashForm } from './form.ts';
import {
  ATTACHMENT_LIMITS,
  type FileLimits,
  FileTooLargeError,
  type StoredReportFile,
  sniff,
  storeFile,
} from './store-file.ts';
import { openAttachmentToken, openFileToken, uploadsEndOf } from './tokens.ts';

/** A form at an upload address has only the file, whatever its name. */
const FORM_KIND = 'log';
/** Allowed for a form in addition to its file. */
const FORM_BYTES = MIB;

type UploadReceipt = { crash_id: string; kind: FileRef['kind']; size: number };

/**
 * Stores the file and adds it to its report. If two clients upload the same file, the first to finish wins. Throws
 * `notFound` for an address that is used, expired or unknown, `tooLarge`, `unreadableBody`, `limitReached` past the
 * game's daily limit, and errors of the store. The address can be used again after an error.
 */
export async function receiveReportFile(ctx: Context, token: string, request: FastifyRequest): Promise<UploadReceipt> {
  const grant = openUploadToken(ctx, token);
  const limits = dailyLimits(ctx);
  const used = grant === null ? undefined : await findUsedBeforeUpload(ctx.db, grant, limits.day);
  if (grant === null || used === undefined) throw unknownAddress();
  // The limit of files was checked when the address was created.
  const maxStored = bytesLeft({ ...limits, uploads: 0 }, used);
  if (maxStored === 0) throw tooManyBytes(ctx);
  // Refused before 64 MB are transferred. A body without a length is measured as it arrives.
  if (Number(request.headers['content-length'] ?? 0) > maxBytesOf(grant) + FORM_BYTES) throw tooLarge(grant);
  const file = await store(ctx, grant, request, maxStored);
  const outcome = await attach(ctx, grant, file).catch(async (error) => {
    // After other errors, the file may have been added, so it is left to the sweep. If the database was full, nothing
    // was written.
    if (isStorageFull(error)) await ctx.blobs.delete(file.key);
    throw error;
  });
  if (outcome !== 'attached') {
    await ctx.blobs.delete(file.key);
    if (outcome === 'too_large') throw errors.tooLarge(`The attachments are too large. ${ATTACHMENT_LIMITS}`);
    throw outcome === 'taken' ? unknownAddress() : tooManyBytes(ctx);
  }
  ctx.metrics.uploadedBytes.inc({ way: 'crash' }, file.size);
  return { crash_id: grant.reportId, kind: grant.kind, size: file.size };
}

/** Adds the file to its report, and processes a dump in this process if it has a slot for it. */
async function attach(ctx: Context, grant: UploadGrant, file: ReceivedFile): Promise<AttachOutcome> {
  const slots = grant.kind === 'dump' ? reserveSlots(ctx, processCrashJob, 1) : null;
  let outcome: AttachOutcome | undefined;
  try {
    // The limits are those of the current day: a new one may have begun during the upload.
    const attached = await attachFile(ctx.db, grant, file, dailyLimits(ctx), slots?.processNo);
    outcome = attached.outcome;
    if (attached.row !== undefined) keepRow(ctx, attached.row);
    return outcome;
  } finally {
    // After an error, it may have been added. For a report without a dump, nothing happens.
    const isAttached = outcome === undefined || outcome === 'attached';
    slots?.begin(isAttached ? [{ gameId: grant.gameId, reportId: grant.reportId }] : []);
  }
}

type UploadGrant = FileRef;
/** A stored file, and what it is, detected from its content. */
type ReceivedFile = StoredReportFile & { kind: AttachmentKind };

/** Returns null for a token that is invalid, expired, or only allows reading. */
function openUploadToken(ctx: Context, token: string): UploadGrant | null {
  const attachment = openAttachmentToken(ctx, token);
  const grant = attachment === null ? openFileToken(ctx, token) : null;
  const reportId = attachment?.reportId ?? grant?.reportId;
  if (reportId === undefined || uploadsEndOf(reportId) <= ctx.clock.now()) return null;
  if (attachment !== null) return { ...attachment, kind: 'attachment' };
  if (grant === null || grant.allows === 'read') return null;
  return { gameId: grant.gameId, reportId, kind: grant.allows };
}

function store(ctx: Context, grant: UploadGrant, request: FastifyRequest, maxStored: number): Promise<ReceivedFile> {
  const maxBytes = maxBytesOf(grant) + FORM_BYTES;
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  const limits = { maxBytes: maxBytesOf(grant), maxStored };
  return receiveBody(request.raw, { maxBytes, idleMs }, (body) => storeBody(ctx, grant, request, body, limits));
}

async function storeBody(
  ctx: Context,
  grant: UploadGrant,
  request: FastifyRequest,
  body: Body,
  limits: FileLimits,
): Promise<ReceivedFile> {
  const { kind, reportId } = grant;
  let stored: ReceivedFile | undefined;
  let isCut = false;
  try {
    if (isForm(request)) {
      await readCrashForm(body, request.headers, {
        kindOf: () => FORM_KIND,
        async onPart({ bytes, isTruncated }) {
          stored = await storeSniffed(ctx, { reportId, kind }, bytes, limits);
          isCut = isTruncated();
        },
      });
    } else stored = await storeSniffed(ctx, { reportId, kind }, body, limits);
    if (isCut) throw tooLarge(grant);
    if (stored === undefined || stored.size === 0) throw empty(grant);
    return stored;
  } catch (error) {
    if (stored !== undefined) await ctx.blobs.delete(stored.key);
    if (error instanceof PackedTooLargeError) throw tooManyBytes(ctx);
    if (error instanceof UnpackError) throw notUnpackable(grant, error);
    throw error instanceof FileTooLargeError || error instanceof BodyTooLargeError ? tooLarge(grant) : error;
  }
}

async function storeSniffed(
  ctx: Context,
  { reportId, kind }: Pick<UploadGrant, 'reportId' | 'kind'>,
  bytes: ByteSource,
  limits: FileLimits,
): Promise<ReceivedFile> {
  if (kind !== 'attachment') return { ...(await storeFile(ctx, reportId, kind, bytes, limits)), kind: 'other' };
  const sniffed = sniff(bytes);
  const file = await storeFile(ctx, reportId, kind, sniffed.source, limits);
  return { ...file, kind: sniffed.kind() };
}

function maxBytesOf({ kind }: UploadGrant): number {
  return kind === 'attachment' ? LIMITS.crashAttachmentBytes : LIMITS.crashFileBytes;
}

/** Whether the content type of the body is a form's. */
export function isForm(request: FastifyRequest): boolean {
  return isFormType(request.headers['content-type'] ?? '');
}

function unknownAddress(): ApiError {
  return errors.notFound(
    'This upload address does not exist, has expired, or was already used. Report the crash again to get a new one.',
  );
}

function tooLarge(grant: UploadGrant): ApiError {
  return errors.tooLarge(`The ${grant.kind} is larger than ${maxBytesOf(grant) / MIB} MB. Send a smaller one.`);
}

function notUnpackable({ kind }: UploadGrant, error: UnpackError): ApiError {
  const { packing, message: problem } = error;
  const message = `The ${kind} is compressed with ${packing} and can't be unpacked: ${problem}. Compress it again, or send it as it is.`;
  return errors.unreadableBody(message, { cause: error });
}

function empty({ kind }: UploadGrant): ApiError {
  return errors.unreadableBody(`The body contains no ${kind}. Send the bytes of the ${kind}.`);
}

/**
 * Does the same as `findUsed` for a report that does not have the file yet. Undefined if it already has the file, or if
 * there is no such report.
 */
function findUsedBeforeUpload(db: Db, ref: FileRef, day: Date): Promise<UsedToday | undefined> {
  const waiting = sql`select report_id from crash_reports
    where game_id = ${ref.gameId}::uuid and report_id = ${ref.reportId}::uuid and ${isMissing(ref)}`;
  const ofGame = sql<UsedToday>`select ${usedToday(day)} from games where game_id = ${ref.gameId}`;
  return runForm(db, {
    plain: () => row(db, keepPlan(sql<UsedToday>`${ofGame} and exists (${waiting})`)),
    distributed: async () => ((await row(db, keepPlan(waiting))) === undefined ? undefined : row(db, keepPlan(ofGame))),
  });
}

/** A file of a report that is uploaded after the report. `attachment` is the number of an attachment. */
type FileRef = { gameId: string; reportId: string } & (
  | { kind: 'dump' | 'log' }
  | { kind: 'attachment'; attachment: number }
);

/** A condition on the row of the report. */
function isMissing(ref: FileRef): RawBuilder<unknown> {
  if (ref.kind !== 'attachment') return sql`${sql.ref(`${ref.kind}_key`)} is null`;
  return sql`attachments -> ${ref.attachment}::integer -> 'key' = 'null'`;
}

/**
 * `taken`: the report already has such a file, or is deleted. `past_limit`: the game has used its bytes of the day.
 * `too_large`: the attachments of the report are too large together.
 */
type AttachOutcome = 'attached' | 'taken' | 'past_limit' | 'too_large';

/** `row` is the report of an attached dump, if the process `holder` begins to process it. */
type Attached = { readonly outcome: AttachOutcome; readonly row?: StackRow };

/**
 * Adds a file to its report, counts its bytes, and enqueues the job for it, all or nothing. The job for a dump is not
 * enqueued if the process `holder` holds it.
 */
function attachFile(
  db: Db,
  ref: FileRef,
  file: StoredReportFile & Pick<Attachment, 'kind'>,
  limits: Pick<DailyLimits, 'day' | 'bytes'>,
  holder: number | null = null,
): Promise<Attached> {
  const addition = { ref, file, limits, holder: ref.kind === 'dump' ? holder : null };
  const inSteps = async () => ({ outcome: await attachInSteps(db, addition) });
  return runForm(db, {
    plain: ref.kind === 'attachment' ? inSteps : () => attachAtOnce(db, addition),
    distributed: inSteps,
  });
}

type Addition = {
  readonly ref: FileRef;
  readonly file: StoredReportFile & Pick<Attachment, 'kind'>;
  readonly limits: Pick<DailyLimits, 'day' | 'bytes'>;
  readonly holder: number | null;
};

/** Uses one statement, which saves five round trips for each dump. */
async function attachAtOnce(db: Db, { ref, file, limits, holder }: Addition): Promise<Attached> {
  const ofReport = sql`game_id = ${ref.gameId}::uuid and report_id = ${ref.reportId}::uuid`;
  const job = jobForEachRow(ref.kind === 'dump' ? processCrashJob : readLogJob, {
    gameId: sql`game_id`,
    reportId: sql`report_id`,
  });
  const { waiting, row } = await onlyRow(
    db,
    keepPlan(sql<{ waiting: number; row: StackRow | null }>`with waiting as materialized (
        select from crash_reports where ${ofReport} and ${isMissing(ref)} for update
      ), ${countBytes(ref.gameId, file.stored, limits, sql`waiting`)}, attached as (
        update crash_reports set ${changesOf(ref, file, holder)} from counted where ${ofReport}
          returning game_id, ${stackColumns}
      )
      select (select count(*) from waiting) as waiting, (select to_json(attached) from attached) as row,
        (select count(${job}) from attached where ${holder}::integer is null) as jobs`),
  );
  if (waiting === 0) return { outcome: 'taken' };
  if (row === null) return { outcome: 'past_limit' };
  return holder === null ? { outcome: 'attached' } : { outcome: 'attached', row };
}

/** An attachment is checked against the others of its report. On Citus, a statement cannot write to both servers. */
function attachInSteps(db: Db, { ref, file, limits, holder }: Addition): Promise<AttachOutcome> {
  const { gameId, reportId } = ref;
  const ofReport = sql`game_id = ${gameId} and report_id = ${reportId}`;
  return transact(db, async (tx): Promise<AttachOutcome> => {
    const waiting = await row(
      tx,
      keepPlan(sql<{ attachments: Attachment[] }>`select attachments from crash_reports
        where ${ofReport} and ${isMissing(ref)} for update`),
    );
    if (waiting === undefined) return 'taken';
    const attached = waiting.attachments.reduce((sum, { size }) => sum + size, 0);
    if (ref.kind === 'attachment' && attached + file.size > LIMITS.crashAttachmentsBytes) return 'too_large';
    const counted = await row(tx, keepPlan(sql`with ${countBytes(gameId, file.stored, limits)} select from counted`));
    if (counted === undefined) return 'past_limit';
    await changed(tx, keepPlan(sql`update crash_reports set ${changesOf(ref, file, holder)} where ${ofReport}`));
    if (ref.kind === 'dump' && holder === null) await addJob(tx, processCrashJob, { gameId, reportId });
    if (ref.kind === 'log') await addJob(tx, readLogJob, { gameId, reportId });
    if (ref.kind === 'attachment' && file.kind === 'image') await addJob(tx, previewJob, { gameId, reportId });
    return 'attached';
  });
}

/**
 * CTEs that count bytes of a game, for each row of `of`. `counted` has a row if they are within the limit of the day.
 */
function countBytes(
  gameId: string,
  bytes: number,
  limits: Pick<DailyLimits, 'day' | 'bytes'>,
  of: RawBuilder<unknown> = sql`(select) as one_row`,
): RawBuilder<unknown> {
  return sql`limits as (
      select ${maxBytes(limits.bytes)} as max_bytes
      from (select ${gameId}::uuid as game_id) as game left join game_quotas using (game_id)
    ), counted as (
      insert into rate_counters (subject, name, window_start, used)
      select ${gameId}::text, 'crash bytes', ${limits.day}::timestamptz, ${bytes}::bigint from limits cross join ${of}
      where max_bytes = 0 or ${bytes}::bigint <= max_bytes
      on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        where (select max_bytes = 0 or rate_counters.used + excluded.used <= max_bytes from limits)
      returning subject
    )`;
}

function changesOf(
  ref: FileRef,
  { key, size, kind }: StoredReportFile & Pick<Attachment, 'kind'>,
  holder: number | null,
): RawBuilder<unknown> {
  if (ref.kind !== 'attachment') {
    const state = holder === null ? sql.lit('queued') : sql.lit('processing');
    const becomesQueued =
      ref.kind === 'dump' ? sql`, state = ${state}, failure = null, held_by = ${holder}::integer` : sql``;
    return sql`${sql.ref(`${ref.kind}_key`)} = ${key}, ${sql.ref(`${ref.kind}_size`)} = ${size}${becomesQueued}`;
  }
  return sql`attachments = jsonb_set(attachments, array[${String(ref.attachment)}],
    (attachments -> ${ref.attachment}::integer) || ${JSON.stringify({ key, size, kind })}::jsonb)`;
}
