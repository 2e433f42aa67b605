// Scans: a quick check of a zip before its upload gets a response, and the job that scans all of it.
import type { Os } from '@chauffeur/contract/identity';
import type { Context } from '../../context.ts';
import type { Tx } from '../../kernel/database/db.ts';
import { addJob } from '../../kernel/jobs/jobs.ts';
import * as inspect from './inspect.ts';
import { scanJob } from './scan.job.ts';
import type { ZipRefusal } from './zip-rules.ts';

/** Enqueues the scan of a file, in the transaction that records it. */
export function enqueueScan(tx: Tx, file: { game_id: string; file_id: string }): Promise<void> {
  return addJob(tx, scanJob, { gameId: file.game_id, fileId: file.file_id });
}

/** Why the zip under `key` is refused for a build of `os`; null if its central directory passes the rules. */
export function inspectZip(ctx: Context, key: string, os: Os): Promise<ZipRefusal | null> {
  return inspect.inspectZip(ctx.blobs.settings, key, os);
}
