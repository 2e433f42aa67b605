// The front door of backups: what operators' commands use.
import type { Context } from '../../context.ts';
import { areDeletionsLocked } from '../../kernel/blobs/held-deletions.ts';
import * as backup from './backup.ts';
import * as copying from './copy-blobs.ts';
import * as manifest from './manifest.ts';
import * as restoring from './restore.ts';
import { type LatestRuns, readLatestRuns } from './runs.sql.ts';
import * as verification from './verify.ts';

export const { BackupError } = manifest;
export const { backUp } = backup;
export const { restore, verifyBackup } = restoring;
export const { verifyBlobs } = verification;
export const { copyBlobs } = copying;

/** The newest runs of backups, for monitoring. */
export async function readLatestBackups({ db, clock }: Context): Promise<LatestRuns> {
  return readLatestRuns(db, { isRunning: await areDeletionsLocked(db), now: clock.now() });
}
