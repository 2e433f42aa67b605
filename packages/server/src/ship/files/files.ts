// Uploaded files of builds: their rows, their scan state, and rejected uploads.

import { errors } from '@chauffeur/contract/errors';
import type { ScanState } from '@chauffeur/contract/operations/files';
import * as contract from '@chauffeur/contract/operations/files';
import type { Context, GameCaller } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import type { Db, Tx } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { auditChanges } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import * as files from './files.sql.ts';

export type GameFileRow = files.GameFileRow;
export type OfferedFile = files.OfferedFile;
export type ScanEvent = files.ScanEventRow;
export type NewGameFile = files.NewGameFile;
export type FileOrigin = files.FileOrigin;
export type ReusedBytes = files.ReusedBytes;
export type StoredEntry = files.StoredEntry;

/** The fields of a summary. The time is a date or in PostgreSQL's JSON format. */
export type FileFacts = Pick<GameFileRow, 'file_id' | 'filename' | 'size' | 'checksum' | 'scan_state'> & {
  uploaded_at: Date | string;
};

/** The content type of manifests. */
export const MANIFEST_TYPE = 'application/vnd.chauffeur.manifest';

const PAGE_SIZE = 20;
/** How long a rejected upload stays listed (spec: Files and scans). */
const REJECTED_DAYS = 30;

/** States in which a file is offered for download. */
export function isOffered(state: ScanState): boolean {
  return state === 'clean' || state === 'unscanned';
}

/** The condition of `isOffered` in SQL, on rows of `files`. */
export const offered = files.offered;

/** Whether the scan has ended. */
export function isSettled(state: ScanState): boolean {
  return state !== 'pending' && state !== 'scanning';
}

export function fileSummaryOf(file: FileFacts) {
  return {
    file_uid: file.file_id,
    filename: file.filename,
    size: file.size,
    checksum: file.checksum,
    status: file.scan_state,
    message: scanLine(file.scan_state),
    uploaded_at: new Date(file.uploaded_at).toISOString(),
  };
}

/** Who uploads a file, for its provenance. */
export function originOf({ keyRef, user, apiToken }: GameCaller): FileOrigin {
  return user === undefined
    ? { type: 'deploy_key', key_ref: keyRef }
    : { type: apiToken === undefined ? 'cli_login' : 'api_token', key_ref: keyRef, user: user.name };
}

/** Adds an uploaded file, whose scan is pending. Its blob must already be durable. */
export async function addFileRow(tx: Tx, file: NewGameFile): Promise<GameFileRow> {
  const row = await files.insertFile(tx, file);
  auditChanges({}, { file: row.filename, size: row.size, checksum: row.checksum, build_id: row.build_id });
  await files.insertScanEvent(tx, row, { state: 'pending', engine: null, signatureVersion: null, detail: null });
  return row;
}

/** Changes the scan state of a file and records it in the history; false if the file was deleted in the meantime. */
export async function setScanState(
  tx: Tx,
  file: { game_id: string; file_id: string },
  event: files.NewScanEvent,
): Promise<boolean> {
  if (!(await files.updateScanState(tx, file, event.state))) return false;
  await files.insertScanEvent(tx, file, event);
  return true;
}

export async function findFile(db: Db, gameId: string, fileId: string): Promise<GameFileRow | null> {
  return (await files.findFile(db, gameId, fileId)) ?? null;
}

/** Finds a file of any game. */
export async function findFileById(db: Db, fileId: string): Promise<GameFileRow | null> {
  return (await files.findFileById(db, fileId)) ?? null;
}

/** The 20 newest files of a build, newest first. */
export async function filesOfBuild(db: Db, gameId: string, buildId: string) {
  const newest = await files.listFilesOfBuild(db, gameId, buildId, PAGE_SIZE);
  return newest.map((file) => ({
    ...fileSummaryOf(file),
    origin: file.origin,
    reused: [...(file.reused ?? [])],
    scans: file.scans.map(({ at, ...event }) => ({ at: new Date(at).toISOString(), ...event })),
  }));
}

/** The newest offered file of a build, or null. */
export async function newestOfferedFile(db: Db, gameId: string, buildId: string): Promise<OfferedFile | null> {
  return (await newestOfferedFiles(db, gameId, [buildId])).get(buildId) ?? null;
}

/** The newest offered file of each build, keyed by build id; builds without one are left out. */
export async function newestOfferedFiles(
  db: Db,
  gameId: string,
  buildIds: readonly string[],
): Promise<ReadonlyMap<string, OfferedFile>> {
  const newest = await files.newestOfferedFiles(db, gameId, buildIds);
  return new Map(newest.map((file) => [file.build_id, file]));
}

export const getFile = handle(contract.getFile, async (ctx, { caller, input }) => {
  const file = await files.findFile(ctx.db, caller.gameId, input.file_uid);
  if (file === undefined) throw errors.notFound('file_uid: this game has no such file.');
  const history = await files.readScanHistory(ctx.db, file);
  return { ...fileSummaryOf(file), build_id: file.build_id, detail: history.at(-1)?.detail ?? null };
});

export const listRejectedUploads = handle(contract.listRejectedUploads, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const page = input.page ?? 1;
  const pageSize = input.page_size ?? PAGE_SIZE;
  const since = new Date(ctx.clock.now().getTime() - REJECTED_DAYS * DAY);
  const [rejected, total] = await Promise.all([
    files.listRejected(ctx.db, game.game_id, since, { limit: pageSize, offset: (page - 1) * pageSize }),
    files.countRejected(ctx.db, game.game_id, since),
  ]);
  const listed = rejected.map((file) => ({
    ...fileSummaryOf(file),
    build_id: file.build_id,
    detail: file.detail,
    rejected_at: file.rejected_at.toISOString(),
  }));
  return { files: listed, pagination: { page, page_size: pageSize, total } };
});

/** Deletes the records of uploads that were rejected more than 30 days ago. */
export function forgetRejected(ctx: Context): Promise<number> {
  return files.deleteRejectedBefore(ctx.db, new Date(ctx.clock.now().getTime() - REJECTED_DAYS * DAY));
}

export const forgetRejectedJob = defineJob(
  'files:forget-rejected',
  { attempts: 3, cron: '23 3 * * *', lane: 'long', deletesOld: true },
  forgetRejectedFiles,
);

export async function forgetRejectedFiles(ctx: Context): Promise<void> {
  const deleted = await forgetRejected(ctx);
  if (deleted > 0) ctx.log.info({ deleted }, 'records of old rejected uploads deleted');
}

const LINES: Record<ScanState, string> = {
  pending: 'Queued for virus scan',
  scanning: 'Scanning for viruses',
  clean: 'Scanned clean with ClamAV',
  infected: 'Rejected: malware found',
  error: 'Rejected: the scan failed',
  unscanned: 'Not scanned: no virus scanner on this server',
};

export function scanLine(state: ScanState): string {
  return LINES[state];
}
