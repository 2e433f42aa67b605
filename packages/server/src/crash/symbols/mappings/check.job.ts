// Checks one stored mapping in a thread with limited time and memory: stored → compiled or unreadable. Then reports
// without it are processed again.
import { MIB } from '@chauffeur/contract/limits';
import type { MappingKind } from '@chauffeur/sentry/mappings/mapping-kind';
import type { Context } from '../../../context.ts';
import { BlobMissingError, type BlobSettings } from '../../../kernel/blobs/store.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/database/db.ts';
import { type Attempt, bindJob } from '../../../kernel/jobs/jobs.ts';
import { runInThread, ThreadCrashError, ThreadTimeoutError } from '../../../kernel/threads/threads.ts';
import * as sql from './mappings.sql.ts';
import { type ContentPayload, checkMappingJob, enqueueMappingsArrived } from './store-mapping.ts';

export const checkMappingBinding = bindJob(checkMappingJob, checkMapping);

/** Safe to run twice: a content that was checked is skipped. The sweep deletes the blob of one that can't be used. */
export async function checkMapping(
  ctx: Context,
  { gameId, checksum }: ContentPayload,
  attempt: Attempt,
): Promise<void> {
  const content = await sql.findUnchecked(ctx.db, gameId, checksum);
  if (content === undefined) return;
  const { kind, blob_key: blobKey, size } = content;
  const problem = await findProblem(ctx, { kind, blobKey, size, isLast: attempt.last });
  await transact(ctx.db, async (tx) => {
    if (!(await sql.recordChecked(tx, gameId, { checksum, blobKey }, problem))) return;
    if (problem === null) await enqueueMappingsArrived(tx, gameId, checksum);
  });
}

export type CheckInput = {
  readonly blobSettings: BlobSettings;
  readonly kind: MappingKind;
  readonly blobKey: string;
};

/** Why it can't be used, as a clause; null if it can. */
export type CheckResult = { readonly problem: string | null };

const THREAD = new URL('./check.thread.ts', import.meta.url);
/** What decoding and resolving may take. A map of 100 MB takes a third of it. */
export const MAPPING_HEAP_MB = 1024;
const MAX_BUFFER_MB = 512;
const BASE_TIME = 20 * SECOND;
const TIME_PER_MIB = 300;

async function findProblem(
  ctx: Context,
  { kind, blobKey, size, isLast }: { kind: MappingKind; blobKey: string; size: number; isLast: boolean },
): Promise<string | null> {
  try {
    const { problem } = await runInThread<CheckResult>(
      THREAD,
      { blobSettings: ctx.blobs.settings, kind, blobKey } satisfies CheckInput,
      {
        timeoutMs: BASE_TIME + TIME_PER_MIB * (size / MIB),
        maxHeapMb: MAPPING_HEAP_MB,
        maxBufferMb: MAX_BUFFER_MB,
      },
      [BlobMissingError],
    );
    return problem === null ? null : `The file can't be used: ${problem}.`;
  } catch (error) {
    const problem = reasonOf(error) ?? (isLast ? 'The file could not be checked. Upload it again.' : null);
    if (problem === null) throw error;
    ctx.log.warn({ err: error, key: blobKey }, 'a mapping could not be checked');
    return problem;
  }
}

/** The reason for an error that a retry cannot fix; null for all others. */
function reasonOf(error: unknown): string | null {
  if (error instanceof BlobMissingError) return 'The stored file is missing. Upload it again.';
  if (error instanceof ThreadCrashError && error.reason === 'memory')
    return 'Reading the file ran out of memory; it may be malformed or malicious.';
  if (error instanceof ThreadTimeoutError) return 'Reading the file timed out; it may be malformed or malicious.';
  return null;
}
