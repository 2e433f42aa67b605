// Patches between two files that a test stores itself, without the job that makes them.
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { bytesOfBuffer } from '../../src/kernel/blobs/byte-source.ts';
import { changed } from '../../src/kernel/database/db.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import type { Pair } from '../../src/ship/patches/patches.sql.ts';
import type { TestServer } from './server.ts';

/** Replaces what there is for the pair. */
export async function addPatch(
  { ctx }: TestServer,
  { gameId, fileId, fromFileId }: Pair,
  { pack, difference, blocks }: { pack: Buffer; difference: Buffer; blocks: number },
): Promise<void> {
  const store = async (bytes: Buffer, kind: string) => {
    const key = `patches/${gameId}/${newId()}.${kind}`;
    await ctx.blobs.put(key, bytesOfBuffer(bytes));
    return { key, size: bytes.length, sha256: hash('sha256', bytes) };
  };
  const [made, changes] = [await store(pack, 'pack'), await store(difference, 'difference')];
  await changed(
    ctx.db,
    sql`insert into file_differences (game_id, file_id, from_file_id, state, difference_key, difference_size,
        difference_sha256, blocks_size, pack_key, pack_size, pack_sha256)
      values (${gameId}, ${fileId}, ${fromFileId}, 'made', ${changes.key}, ${changes.size}, ${changes.sha256},
        ${blocks}, ${made.key}, ${made.size}, ${made.sha256})
      on conflict (game_id, file_id, from_file_id) do update set state = 'made', reason = null,
        difference_key = excluded.difference_key, difference_size = excluded.difference_size,
        difference_sha256 = excluded.difference_sha256, blocks_size = excluded.blocks_size,
        pack_key = excluded.pack_key, pack_size = excluded.pack_size, pack_sha256 = excluded.pack_sha256`,
  );
}
