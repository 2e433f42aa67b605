// Scans: the first look at a zip before its upload is answered, and the job that examines and scans all of it.
import type { Os } from '@chauffeur/contract/identity';
import type { Context } from '../../context.ts';
import { parseBlobSettings } from '../../kernel/blobs/open.ts';
import type { Tx } from '../../kernel/db.ts';
import { addJob } from '../../kernel/jobs.ts';
import * as inspect from './inspect.ts';
import { scanJob } from './scan.job.ts';

/** Enqueues the scan of a file, in the transaction that records it. */
export function enqueueScan(tx: Tx, file: { game_id: string; file_id: string }): Promise<void> {
  return addJob(tx, scanJob, { gameId: file.game_id, fileId: file.file_id });
}

/** Why the zip under `key` is refused for a build of `os`, a sentence with the remedy; null when its central directory keeps the rules. */
export function inspectZip(ctx: Context, key: string, os: Os): Promise<string | null> {
  return inspect.inspectZip(parseBlobSettings(ctx.config.blobs, ctx.config.dataFolder), key, os);
}
