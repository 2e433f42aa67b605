// Finds data that a refused upload must not leave behind.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { onlyRow } from '../../src/kernel/database/db.ts';
import type { TestGame, TestServer } from './server.ts';

export type Leftovers = {
  /** Names of the game's blobs, including incomplete ones. */
  blobs: string[];
  files: number;
  sessions: number;
};

/** Returns the stored data of the game's uploads. */
export async function leftoversOf(server: TestServer, game: TestGame): Promise<Leftovers> {
  const counts = await onlyRow(
    server.ctx.db,
    sql<{ files: number; sessions: number }>`select
      (select count(*) from files where game_id = ${game.uid}) as files,
      (select count(*) from upload_sessions where game_id = ${game.uid}) as sessions`,
  );
  return { blobs: await blobsOf(server, game), ...counts };
}

/** Fails if any data of the game's uploads is stored. */
export async function assertNothingLeft(server: TestServer, game: TestGame): Promise<void> {
  assert.deepEqual(await leftoversOf(server, game), { blobs: [], files: 0, sessions: 0 });
}

async function blobsOf(server: TestServer, game: TestGame): Promise<string[]> {
  try {
    return await readdir(join(server.dataFolder, 'blobs', 'files', game.uid));
  } catch (error) {
    // The folder is created with the first blob.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
