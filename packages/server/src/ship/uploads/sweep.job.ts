// Deletes leftovers of uploads: expired sessions, and blobs of processes that died during an upload.
import type { Context } from '../../context.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { isAlive } from '../../kernel/processes/presence.ts';
import { existingFiles } from '../files/files.sql.ts';
import { dropSession } from './session-lock.ts';
import * as sessions from './uploads.sql.ts';

export const sweepSessionsJob = defineJob(
  'uploads:sweep-sessions',
  { attempts: 3, cron: '*/5 * * * *', lane: 'long', deletesOld: true },
  sweepSessions,
);
export const sweepBlobsJob = defineJob(
  'uploads:sweep-blobs',
  { attempts: 3, cron: '17 * * * *', lane: 'long', deletesOld: true },
  sweepBlobs,
);

const BATCH = 500;

/** Deletes expired sessions, with their bytes unless they became a file. */
export async function sweepSessions(ctx: Context): Promise<void> {
  for (const session of await sessions.listExpired(ctx.db, ctx.clock.now(), BATCH)) {
    const { lock_process: holder } = session;
    // A chunk is still arriving. The session is swept in a later run.
    if (holder !== null && session.finished_at === null && (await isAlive(ctx.db, holder))) continue;
    if (session.finished_at === null) await dropSession(ctx, session);
    else await sessions.deleteSession(ctx.db, session);
  }
}

/** Deletes blobs that belong to neither a file nor a session and have not been modified for a day. */
export function sweepBlobs(ctx: Context): Promise<void> {
  return sweepOrphans(ctx, 'files/', async (keys) => {
    const fileIds = keys.map(fileIdOf);
    const referenced = (await existingFiles(ctx.db, fileIds)).union(await sessions.sessionFiles(ctx.db, fileIds));
    return new Set(keys.filter((key) => referenced.has(fileIdOf(key))));
  });
}

function fileIdOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1, -'.zip'.length);
}
