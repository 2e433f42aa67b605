// Writes games that can be listed directly into the database, because tests of shelves need many of different ages and
// kinds.
import { sql } from 'kysely';
import { changed, type Tx, transact } from '../../src/kernel/database/db.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { createAccount } from './create-account.ts';
import type { TestServer } from './server.ts';

export type Seed = {
  name: string;
  visibility: 'public' | 'invisible' | 'draft';
  publishedAt: Date;
  tagline: string;
  description: string;
  images: readonly string[];
  platforms: readonly { os: string; arch: string }[];
  channel: string;
  /** The size of the file in bytes. */
  size: number;
  scanState: string;
  uploadedAt: Date;
  movedAt: Date;
  expiresAt: Date | null;
};

export type SeededGame = { uid: string; slug: string; buildIds: string[] };

/** Creates an account that can own seeded games. Returns its id. */
export async function makeOwner(server: TestServer, { verified = true } = {}): Promise<string> {
  const account = { email: `owner-${newId()}@example.com`, password: 'correct horse battery', name: 'Ann' };
  return (await createAccount(server, { ...account, verified })).id;
}

/**
 * Creates a complete public game, published now, with a clean file for Linux on stable; `changes` replace properties.
 */
export async function seedGame(server: TestServer, ownerId: string, changes: Partial<Seed> = {}): Promise<SeededGame> {
  const now = server.ctx.clock.now();
  const seed: Seed = {
    name: 'A Game',
    visibility: 'public',
    publishedAt: now,
    tagline: 'Quietly good',
    description: 'A long walk.',
    images: ['cover', 'thumbnail', 'screenshot'],
    platforms: [{ os: 'linux', arch: 'x86_64' }],
    channel: 'stable',
    size: 1000,
    scanState: 'clean',
    uploadedAt: now,
    movedAt: now,
    expiresAt: null,
    ...changes,
  };
  const uid = newId();
  const buildIds = await transact(server.ctx.db, async (tx) => {
    await insertGame(tx, uid, ownerId, seed);
    for (const kind of seed.images) await insertImage(tx, uid, kind);
    const ids: string[] = [];
    for (const platform of seed.platforms) ids.push(await insertOffer(tx, uid, platform, seed));
    return ids;
  });
  return { uid, slug: slugOf(uid), buildIds };
}

/** Moves the channel on Linux to the game's first build, like a promotion without an expiry. */
export async function promote(server: TestServer, game: SeededGame, channel: string, movedAt: Date): Promise<void> {
  const [buildId = ''] = game.buildIds;
  const place = { buildId, os: 'linux', arch: 'x86_64', channel };
  await transact(server.ctx.db, (tx) => insertMove(tx, game.uid, place, movedAt, null));
}

const slugOf = (uid: string) => `game-${uid}`;

async function insertGame(tx: Tx, uid: string, ownerId: string, seed: Seed): Promise<void> {
  await changed(
    tx,
    sql`insert into games (game_id, owner_id, name, slug, visibility, tagline, description, published_at)
      values (${uid}, ${ownerId}, ${seed.name}, ${slugOf(uid)}, ${seed.visibility}, ${seed.tagline}, ${seed.description},
        ${seed.publishedAt})`,
  );
}

async function insertImage(tx: Tx, uid: string, kind: string): Promise<void> {
  const id = newId();
  await changed(
    tx,
    sql`insert into media (game_id, media_id, kind, position, filename, content_type, width, height, size, blob_key)
      values (${uid}, ${id}, ${kind}, 0, 'a.png', 'image/png', 1280, 720, 1000, ${`media/${uid}/${id}.png`})`,
  );
}

async function insertOffer(tx: Tx, uid: string, { os, arch }: { os: string; arch: string }, seed: Seed) {
  const buildId = newId();
  await changed(
    tx,
    sql`insert into builds (game_id, build_id, version, build_type, os, arch, channel, title, description, changelog)
      values (${uid}, ${buildId}, '1.0', 'game', ${os}, ${arch}, ${seed.channel}, '1.0', '', '[]')`,
  );
  await insertFile(tx, uid, buildId, seed);
  await insertMove(tx, uid, { buildId, os, arch, channel: seed.channel }, seed.movedAt, seed.expiresAt);
  return buildId;
}

/** Inserts a file of the build, as after an upload and its scan. */
export async function insertFile(
  tx: Tx | TestServer['ctx']['db'],
  uid: string,
  buildId: string,
  { size, scanState, uploadedAt }: Pick<Seed, 'size' | 'scanState' | 'uploadedAt'>,
): Promise<void> {
  const id = newId();
  await changed(
    tx,
    sql`insert into files (game_id, file_id, build_id, filename, size, checksum, blob_key, origin, scan_state, uploaded_at)
      values (${uid}, ${id}, ${buildId}, 'game.zip', ${size}, ${'0'.repeat(64)}, ${`files/${id}`},
        ${JSON.stringify({ type: 'deploy_key', key_ref: 'abcdefgh' })}, ${scanState}, ${uploadedAt})`,
  );
}

async function insertMove(
  tx: Tx,
  uid: string,
  { buildId, os, arch, channel }: { buildId: string; os: string; arch: string; channel: string },
  movedAt: Date,
  expiresAt: Date | null,
): Promise<void> {
  const moveId = newId();
  const before = sql`(select build_id from channel_pointers join channel_moves using (game_id, move_id)
    where game_id = ${uid} and channel_pointers.channel = ${channel} and channel_pointers.os = ${os} and channel_pointers.arch = ${arch})`;
  await changed(
    tx,
    sql`insert into channel_moves
        (game_id, move_id, channel, os, arch, action, build_id, previous_build_id, expires_at, moved_by, moved_at)
      values (${uid}, ${moveId}, ${channel}, ${os}, ${arch}, 'promote', ${buildId}, ${before}, ${expiresAt}, 'Ann', ${movedAt})`,
  );
  await changed(
    tx,
    sql`insert into channel_pointers (game_id, channel, os, arch, move_id) values (${uid}, ${channel}, ${os}, ${arch}, ${moveId})
      on conflict (game_id, channel, os, arch) do update set move_id = excluded.move_id`,
  );
}
