// Receives reports that arrive complete in one request: refuses early if the game or build is unknown, stores the files
// as they arrive, then writes the report. Attachments that don't fit the limits are left out, and the report says so.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import { type ByteSource, PackedTooLargeError } from '../../../kernel/blobs/store.ts';
import { beginsWith, UnpackError } from '../../../kernel/blobs/unpack-file.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { isStorageFull } from '../../../kernel/storage-full.ts';
import { resolveClientIds } from '../../../people/client-ids/client-ids.ts';
import { BodyTooLargeError } from '../../../request/body.ts';
import { type Ids, idsOf, UNKNOWN_BUILD } from '../../../request/client-ids.ts';
import type { CrashDetails } from '../report/fields.ts';
import { attachmentName, deleteReportFiles } from '../report/files.ts';
import { acceptReport } from './accept.ts';
import { createReport, type OpenedReport, refuseReport } from './create.ts';
import { bytesLeft, dailyLimits, findUsed } from './daily-limits.ts';
import { withRawMetadata } from './details.ts';
import { createOnce } from './once.ts';
import type { NewReport } from './reports.sql.ts';
import {
  ATTACHMENT_LIMITS,
  FileTooLargeError,
  LOST_FILES,
  LOST_FOR_ROOM,
  type LossReason,
  type StoredAttachment,
  type StoredReportFile,
  sniff,
  storeFile,
} from './store-file.ts';
import type { CrashFileKind } from './tokens.ts';

/** The content of a body, except for its files. */
export type ReportBody = {
  source: NewReport['source'];
  ids: Partial<Ids>;
  clientRef: string | null;
  /** `omissions` are sentences about what was not kept, for the metadata. */
  details(omissions: readonly string[]): CrashDetails;
  /** The text of metadata that could not be read, to be kept with the report. */
  rawMetadata?: string | null;
};

/**
 * Stores a file of a report. If `source` throws FileTooLargeError or BodyTooLargeError, the report is kept without the
 * file.
 */
export type KeepFile = (kind: CrashFileKind, source: ByteSource, isCut?: () => boolean) => Promise<void>;

/** Stores further files of a report, or notes that they were left out. */
export type KeepAttachment = {
  keep(name: string, source: ByteSource, isCut?: () => boolean): Promise<void>;
  leaveOut(name: string): void;
};

type ByKind<Value> = Partial<Record<CrashFileKind, Value>>;

/** The signature of a minidump. */
const DUMP_START = Buffer.from('MDMP', 'latin1');

/**
 * Receives a report: `read` reads its body and stores each file with `keep`. Throws `unreadableBody`, `missingIds`,
 * `unknownClientIds`, `limitReached`, and errors of the store; in that case nothing is kept. A file that is too large
 * or empty is left out, and the report says so, because reporters discard a report that is refused. A report that was
 * sent before with the same client's id gets the same response again.
 */
export async function receiveWhole(
  ctx: Context,
  request: FastifyRequest,
  read: (keep: KeepFile, attachments: KeepAttachment) => Promise<ReportBody>,
): Promise<OpenedReport> {
  const maxStored = await findBytesLeft(ctx, await resolveClientIds(ctx, idsOf(request)));
  const received = new ReportFiles(ctx, newId(ctx.clock.now().getTime()), { maxStored });
  const { reportId } = received;
  const body = await read(received.keep, received.attach).catch(async (error) => {
    await received.deleteAll();
    throw error;
  });
  try {
    const report = await write(ctx, request, body, received);
    if (report.reportId !== reportId || !report.filesKept) await received.deleteAll();
    else received.count();
    return report;
  } catch (error) {
    // After other errors, the report may have been written, so its files are left to the sweep. If the database was
    // full, nothing was written.
    if (error instanceof ApiError || isStorageFull(error)) await received.deleteAll();
    throw error;
  }
}

type FilesOptions = {
  readonly maxStored: number;
  /** Whether a file is left out if the storage is full. By default, its error is thrown, and the client sends again. */
  readonly losesFiles?: boolean;
};

/** The files of a report, stored as they arrive, and why some were not kept. */
export class ReportFiles {
  readonly #ctx: Context;
  readonly reportId: string;
  #maxStored: number;
  readonly files: ByKind<StoredReportFile> = {};
  readonly losses: ByKind<LossReason> = {};
  readonly attachments: Attachments;
  readonly #losesFiles: boolean;
  #lostForRoom = 0;
  /** The name of the dump in `files` if only its content says that it is one. */
  #unnamedDump: string | null = null;

  /** `maxStored` is the number of bytes, compressed, that may be stored of the report. */
  constructor(ctx: Context, reportId: string, { maxStored, losesFiles = false }: FilesOptions) {
    this.#ctx = ctx;
    this.reportId = reportId;
    this.#maxStored = maxStored;
    this.#losesFiles = losesFiles;
    this.attachments = new Attachments(ctx, reportId);
  }

  /** Throws what the source throws, and errors of the store. */
  readonly keep: KeepFile = async (kind, sent, isCut = () => false) => {
    if (kind === 'dump' && this.#unnamedDump !== null) await this.#displaceDump(this.#unnamedDump);
    const stored = await this.#unlessFull(sent, (source) =>
      tryToStore(this.#ctx, { reportId: this.reportId, kind, source, maxStored: this.#maxStored }),
    );
    if (typeof stored === 'string') {
      this.losses[kind] = stored;
      return;
    }
    this.#maxStored -= stored.stored;
    if (!isCut() && stored.size > 0) this.files[kind] = stored;
    else {
      this.losses[kind] = isCut() ? 'too_large' : 'empty';
      await this.#ctx.blobs.delete(stored.key);
    }
  };

  readonly attach: KeepAttachment = {
    keep: async (name, sent, isCut = () => false) => {
      const { matches: isDump, all } = await beginsWith(sent, DUMP_START);
      if (isDump && this.files.dump === undefined && this.losses.dump === undefined) {
        await this.keep('dump', all, isCut);
        this.#unnamedDump = name;
        return;
      }
      const stored = await this.#unlessFull(all, (source) =>
        this.attachments.add(name, source, this.#maxStored, isCut),
      );
      this.#maxStored -= stored === 'no_room' ? 0 : stored;
    },
    leaveOut: (name) => this.attachments.leaveOut(name),
  };

  /** Keeps what the client calls a dump. If it isn't one, it is an attachment. */
  async keepDump(name: string, source: ByteSource, isCut?: () => boolean): Promise<void> {
    const lost = this.#lostForRoom;
    await this.attach.keep(name, source, isCut);
    if (this.#lostForRoom > lost && this.files.dump === undefined) this.losses.dump ??= 'no_room';
  }

  /** Returns `no_room` if the storage is full. What `store` leaves of the source is read, to reach what follows it. */
  async #unlessFull<Result>(
    source: ByteSource,
    store: (source: ByteSource) => Promise<Result>,
  ): Promise<Result | 'no_room'> {
    if (!this.#losesFiles) return await store(source);
    const open = unclosed(source);
    let result: Result | 'no_room' = 'no_room';
    try {
      result = await store(open);
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      this.#lostForRoom += 1;
    }
    await drain(open);
    return result;
  }

  /** How many files were lost because the storage was full. */
  get lostForRoom(): number {
    return this.#lostForRoom;
  }

  /** Makes the dump an attachment, because the body has another file that is called a dump. */
  async #displaceDump(name: string): Promise<void> {
    const { dump } = this.files;
    this.#unnamedDump = null;
    delete this.files.dump;
    delete this.losses.dump;
    if (dump !== undefined && !this.attachments.adopt(name, dump)) await this.#ctx.blobs.delete(dump.key);
  }

  get all(): readonly StoredReportFile[] {
    return [...Object.values(this.files), ...this.attachments.stored];
  }

  /** Sentences about the files that were left out. `failure` says why the dump was. */
  get omissions(): readonly string[] {
    const { log } = this.losses;
    return [
      ...(log === undefined || log === 'no_room' ? [] : [LOST_FILES[log].log]),
      ...(this.#lostForRoom > 0 ? [LOST_FOR_ROOM] : []),
      ...this.attachments.omissions,
    ];
  }

  /** Why the dump was not kept; null if it was, or none was sent. */
  get failure(): string | null {
    return this.losses.dump === undefined ? null : LOST_FILES[this.losses.dump].dump;
  }

  /** Counts the bytes of the files in the metrics, once they belong to a report. */
  count(): void {
    for (const { size } of this.all) this.#ctx.metrics.uploadedBytes.inc({ way: 'crash' }, size);
  }

  async deleteAll(): Promise<void> {
    await deleteReportFiles(this.#ctx, {
      dump_key: this.files.dump?.key ?? null,
      log_key: this.files.log?.key ?? null,
      stack_key: null,
      event_key: null,
      attachments: this.attachments.stored,
    });
  }
}

/**
 * How many bytes may be stored of a report, before its large body is read. Infinite if only the body has the ids, which
 * are then checked afterwards. Throws `unknownClientIds` if the build is unknown.
 */
async function findBytesLeft(ctx: Context, { appId, buildId }: Ids): Promise<number> {
  if (appId === '' || buildId === '') return Number.POSITIVE_INFINITY;
  const verdict = acceptReport({ appId, buildId, body: {} });
  if ('refused' in verdict) throw refuseReport(ctx, verdict.refused, { appId, buildId });
  const { gameId, buildId: build } = verdict.accepted;
  const limits = dailyLimits(ctx);
  const used = await findUsed(ctx.db, gameId, build, limits.day);
  if (used === undefined) throw refuseReport(ctx, UNKNOWN_BUILD, { appId, buildId });
  return bytesLeft(limits, used);
}

type Incoming = {
  reportId: string;
  kind: CrashFileKind;
  source: ByteSource;
  maxStored: number;
};

/** The stored file, or why it was not stored. */
async function tryToStore(
  ctx: Context,
  { reportId, kind, source, maxStored }: Incoming,
): Promise<StoredReportFile | LossReason> {
  try {
    if (maxStored <= 0) return await skip(source);
    return await storeFile(ctx, reportId, kind, source, { maxBytes: LIMITS.crashFileBytes, maxStored });
  } catch (error) {
    if (error instanceof FileTooLargeError || error instanceof BodyTooLargeError) return 'too_large';
    if (error instanceof PackedTooLargeError) return 'past_limit';
    if (error instanceof UnpackError) return 'not_unpacked';
    throw error;
  }
}

/** The same bytes. A reader that stops leaves the others to the next one. */
function unclosed(bytes: ByteSource): ByteSource {
  const iterator = bytes[Symbol.asyncIterator]();
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}

/** Reads what is left, as the stream of a part stays paused otherwise. An error of the body also ends what follows. */
async function drain(source: ByteSource): Promise<void> {
  try {
    for await (const _ of source);
  } catch {
    // The reader of the body throws it.
  }
}

/** Reads a file without storing it, to reach what follows in the body. */
async function skip(source: ByteSource): Promise<LossReason> {
  for await (const _ of source);
  return 'past_limit';
}

async function write(
  ctx: Context,
  request: FastifyRequest,
  body: ReportBody,
  { reportId, files, failure, attachments, omissions }: ReportFiles,
): Promise<OpenedReport> {
  const { source, clientRef } = body;
  const ids = await resolveClientIds(ctx, idsOf(request, body.ids));
  const verdict = acceptReport({ ...ids, body: body.details(omissions) });
  if ('refused' in verdict) throw refuseReport(ctx, verdict.refused, ids);
  const { dump = null, log = null } = files;
  const details = withRawMetadata(verdict.accepted.details, body.rawMetadata ?? null);
  const report = {
    ...verdict.accepted,
    details,
    source,
    reportId,
    dump,
    log,
    failure,
    attachments: attachments.stored,
  };
  return clientRef === null ? createReport(ctx, report) : createOnce(ctx, { ...report, clientRef });
}

/** Names in a note. */
const MAX_NAMED = 5;

class Attachments {
  readonly #ctx: Context;
  readonly #reportId: string;
  readonly stored: StoredAttachment[] = [];
  readonly #lost: string[] = [];

  constructor(ctx: Context, reportId: string) {
    this.#ctx = ctx;
    this.#reportId = reportId;
  }

  /**
   * Stores a file, or reads it and notes why it was not kept. Returns how many bytes were stored, compressed. Throws
   * errors of the source and the store.
   */
  async add(sentName: string, source: ByteSource, maxStored: number, isCut: () => boolean): Promise<number> {
    const { name, maxBytes } = this.#nextOf(sentName);
    if (maxBytes <= 0 || maxStored <= 0) {
      for await (const _ of source);
      this.#lost.push(name);
      return 0;
    }
    const sniffed = sniff(source);
    try {
      const file = await storeFile(this.#ctx, this.#reportId, 'attachment', sniffed.source, { maxBytes, maxStored });
      if (isCut()) {
        await this.#ctx.blobs.delete(file.key);
        this.#lost.push(name);
        return 0;
      }
      this.stored.push({ name, kind: sniffed.kind(), ...file });
      return file.stored;
    } catch (error) {
      const isTooLarge = error instanceof FileTooLargeError || error instanceof BodyTooLargeError;
      if (!isTooLarge && !(error instanceof PackedTooLargeError)) throw error;
      this.#lost.push(name);
      return 0;
    }
  }

  /** Adds a dump that was already stored. Returns false, and notes that it is left out, if it is past the limits. */
  adopt(sentName: string, file: StoredReportFile): boolean {
    const { name, maxBytes } = this.#nextOf(sentName);
    if (file.size > maxBytes) this.#lost.push(name);
    else this.stored.push({ name, kind: 'other', ...file });
    return file.size <= maxBytes;
  }

  /** The name of the next file, and how large it may be. */
  #nextOf(sentName: string): { name: string; maxBytes: number } {
    const name = attachmentName(
      sentName,
      this.stored.map((attachment) => attachment.name),
    );
    if (this.stored.length >= LIMITS.crashAttachments) return { name, maxBytes: 0 };
    const total = this.stored.reduce((sum, { size }) => sum + size, 0);
    return { name, maxBytes: Math.min(LIMITS.crashAttachmentBytes, LIMITS.crashAttachmentsBytes - total) };
  }

  /** Notes that a file was left out without reading it. */
  leaveOut(sentName: string): void {
    this.#lost.push(attachmentName(sentName));
  }

  /** Sentences about the files that were left out. */
  get omissions(): string[] {
    if (this.#lost.length === 0) return [];
    const named = this.#lost.slice(0, MAX_NAMED).join(', ');
    const more = this.#lost.length > MAX_NAMED ? ` and ${this.#lost.length - MAX_NAMED} more` : '';
    return [`Attachments were left out: ${named}${more}. ${ATTACHMENT_LIMITS}`];
  }
}
