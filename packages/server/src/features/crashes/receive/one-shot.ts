// Takes reports that come whole in one request: refuses early what is nobody’s, stores the files as they arrive, then writes the report.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import { PackedTooLargeError } from '../../../kernel/blobs/packed.ts';
import type { ByteSource } from '../../../kernel/blobs/store.ts';
import { BodyTooLargeError } from '../../../kernel/body.ts';
import { type Ids, idsOf } from '../../../kernel/client-ids.ts';
import { newId } from '../../../kernel/ids.ts';
import { hasNoRoom } from '../../../kernel/no-room.ts';
import { resolveClientIds } from '../../games/games.ts';
import { dropBlobs } from '../keep/blobs.ts';
import { accept, type CrashFacts, UNKNOWN_BUILD } from './accept.ts';
import { createReport, type OpenedReport, refuse } from './create.ts';
import { bytesLeft, dailyLimits, PAST_LIMIT } from './daily-limits.ts';
import { withRawMetadata } from './forms/facts.ts';
import { createOnce } from './once.ts';
import { findUsed, type NewReport, type StoredFile } from './reports.sql.ts';
import { FileTooLargeError, storeFile } from './store-file.ts';
import type { CrashFileKind } from './tokens.ts';

/** What the body said, once it was read. */
export type Whole = {
  source: NewReport['source'];
  ids: Partial<Ids>;
  clientRef: string | null;
  /** `omitted` are files that were not kept, in words, to be told in the metadata. */
  facts(omitted: readonly string[]): CrashFacts;
  /** The text of metadata that could not be read, to be kept with the report. */
  rawMetadata?: string | null;
};

/** Bytes of one file of a report; what throws FileTooLargeError or BodyTooLargeError costs the file, not the report. */
export type KeepFile = (kind: CrashFileKind, source: ByteSource, isCut?: () => boolean) => Promise<void>;

const TOO_LARGE = `larger than ${LIMITS.crashFileBytes / MIB} MB and was not kept`;

/**
 * Receives a report: `read` reads its body and has each file kept. Throws 4001, 4010, 4030, 4290, and what the store throws; then nothing is kept.
 * A file that is too large or empty is left out and the report says so: a reporter that is refused drops the report for good. A report that
 * came before, by its client’s own id, is answered as it was then.
 */
export async function receiveWhole(
  ctx: Context,
  request: FastifyRequest,
  read: (keep: KeepFile) => Promise<Whole>,
): Promise<OpenedReport> {
  let maxStored = await findRoom(ctx, await resolveClientIds(ctx, idsOf(request)));
  const reportId = newId(ctx.clock.now().getTime());
  const files: Partial<Record<CrashFileKind, StoredFile>> = {};
  const failures: Partial<Record<CrashFileKind, string>> = {};
  const keep: KeepFile = async (kind, source, isCut = () => false) => {
    const kept = await tryToStore(ctx, { reportId, kind, source, maxStored });
    if (typeof kept !== 'string') maxStored -= kept.stored;
    const failure = typeof kept === 'string' ? kept : isCut() ? TOO_LARGE : kept.size === 0 ? 'empty' : null;
    if (failure !== null) failures[kind] = `The ${kind} was ${failure}.`;
    if (typeof kept === 'string') return;
    if (failure === null) files[kind] = kept;
    else await ctx.blobs.delete(kept.key);
  };
  const drop = () =>
    dropBlobs(ctx, { dump_key: files.dump?.key ?? null, log_key: files.log?.key ?? null, stack_key: null });
  const whole = await read(keep).catch(async (error) => {
    await drop();
    throw error;
  });
  try {
    const report = await write(ctx, request, whole, { reportId, files, failures });
    if (report.reportId !== reportId || !report.filesKept) await drop();
    return report;
  } catch (error) {
    // After any other error the report may be there all the same; the sweeper finds out. A full database has written nothing.
    if (error instanceof ApiError || hasNoRoom(error)) await drop();
    throw error;
  }
}

/**
 * Bytes of files that may be stored of a report of this game, before its large body is read. Where the body itself names the ids, all: it is
 * looked at afterwards. Throws for what is nobody’s.
 */
async function findRoom(ctx: Context, { appId, buildId }: Ids): Promise<number> {
  if (appId === '' || buildId === '') return Number.POSITIVE_INFINITY;
  const verdict = accept({ appId, buildId, body: {} });
  if ('refused' in verdict) throw refuse(ctx, verdict.refused);
  const { gameId, buildId: build } = verdict.accepted;
  const limits = dailyLimits(ctx);
  const used = await findUsed(ctx.db, gameId, build, limits.day);
  if (used === undefined) throw refuse(ctx, UNKNOWN_BUILD);
  return bytesLeft(limits, used);
}

type Arriving = {
  reportId: string;
  kind: CrashFileKind;
  source: ByteSource;
  maxStored: number;
};

/** The stored file, or why there is none. */
async function tryToStore(ctx: Context, { reportId, kind, source, maxStored }: Arriving): Promise<StoredFile | string> {
  const limits = { most: LIMITS.crashFileBytes, maxStored };
  try {
    if (maxStored <= 0) return await skip(source);
    return await storeFile(ctx, reportId, kind, source, limits);
  } catch (error) {
    if (error instanceof FileTooLargeError || error instanceof BodyTooLargeError) return TOO_LARGE;
    if (error instanceof PackedTooLargeError) return PAST_LIMIT;
    throw error;
  }
}

/** Reads a file that is not stored: what comes behind it in the body is still wanted. */
async function skip(source: ByteSource): Promise<string> {
  for await (const _ of source);
  return PAST_LIMIT;
}

type Kept = {
  reportId: string;
  files: Partial<Record<CrashFileKind, StoredFile>>;
  failures: Partial<Record<CrashFileKind, string>>;
};

async function write(
  ctx: Context,
  request: FastifyRequest,
  whole: Whole,
  { reportId, files, failures }: Kept,
): Promise<OpenedReport> {
  const { source, clientRef } = whole;
  const omitted = failures.log === undefined ? [] : [failures.log];
  const ids = await resolveClientIds(ctx, idsOf(request, whole.ids));
  const verdict = accept({ ...ids, body: whole.facts(omitted) });
  if ('refused' in verdict) throw refuse(ctx, verdict.refused);
  const { dump = null, log = null } = files;
  const failure = failures.dump ?? null;
  const facts = withRawMetadata(verdict.accepted.facts, whole.rawMetadata ?? null);
  const arrival = { ...verdict.accepted, facts, source, reportId, dump, log, failure };
  return clientRef === null ? createReport(ctx, arrival) : createOnce(ctx, { ...arrival, clientRef });
}
