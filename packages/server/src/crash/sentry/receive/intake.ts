// Writes what a request of one of Sentry's SDKs is about: a new report, an addition to one, or a part that waits for its
// event. The files are stored before that, while the request arrives, under the id of the report that has them.
import { isError } from '@chauffeur/contract/errors';
import type { ReportKind } from '@chauffeur/contract/operations/crash-reports';
import type { SentryEvent } from '@chauffeur/sentry/event/event';
import type { Context } from '../../../context.ts';
import { bytesOfOpen } from '../../../kernel/blobs/byte-source.ts';
import { putPacked, readUnpacked } from '../../../kernel/blobs/packed.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { isStorageFull } from '../../../kernel/storage-full.ts';
import { createReport, type OpenedReport } from '../../crashes/receive/create.ts';
import { bytesLeft, countStored, dailyLimits, findUsedOfGame } from '../../crashes/receive/daily-limits.ts';
import { createOnce } from '../../crashes/receive/once.ts';
import { ReportFiles } from '../../crashes/receive/one-shot.ts';
import type { SentEvent } from '../../crashes/receive/reports.sql.ts';
import type { StoredAttachment, StoredReportFile } from '../../crashes/receive/store-file.ts';
import { storeEvent } from '../../crashes/report/event.ts';
import type { CrashDetails } from '../../crashes/report/fields.ts';
import { blobStemOf } from '../../crashes/report/files.ts';
import { findReportsOfEvents } from '../sentry.sql.ts';
import { type BuildFacts, chooseBuild, forgetBuild } from './choose-build.ts';
import { countSentry } from './counts.ts';
import { type Addition, addToReport } from './merge.ts';
import { nameOfEvent } from './names.ts';
import { keepPart } from './parts.ts';
import type { Sender } from './sender.ts';

/** A crash or an error, as far as one request says it. */
export type Sent = {
  readonly kind: ReportKind;
  /** Null for a dump that comes without one. */
  readonly event: SentryEvent | null;
  readonly build: BuildFacts;
  readonly details: CrashDetails;
};

/** The files of one request, and what becomes of them. */
export class Intake {
  readonly #ctx: Context;
  readonly #sender: Sender;
  /** The event that the request names; known before its files arrive. */
  readonly #eventId: string | null;
  #files: ReportFiles | null = null;
  /** The report of the event, if there is one and it was looked for. */
  #existing: string | null = null;

  constructor(ctx: Context, sender: Sender, eventId: string | null) {
    this.#ctx = ctx;
    this.#sender = sender;
    this.#eventId = eventId;
  }

  /** Opens the files for the first of them. They are kept under the id of the report of the event if there is one. */
  async files(): Promise<ReportFiles> {
    this.#files ??= await this.#open();
    return this.#files;
  }

  /** Null if the request has none. */
  get openFiles(): ReportFiles | null {
    return this.#files;
  }

  get omissions(): readonly string[] {
    return this.#files?.omissions ?? [];
  }

  /** Also if the dump could not be kept. */
  get hasDump(): boolean {
    const { files, losses } = this.#files ?? { files: {}, losses: {} };
    return files.dump !== undefined || losses.dump !== undefined;
  }

  async #open(): Promise<ReportFiles> {
    const ctx = this.#ctx;
    const { gameId } = this.#sender;
    if (this.#eventId !== null) {
      const found = await findReportsOfEvents(ctx.db, gameId, [this.#eventId]);
      this.#existing = found.get(this.#eventId)?.report_id ?? null;
    }
    const limits = dailyLimits(ctx);
    const used = await findUsedOfGame(ctx.db, gameId, limits.day);
    const left = used === undefined ? 0 : bytesLeft(limits, used);
    // Clients send nothing again, and a report without its files is better than none.
    const options = { maxStored: left, losesFiles: true };
    return new ReportFiles(ctx, this.#existing ?? newId(ctx.clock.now().getTime()), options);
  }

  /** Runs `read`, which reads the request and stores its files. If it fails, none of them is kept. */
  async receive<Result>(read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  /** Deletes the files of a request that nothing is made of. */
  async discard(): Promise<void> {
    await this.#files?.deleteAll();
    this.#files = null;
  }

  /**
   * Writes a report, or adds to the one of the same event. Returns its id. Throws `limitReached` past the game's daily
   * limit, and errors of the store and the database. Nothing is kept then, except that files may be left to the sweep.
   */
  async report(sent: Sent, eventId = sent.event?.eventId ?? this.#eventId): Promise<string> {
    if (this.#existing !== null && eventId === this.#eventId) return await this.#add(this.#existing, sent);
    const reportId = this.#files?.reportId ?? newId(this.#ctx.clock.now().getTime());
    const event = await this.#storeEvent(reportId, sent);
    try {
      const report = await this.#create(reportId, sent, event, eventId);
      if (report.reportId !== reportId) {
        await this.#deleteEvent(event);
        return await this.#add(report.reportId, sent);
      }
      if (report.filesKept) this.#files?.count();
      else await this.discard();
      return reportId;
    } catch (error) {
      // After other errors, the report may have been written, so its files are left to the sweep.
      if (isError(error, 'limitReached') || isStorageFull(error)) {
        await this.#deleteEvent(event);
        await this.discard();
      }
      throw error;
    }
  }

  async #create(
    reportId: string,
    { build, details }: Sent,
    event: SentEvent | null,
    eventId: string | null,
  ): Promise<OpenedReport> {
    const ctx = this.#ctx;
    const { gameId } = this.#sender;
    const { files = {}, attachments, failure = null } = this.#files ?? {};
    const incoming = {
      gameId,
      details,
      source: 'sentry' as const,
      reportId,
      dump: files.dump ?? null,
      log: files.log ?? null,
      attachments: attachments?.stored ?? [],
      failure,
      event,
    };
    for (let tries = 1; ; tries += 1) {
      const chosen = await chooseBuild(ctx, gameId, build);
      try {
        const report = { ...incoming, ...chosen };
        if (eventId === null) return await createReport(ctx, report);
        return await createOnce(ctx, { ...report, idempotency: nameOfEvent(eventId) });
      } catch (error) {
        // The build was deleted, or its release assigned, since it was chosen.
        if (!isError(error, 'unknownClientIds') || tries === MAX_TRIES) throw error;
        forgetBuild(ctx, gameId, build);
      }
    }
  }

  /** Adds what the report doesn't have yet. */
  async #add(reportId: string, sent: Sent): Promise<string> {
    const event = await this.#storeEvent(reportId, sent);
    await this.#addTo(reportId, { event, details: sent.details });
    return reportId;
  }

  async #addTo(reportId: string, { event, details }: Pick<Addition, 'event' | 'details'>): Promise<void> {
    const ctx = this.#ctx;
    const { gameId, dsnId } = this.#sender;
    const own = this.#files === null ? null : await moveTo(ctx, reportId, this.#files);
    const addition = {
      event,
      details,
      dump: own?.dump ?? null,
      log: own?.log ?? null,
      attachments: own?.attachments ?? [],
    };
    const all = [own?.dump, own?.log, ...addition.attachments].filter((file) => file != null);
    const added = await addToReport(ctx, gameId, reportId, addition);
    const stored = all.filter(({ key }) => added.keys.has(key)).reduce((sum, file) => sum + file.stored, 0);
    await countStored(ctx.db, gameId, stored + (added.event ? event!.stored : 0), dailyLimits(ctx).day);
    for (const { key } of all) if (!added.keys.has(key)) await ctx.blobs.delete(key);
    if (!added.event) await this.#deleteEvent(event);
    if (!added.event && added.keys.size === 0)
      countSentry(ctx, { gameId, dsnId, what: 'repeated', type: 'event', reason: '' });
  }

  /**
   * Adds attachments to the report of the event, or keeps them until it arrives. Without the id of an event, they are
   * deleted. Returns whether they are kept.
   */
  async keepAlone(): Promise<boolean> {
    const files = this.#files;
    if (files === null || files.all.length === 0) return false;
    if (this.#existing !== null) {
      await this.#addTo(this.#existing, { event: null, details: null });
      return true;
    }
    const { stored } = files.attachments;
    if (this.#eventId === null || stored.length === 0) {
      await this.discard();
      return false;
    }
    const part = { gameId: this.#sender.gameId, eventId: this.#eventId, partId: files.reportId, attachments: stored };
    const isKept = await keepPart(this.#ctx, part);
    if (!isKept) await this.discard();
    return isKept;
  }

  async #storeEvent(reportId: string, { kind, event }: Sent): Promise<SentEvent | null> {
    if (event === null) return null;
    const stored = await storeEvent(this.#ctx.blobs, reportId, event);
    return { kind, ...stored, fingerprint: event.fingerprint };
  }

  async #deleteEvent(event: SentEvent | null): Promise<void> {
    const key = event?.content.event_key ?? null;
    if (key !== null) await this.#ctx.blobs.delete(key);
  }
}

const MAX_TRIES = 3;

type Moved = {
  readonly dump: StoredReportFile | null;
  readonly log: StoredReportFile | null;
  readonly attachments: readonly StoredAttachment[];
};

/**
 * The files under the id of the report: the sweep deletes files under the id of no report. Leaves out those for whose
 * copy the storage has no room.
 */
async function moveTo(ctx: Context, reportId: string, received: ReportFiles): Promise<Moved> {
  const { files, attachments } = received;
  if (received.reportId === reportId)
    return { dump: files.dump ?? null, log: files.log ?? null, attachments: attachments.stored };
  const move = async <File extends StoredReportFile>(file: File): Promise<File | null> => {
    const copy = await copyFile(ctx, reportId, file).catch((error: unknown) => {
      if (isStorageFull(error)) return null;
      throw error;
    });
    return copy === null ? null : { ...file, ...copy };
  };
  const moved = {
    dump: files.dump === undefined ? null : await move(files.dump),
    log: files.log === undefined ? null : await move(files.log),
    attachments: [] as StoredAttachment[],
  };
  for (const attachment of attachments.stored) {
    const copy = await move(attachment);
    if (copy !== null) moved.attachments.push(copy);
  }
  await received.deleteAll();
  return moved;
}

/** Copies a file of a report to a key of another one. */
export async function copyFile(
  ctx: Context,
  reportId: string,
  { key }: { readonly key: string },
): Promise<StoredReportFile> {
  const copy = `${blobStemOf(reportId)}.${newId()}.${key.split('.').slice(2).join('.')}`;
  const source = await readUnpacked(ctx.blobs, key);
  try {
    return { key: copy, ...(await putPacked(ctx.blobs, copy, bytesOfOpen(source), Number.POSITIVE_INFINITY)) };
  } catch (error) {
    if (isStorageFull(error)) await ctx.blobs.delete(copy);
    throw error;
  } finally {
    source.destroy();
  }
}
