// Event files for tests that need one, without events.

import { insertEventFile } from '../../src/analytics/events/files/event-files.sql.ts';
import { eventFileKey } from '../../src/analytics/events/files/file-key.ts';
import { HOUR } from '../../src/kernel/clock.ts';
import { transact } from '../../src/kernel/database/db.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import type { TestServer } from './server.ts';
import { sha256 } from './uploads.ts';

/** Stores a file of the hour before. Returns its id. */
export async function addEventFile({ ctx }: TestServer, gameId: string): Promise<string> {
  const now = ctx.clock.now();
  const hour = new Date(Math.floor(now.getTime() / HOUR - 1) * HOUR);
  const [fileId, key, bytes] = [newId(), eventFileKey(gameId, hour, 0), Buffer.from('PAR1')];
  const size = await ctx.blobs.put(key, bytesOf(bytes));
  const file = { fileId, hour, part: 0, key, size, sha256: sha256(bytes), events: 1 };
  await transact(ctx.db, (tx) => insertEventFile(tx, gameId, file, now));
  return fileId;
}

/** Bytes for the blob store. */
export async function* bytesOf(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}
