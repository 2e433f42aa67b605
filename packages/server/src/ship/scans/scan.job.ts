// Scans one uploaded file: pending → scanning → clean, infected, error or unscanned. A file that passes advances its
// channel.
import type { ScanState } from '@chauffeur/contract/operations/files';
import type { Context } from '../../context.ts';
import { secondsSince } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { type Attempt, defineJob } from '../../kernel/jobs/jobs.ts';
import { ScannerUnavailableError } from '../../kernel/scanner/scanner.ts';
import { type Alert, raiseAlerts } from '../../notify/alerts/alerts.ts';
import { type Build, findBuild } from '../builds/builds.ts';
import { advanceChannel } from '../channels/channels.ts';
import { recordEntries } from '../files/files.sql.ts';
import { type FileRow, findFile, isOffered, isSettled, recordScan } from '../files/files.ts';
import { type Examination, examineBlob, failureOf, STATES } from './examine.ts';

type Payload = { gameId: string; fileId: string };

/** With delays of e^n seconds, the attempts cover an outage of about a day. */
export const scanJob = defineJob('scans:scan', { attempts: 12, lane: 'long', changes: 'builds' }, scanFile);

/**
 * Safe to run twice: after a completed scan it only deletes the blob of a rejected file. The sweep removes blobs of
 * deleted files.
 */
export async function scanFile(ctx: Context, { gameId, fileId }: Payload, attempt: Attempt): Promise<void> {
  const file = await findFile(ctx.db, gameId, fileId);
  if (file === null) return;
  const state = isSettled(file.scan_state) ? file.scan_state : await scanNow(ctx, file, attempt);
  // The state is recorded first, so an offered file always has its blob.
  if (isSettled(state) && !isOffered(state)) await ctx.blobs.delete(file.blob_key);
}

async function scanNow(ctx: Context, file: FileRow, attempt: Attempt): Promise<ScanState> {
  await transact(ctx.db, (tx) =>
    recordScan(tx, file, { state: 'scanning', engine: null, signatureVersion: null, detail: null }),
  );
  const begun = performance.now();
  try {
    return await conclude(ctx, file, await examineFile(ctx, file), begun);
  } catch (error) {
    if (!(error instanceof ScannerUnavailableError) || attempt.last)
      return conclude(ctx, file, failureOf(error, 'zip'), begun);
    ctx.metrics.scanRetries.inc();
    const detail = `The scanner could not be reached (attempt ${attempt.number}). The scan will be retried.`;
    await transact(ctx.db, (tx) =>
      recordScan(tx, file, { state: 'pending', engine: null, signatureVersion: null, detail }),
    );
    throw error;
  }
}

async function examineFile(ctx: Context, file: FileRow): Promise<Examination> {
  const build = await findBuild(ctx.db, file.game_id, file.build_id);
  return examineBlob(ctx, { key: file.blob_key, size: file.size, content: 'zip', os: build?.os });
}

async function conclude(ctx: Context, file: FileRow, examination: Examination, begun: number): Promise<ScanState> {
  const state = STATES[examination.outcome];
  const { engine, signatureVersion, detail, entries } = examination;
  const moved = await transact(ctx.db, async (tx) => {
    if (!(await recordScan(tx, file, { state, engine, signatureVersion, detail }))) return false;
    await recordEntries(tx, file, entries);
    const build = await findBuild(tx, file.game_id, file.build_id);
    if (build === null) return false;
    if (isOffered(state)) return advanceChannel(tx, ctx.clock.now(), build);
    await raiseAlerts(tx, file.game_id, [rejectionOf(ctx, file, build, detail)]);
    return false;
  });
  ctx.metrics.scans.observe({ state }, secondsSince(begun));
  ctx.log.info({ game: file.game_id, file: file.file_id, state, detail, moved }, 'scan ended');
  return state;
}

function rejectionOf({ clock }: Context, { file_id, filename }: FileRow, build: Build, detail: string | null): Alert {
  const { build_id, version, os, arch } = build;
  return {
    kind: 'upload_rejected',
    subject: file_id,
    happenedAt: clock.now(),
    data: { build_id, version, os, arch, filename, detail: detail ?? '' },
  };
}
