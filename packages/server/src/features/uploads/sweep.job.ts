// Removes what uploads left behind: sessions whose time is over, and blobs of processes that died in the middle of one.
import type { Context } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs.ts';
import { isAlive } from '../../kernel/presence.ts';
import { existingFiles } from '../files/files.ts';
import { dropSession } from './session-lock.ts';
import * as sessions from './uploads.sql.ts';

export const sweepSessionsJob = defineJob<object>('uploads:sweep-sessions', 3);
export const sweepBlobsJob = defineJob<object>('uploads:sweep-blobs', 3);

const BATCH = 500;
/** An upload that is still being written is touched far more often than this. */
const ORPHAN_HOURS = 24;

/** Deletes expired sessions, with their bytes unless they became a file. */
export async function sweepSessions(ctx: Context): Promise<void> {
  for (const session of await sessions.listExpired(ctx.db, ctx.clock.now(), BATCH)) {
    const { lock_process: holder } = session;
    // A chunk that began in time is left to end; it will find the session gone or be swept the next time.
    if (holder !== null && session.finished_at === null && (await isAlive(ctx.db, holder))) continue;
    if (session.finished_at === null) await dropSession(ctx, session);
    else await sessions.deleteSession(ctx.db, session);
  }
}

/** Deletes blobs that belong to neither a file nor a session and have not been written to for a day. */
export async function sweepBlobs(ctx: Context): Promise<void> {
  const before = ctx.clock.now().getTime() - ORPHAN_HOURS * HOUR;
  let batch: string[] = [];
  for await (const { key, modifiedAt } of ctx.blobs.list('files/')) {
    if (modifiedAt.getTime() < before) batch.push(key);
    if (batch.length >= BATCH) {
      await deleteOrphans(ctx, batch);
      batch = [];
    }
  }
  await deleteOrphans(ctx, batch);
}

async function deleteOrphans(ctx: Context, keys: readonly string[]): Promise<void> {
  const fileIds = keys.map(fileIdOf);
  const known = (await existingFiles(ctx.db, fileIds)).union(await sessions.sessionFiles(ctx.db, fileIds));
  for (const key of keys.filter((candidate) => !known.has(fileIdOf(candidate)))) {
    ctx.log.info({ key }, 'removing a blob that no upload finished');
    await ctx.blobs.delete(key);
  }
}

function fileIdOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1, -'.zip'.length);
}
