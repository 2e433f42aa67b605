// Patches: which are made, that clients make the new version from them, and what becomes of them.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { decodeManifest, unpackManifest } from '@chauffeur/deltas/manifest';
import { completeDraft, decodeDifference } from '@chauffeur/deltas/manifest-difference-reader';
import { planUpdate } from '@chauffeur/deltas/plan';
import { sql } from 'kysely';
import { updateByPack } from '../../deltas/test/update.ts';
import { openBlobStore } from '../src/kernel/blobs/open.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { makePair, planAll, planPatches, sweepPatches } from '../src/ship/patches/patches.ts';
import { callApi, makeOwnedGame, type OwnedGame } from './setup/api-calls.ts';
import { startS3 } from './setup/s3.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until, untilEqual } from './setup/until.ts';
import { sha256, shipAndScan } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

let now = new Date();
const CLOCK = { now: () => now };

type Content = Readonly<Record<string, Buffer>>;

const BASE = randomBytes(900_000);
const SCRIPT = Buffer.from('walk to the tower, then wait for the owl. '.repeat(9000));

/** A game whose large file and script differ a little in each version. */
function contentOf(version: number): Content {
  const large = Buffer.from(BASE);
  randomBytes(64).copy(large, 300_000 + 1000 * version);
  const script = Buffer.concat([SCRIPT, Buffer.from(`version ${version}`)]);
  return { 'data/large.pak': large, 'data/script.txt': script, 'readme.txt': Buffer.from('read me') };
}

const zipOf = (content: Content) =>
  buildZip(Object.entries(content).map(([name, data]) => ({ name, data, method: name.endsWith('.txt') ? 8 : 0 })));

type PairRow = { file_id: string; from_file_id: string; state: string; reason: string | null; unwanted: boolean };

async function pairsOf({ ctx }: TestServer, gameId: string): Promise<PairRow[]> {
  return rows(
    ctx.db,
    sql<PairRow>`select file_id, from_file_id, state, reason, unwanted_since is not null as unwanted
      from file_differences where game_id = ${gameId} order by file_id, from_file_id`,
  );
}

const pairOf = (rowsOfGame: readonly PairRow[], fileId: string, fromFileId: string) =>
  rowsOfGame.find(({ file_id, from_file_id }) => file_id === fileId && from_file_id === fromFileId);

function untilMade(server: TestServer, gameId: string, fileId: string, fromFileId: string): Promise<PairRow> {
  return until(async () => {
    const pair = pairOf(await pairsOf(server, gameId), fileId, fromFileId);
    return pair === undefined || pair.state === 'waiting' ? undefined : pair;
  });
}

async function get(server: TestServer, { game, owner }: OwnedGame, path: string, headers = {}) {
  const response = await fetch(`${server.api}/public/games/${game.uid}/files/${path}`, {
    headers: { ...owner, ...headers },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

const manifestOf = async (server: TestServer, studio: OwnedGame, fileId: string) => {
  const { bytes } = await get(server, studio, `${fileId}/manifest`);
  const unpacked = unpackManifest(bytes);
  return { manifest: decodeManifest(unpacked), sha256: Buffer.from(sha256(unpacked), 'hex') };
};

/** A game with these versions on stable, each shipped after the one before. */
async function withVersions(server: TestServer, count: number) {
  const studio = await makeOwnedGame(server);
  const versions = [];
  for (let version = 1; version <= count; version += 1) {
    const content = contentOf(version);
    now = new Date(now.getTime() + 1000);
    versions.push({ content, ...(await shipAndScan(server, studio.game, { version: `${version}` }, zipOf(content))) });
  }
  return { studio, versions, gameId: studio.game.uid };
}

async function withPair(server: TestServer) {
  const { versions, ...others } = await withVersions(server, 2);
  return { ...others, first: versions[0]!, second: versions[1]! };
}

const s3 = await startS3();

for (const place of ['a disk', 'S3'] as const) {
  describe(`with blobs on ${place}`, { skip: place === 'S3' && s3 === null && 'no S3 server' }, () => {
    let server: TestServer;
    before(async () => {
      if (place === 'S3') Object.assign(process.env, s3?.env);
      const env = place === 'S3' && s3 !== null ? { CHAUFFEUR_BLOBS: s3.url } : {};
      server = await startServer({ clock: CLOCK, env: { CHAUFFEUR_LIMIT_READS: '0', ...env } });
    });
    after(async () => {
      await server?.stop();
      if (place === 'S3') await s3?.stop();
    });

    test('a client with the version before makes the new one from the pack', async () => {
      const { first, second, studio, gameId } = await withPair(server);
      assert.equal((await untilMade(server, gameId, second.fileUid, first.fileUid)).state, 'made');
      const [old, next] = [
        await manifestOf(server, studio, first.fileUid),
        await manifestOf(server, studio, second.fileUid),
      ];
      const { response, bytes: pack } = await get(server, studio, `${second.fileUid}/patches/${first.fileUid}`);
      assert.equal(response.status, 200);
      assert.ok(pack.length < 3000, `${pack.length} bytes`);
      const tree = Object.fromEntries(Object.entries(first.content).map(([path, content]) => [path, { content }]));
      const { made } = updateByPack(tree, old.manifest, pack, next.sha256);
      assert.deepEqual([...made.keys()].sort(), ['data/large.pak', 'data/script.txt']);
      for (const [path, bytes] of made) assert.ok(bytes.equals(second.content[path]!), path);

      const difference = await get(server, studio, `${second.fileUid}/manifest-differences/${first.fileUid}`);
      assert.equal(difference.response.status, 200);
      const complete = completeDraft(decodeDifference(old.manifest, difference.bytes), new Map(), next.sha256);
      assert.deepEqual(complete.zip, next.manifest.zip);

      const { body } = await callApi(
        server,
        studio.owner,
        'GET',
        `/public/games/${gameId}/updates?build_id=${first.buildId}`,
      );
      const listed = await callApi(server, studio.owner, 'GET', `/games/${gameId}/channels`);
      assert.deepEqual(listed.body.data.channels[0].updates, [{ from_version: '1', bytes: pack.length }]);
      const { fetchedBytes } = planUpdate(old.manifest, next.manifest);
      assert.deepEqual((body.data as { offered: { sizes: unknown } }).offered.sizes, {
        patch: pack.length,
        blocks: difference.bytes.length + fetchedBytes,
        whole: zipOf(second.content).length,
      });
    });
  });
}

describe('on a server', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ clock: CLOCK, env: { CHAUFFEUR_LIMIT_READS: '0' } });
  });
  after(() => server.stop());

  const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
    callApi(server, owner, method, `/games/${game.uid}${path}`, body);

  test('the last three versions get patches, and what no channel needs is deleted an hour later', async () => {
    const { versions, gameId, studio } = await withVersions(server, 5);
    const ids = versions.map(({ fileUid }) => fileUid);
    const last = ids[4]!;
    for (const from of ids.slice(1, 4)) assert.equal((await untilMade(server, gameId, last, from)).state, 'made');
    await planPatches(server.ctx, { gameId });
    const wanted = (await pairsOf(server, gameId)).filter(({ unwanted }) => !unwanted);
    assert.deepEqual(wanted.map(({ from_file_id }) => from_file_id).sort(), ids.slice(1, 4).sort());
    assert.ok(wanted.every(({ file_id }) => file_id === last));
    assert.equal((await get(server, studio, `${last}/patches/${ids[0]}`)).response.status, 404);

    const keys = async () => (await Array.fromAsync(server.ctx.blobs.list(`patches/${gameId}/`))).length;
    await sweepPatches(server.ctx);
    assert.ok((await pairsOf(server, gameId)).some(({ unwanted }) => unwanted));
    now = new Date(now.getTime() + HOUR + 1000);
    await sweepPatches(server.ctx);
    assert.equal((await pairsOf(server, gameId)).length, 3);
    await untilEqual(keys, 6);
  });

  test('a rollback and a rollout get patches from what players have', async () => {
    const { first, second, gameId, studio } = await withPair(server);
    await untilMade(server, gameId, second.fileUid, first.fileUid);
    assert.equal((await call(studio, 'POST', '/channels/stable/rollback', {})).status, 200);
    assert.equal((await untilMade(server, gameId, first.fileUid, second.fileUid)).state, 'made');
    const third = await shipAndScan(server, studio.game, { version: '3', channel: 'beta' }, zipOf(contentOf(3)));
    const rollout = { version: '3', steps: [{ share: 10 }] };
    const { status, body } = await call(studio, 'POST', '/channels/stable/rollouts', rollout);
    assert.equal(status, 201, JSON.stringify(body));
    for (const from of [first, second])
      assert.equal((await untilMade(server, gameId, third.fileUid, from.fileUid)).state, 'made');
  });

  test('a file that is deleted takes its patches along, also while they are made', async () => {
    const { first, second, gameId, studio } = await withPair(server);
    await untilMade(server, gameId, second.fileUid, first.fileUid);
    await changed(
      server.ctx.db,
      sql`update file_differences set state = 'waiting', tries = 0 where game_id = ${gameId}`,
    );
    const pair = { gameId, fileId: second.fileUid, fromFileId: first.fileUid };
    const making = makePair(server.ctx, pair, { number: 1, last: false, signal: new AbortController().signal });
    assert.equal((await call(studio, 'DELETE', `/builds/${first.buildId}`)).status, 200);
    await making;
    assert.deepEqual(await pairsOf(server, gameId), []);
    now = new Date(now.getTime() + 25 * HOUR);
    await sweepPatches(server.ctx);
    assert.deepEqual(await Array.fromAsync(server.ctx.blobs.list(`patches/${gameId}/`)), []);
  });

  test('the same job twice at once stores one pack, and a stopped one can run again', async () => {
    const { first, second, gameId } = await withPair(server);
    await untilMade(server, gameId, second.fileUid, first.fileUid);
    await changed(
      server.ctx.db,
      sql`update file_differences set state = 'waiting', tries = 0, difference_key = null, pack_key = null,
        pack_size = null where game_id = ${gameId}`,
    );
    const pair = { gameId, fileId: second.fileUid, fromFileId: first.fileUid };
    const attempt = (signal: AbortSignal) => ({ number: 1, last: false, signal });
    await assert.rejects(makePair(server.ctx, pair, attempt(AbortSignal.abort(new Error('the server stops')))));
    assert.equal((await pairsOf(server, gameId))[0]!.state, 'waiting');
    const { signal } = new AbortController();
    await Promise.all([makePair(server.ctx, pair, attempt(signal)), makePair(server.ctx, pair, attempt(signal))]);
    const row = await untilMade(server, gameId, second.fileUid, first.fileUid);
    assert.equal(row.state, 'made');
    await makePair(server.ctx, pair, attempt(signal));
    assert.deepEqual(await pairsOf(server, gameId), [row]);
  });

  test('a job that ended with its process three times is given up', async () => {
    const { first, second, gameId } = await withPair(server);
    await untilMade(server, gameId, second.fileUid, first.fileUid);
    await changed(
      server.ctx.db,
      sql`update file_differences set state = 'waiting', tries = 3 where game_id = ${gameId}`,
    );
    const pair = { gameId, fileId: second.fileUid, fromFileId: first.fileUid };
    await makePair(server.ctx, pair, { number: 1, last: false, signal: new AbortController().signal });
    assert.deepEqual(
      (await pairsOf(server, gameId)).map(({ state, reason }) => [state, reason]),
      [['none', 'failed']],
    );
  });

  test('a zip that does not have what its manifest says gets no patch, and only that', async () => {
    const { first, second, gameId } = await withPair(server);
    await untilMade(server, gameId, second.fileUid, first.fileUid);
    await changed(
      server.ctx.db,
      sql`update file_differences set state = 'waiting', tries = 0 where game_id = ${gameId}`,
    );
    const zip = zipOf(second.content);
    const store = openBlobStore(server.ctx.blobs.settings);
    // A byte of the deflated script, and one of the stored file.
    for (const place of [zip.length - 300, 400_000]) {
      const damaged = Buffer.from(zip);
      damaged[place]! ^= 0xff;
      await store.putWhole(`files/${gameId}/${second.fileUid}.zip`, damaged);
      await changed(
        server.ctx.db,
        sql`update file_differences set state = 'waiting', tries = 0 where game_id = ${gameId}`,
      );
      const pair = { gameId, fileId: second.fileUid, fromFileId: first.fileUid };
      await makePair(server.ctx, pair, { number: 1, last: false, signal: new AbortController().signal });
      assert.equal((await pairsOf(server, gameId))[0]!.reason, 'failed');
    }
    await store.close();
  });

  test('another game’s file, and visitors of a draft, get nothing', async () => {
    const { first, second, gameId, studio } = await withPair(server);
    await untilMade(server, gameId, second.fileUid, first.fileUid);
    const other = await makeOwnedGame(server);
    const path = `${second.fileUid}/patches/${first.fileUid}`;
    assert.equal((await call(studio, 'PATCH', '', { visibility: 'draft' })).status, 200);
    assert.equal((await get(server, { ...studio, game: other.game }, path)).response.status, 404);
    assert.equal((await get(server, { ...studio, owner: other.owner }, path)).response.status, 404);
    assert.equal((await call(studio, 'PATCH', '', { visibility: 'public' })).status, 200);
    const open = await fetch(`${server.api}/public/games/${gameId}/files/${path}`, { headers: { range: 'bytes=0-3' } });
    assert.deepEqual([open.status, await open.text()], [206, 'CHMP']);
  });
});

test('patches take part in the quota, and make room for uploads', async () => {
  const server = await startServer({
    clock: CLOCK,
    env: { CHAUFFEUR_LIMIT_READS: '0', CHAUFFEUR_LIMIT_STORAGE_MB: '3' },
  });
  try {
    const studio = await makeOwnedGame(server);
    const gameId = studio.game.uid;
    // Always the same bytes, because it depends on them whether a pack is much smaller than the blocks that changed.
    const bytes = createHash('shake256', { outputLength: 1_100_000 }).update('bytes').digest();
    const versionOf = (inserted: number) => {
      const pak = [bytes.subarray(0, 500_000), bytes.subarray(1_000_000, 1_000_000 + inserted)];
      return buildZip([{ name: 'large.pak', data: Buffer.concat([...pak, bytes.subarray(500_000, 1_000_000)]) }]);
    };
    const first = await shipAndScan(server, studio.game, { version: '1' }, versionOf(0));
    const second = await shipAndScan(server, studio.game, { version: '2' }, versionOf(100_000));
    // The pack has 100,000 new bytes, the blocks have more.
    assert.equal((await untilMade(server, gameId, second.fileUid, first.fileUid)).state, 'made');
    const usage = async () => (await callApi(server, studio.owner, 'GET', `/games/${gameId}/usage`)).body.data.storage;
    const { patches_bytes: patches, used_bytes: used } = await usage();
    assert.ok(patches > 100_000);
    // It fits only without the pack.
    const left = 3 * 1024 * 1024 - used;
    const third = await shipAndScan(
      server,
      studio.game,
      { version: '3' },
      buildZip([{ name: 'other.pak', data: randomBytes(left + 50_000) }]),
    );
    assert.equal((await usage()).patches_bytes < 50_000, true);
    const pair = await untilMade(server, gameId, third.fileUid, second.fileUid);
    assert.equal(pair.state, 'none');
    await planAll(server.ctx);
    assert.ok((await usage()).used_bytes <= 3 * 1024 * 1024);
  } finally {
    await server.stop();
  }
});

test('a server that makes none says so in its settings', async () => {
  const server = await startServer({ clock: CLOCK, env: { CHAUFFEUR_PATCH_MB: '0' } });
  try {
    const { gameId } = await withVersions(server, 2);
    await planPatches(server.ctx, { gameId });
    assert.deepEqual(await pairsOf(server, gameId), []);
  } finally {
    await server.stop();
  }
});
