// The signed statement of what a channel offers: what it says, and that its serial grows with each change.
import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { unpackManifest } from '@chauffeur/deltas/manifest';
import { sql } from 'kysely';
import { HOUR } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { raiseSerialsByGame } from '../src/ship/channels/raise-serials.job.ts';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { formOf, shipAndScan, smallZip, untilScanned, upload, uploadFields } from './setup/uploads.ts';

let server: TestServer;
let now = new Date();
before(async () => {
  server = await startServer({ clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_READS: '0' } });
});
after(() => server.stop());

type Stated = {
  game: string;
  channel: string;
  os: string;
  arch: string;
  build: string;
  file: string;
  size: number;
  zip: string;
  manifest: string | null;
  serial: number;
  issued_at: string;
};
type Offered = {
  version: string;
  build_id: string;
  file_uid: string;
  size: number;
  checksum: string;
  statement: string;
  signature: string;
};
type Update = { running: object | null; update: boolean; offered: Offered | null; changelog: { version: string }[] };

const LINUX = { os: 'linux', arch: 'x86_64' };

const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
  callApi(server, owner, method, `/games/${game.uid}${path}`, body);

async function ask({ game }: OwnedGame, query: Record<string, string> = LINUX): Promise<Update> {
  const path = `/public/games/${game.uid}/updates?${new URLSearchParams(query)}`;
  const { status, body } = await callApi(server, {}, 'GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data as Update;
}

function read({ statement }: Offered): Stated {
  return JSON.parse(Buffer.from(statement, 'base64url').toString());
}

async function serialOf(studio: OwnedGame): Promise<number> {
  return read((await ask(studio)).offered!).serial;
}

/** Version 1 on stable and 2 on beta. */
async function withVersions() {
  const studio = await makeOwnedGame(server);
  const first = await shipAndScan(server, studio.game, { version: '1' });
  const second = await shipAndScan(server, studio.game, { version: '2', channel: 'beta' });
  return { studio, first, second };
}

/** Another file for a build that has one. */
async function uploadAgain({ game }: OwnedGame, buildId: string, content: string, channel = 'stable'): Promise<void> {
  const zip = smallZip('game.txt', Buffer.from(content));
  const { status, body } = await upload(server, game, formOf({ ...uploadFields(buildId, zip), channel }, zip));
  assert.ok(status < 300, JSON.stringify(body));
  await untilScanned(server, game, body.data.file_uid);
}

describe('the statement', () => {
  test('names what is offered by its hashes, and is signed with a published key', async () => {
    const { studio, first } = await withVersions();
    const { offered } = await ask(studio, { build_id: first.buildId });
    const { serial, issued_at, manifest, ...stated } = read(offered!);
    assert.deepEqual(stated, {
      ...{ game: studio.game.uid, channel: 'stable', os: 'linux', arch: 'x86_64' },
      ...{ build: first.buildId, file: first.fileUid, size: offered!.size, zip: offered!.checksum },
    });
    assert.ok(Number.isSafeInteger(serial) && serial > 1_700_000_000);
    assert.equal(issued_at, now.toISOString());
    const files = `${server.api}/public/games/${studio.game.uid}/files/${first.fileUid}`;
    const packed = Buffer.from(await (await fetch(`${files}/manifest`)).arrayBuffer());
    assert.equal(manifest, createHash('sha256').update(unpackManifest(packed)).digest('hex'));

    const { keys } = await (await fetch(`${server.url}/.well-known/chauffeur-keys.json`)).json();
    const [keyId, signature = ''] = offered!.signature.split(' ');
    assert.equal(keyId, keys[0].key_id);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: keys[0].public_key }, format: 'jwk' });
    const message = Buffer.concat([
      Buffer.from('chauffeur statement 1\n'),
      Buffer.from(offered!.statement, 'base64url'),
    ]);
    assert.ok(verify(null, message, key, Buffer.from(signature, 'base64url')));
  });

  test('is there for a first installation, which needs an OS and an architecture instead of a build', async () => {
    const { studio } = await withVersions();
    const { running, update, offered, changelog } = await ask(studio);
    assert.deepEqual([running, update, read(offered!).os], [null, true, 'linux']);
    assert.deepEqual(
      changelog.map(({ version }) => version),
      ['1'],
    );
    assert.equal((await ask(studio, { os: 'windows', arch: 'x86_64' })).offered, null);
    for (const query of ['', 'os=linux', 'arch=x86_64', 'os=linux&arch=z80', 'build_id=&os=linux&arch=x86_64'])
      assert.deepEqual(
        statusOf(await callApi(server, {}, 'GET', `/public/games/${studio.game.uid}/updates?${query}`)),
        [400, 4002],
        query,
      );
  });

  test('a new installation is within the share of a rollout, unless that is paused', async () => {
    const { studio } = await withVersions();
    const { body } = await call(studio, 'POST', '/channels/stable/rollouts', {
      version: '2',
      steps: [{ share: 99 }],
      guards: [],
    });
    const devices = ['a', 'b', 'c', 'd'];
    const offers = () =>
      Promise.all(
        devices.map(async (device_uid) => (await ask(studio, { ...LINUX, device_uid })).offered?.version ?? ''),
      );
    assert.ok((await offers()).includes('2'));
    await call(studio, 'POST', `/rollouts/${body.data.rollout_id}/pause`);
    assert.deepEqual(new Set(await offers()), new Set(['1']));
  });

  test('an answer without a usable key still says what is offered', async () => {
    const other = await startServer();
    try {
      const studio = await makeOwnedGame(other);
      await shipAndScan(other, studio.game, { version: '1' });
      await changed(
        other.ctx.db,
        sql`insert into signing_keys (key_id, generation, public_key, sealed_private_key, created_at)
          values ('0123456789abcdef', 1, '\\x00', '\\x00', now())`,
      );
      const path = `/public/games/${studio.game.uid}/updates?os=linux&arch=x86_64`;
      const { status, body } = await callApi(other, {}, 'GET', path);
      assert.equal(status, 200);
      const { version, statement, signature } = body.data.offered;
      assert.deepEqual([version, statement, signature], ['1', null, null]);
    } finally {
      await other.stop();
    }
  });
});

describe('the serial', () => {
  test('grows with each change of what a channel offers, and with nothing else', async () => {
    const { studio, first, second } = await withVersions();
    let last = await serialOf(studio);
    const grows = async (name: string, change: () => Promise<unknown>) => {
      await change();
      const serial = await serialOf(studio);
      assert.ok(serial > last, `${name}: ${serial} after ${last}`);
      last = serial;
    };
    const post = (path: string, body?: object) => async () => {
      const answer = await call(studio, 'POST', path, body);
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer.body.data;
    };
    const started = post('/channels/stable/rollouts', { version: '2', steps: [{ share: 10 }], guards: [] });
    let rollout = '';
    const start = async () => {
      rollout = `/rollouts/${(await started()).rollout_id}`;
    };

    await grows('a newer file of the build', () => uploadAgain(studio, first.buildId, 'hello, again'));
    await grows('start', start);
    await grows('share', () => post(`${rollout}/share`, { share: 20 })());
    await grows('pause', () => post(`${rollout}/pause`)());
    await grows('resume', () => post(`${rollout}/resume`)());
    await grows('a newer file of the rollout', () => uploadAgain(studio, second.buildId, 'hello, some of you', 'beta'));
    await grows('abort', () => post(`${rollout}/abort`)());
    await grows('start again', start);
    await grows('finish', () => post(`${rollout}/finish`)());
    await grows('rollback', post('/channels/stable/rollback', {}));
    const promote = async () => (await post('/channels/stable/promote-version', { version: '2' })()).change_uid;
    let change = '';
    await grows('promote', async () => {
      change = await promote();
    });
    await grows('undo', () => post('/channels/stable/undo', { change_uid: change })());
    await grows('an upload', () => shipAndScan(server, studio.game, { version: '3' }));
    await grows('an expiry, and what ends it', async () => {
      await post('/channels/stable/promote-version', { version: '1', expires_in_hours: 1 })();
      now = new Date(now.getTime() + 2 * HOUR);
      assert.equal((await ask(studio)).offered, null);
      await promote();
    });
    await grows('a deletion, and what follows it', async () => {
      assert.equal((await call(studio, 'DELETE', `/builds/${second.buildId}`)).status, 200);
      assert.equal((await ask(studio)).offered, null);
      await post('/channels/stable/promote-version', { version: '1' })();
    });

    await shipAndScan(server, studio.game, { version: '4', channel: 'dev' });
    await post('/channels/beta/promote-version', { version: '4' })();
    await ask(studio, { ...LINUX, device_uid: 'x' });
    assert.equal(await serialOf(studio), last);
  });

  test('of a rollout on several platforms grows on all of them when one of them moves', async () => {
    const studio = await makeOwnedGame(server);
    for (const version of ['1', '2'])
      for (const os of ['linux', 'windows'])
        await shipAndScan(server, studio.game, { version, os, channel: version === '1' ? 'stable' : 'beta' });
    await call(studio, 'POST', '/channels/stable/rollouts', { version: '2', steps: [{ share: 10 }], guards: [] });
    const ofWindows = async () => read((await ask(studio, { os: 'windows', arch: 'x86_64' })).offered!).serial;
    const before = await ofWindows();
    await shipAndScan(server, studio.game, { version: '3', os: 'linux' });
    assert.ok((await ofWindows()) > before);
  });

  test('is that of one offer only, and never gets smaller, while channels, rollouts and files change at once', async () => {
    const { studio, first } = await withVersions();
    const seen = new Map<number, Set<string>>();
    let isOver = false;
    const watch = async () => {
      let last = 0;
      while (!isOver) {
        const { offered } = await ask(studio);
        const { serial, file } = read(offered!);
        assert.ok(serial >= last, `${serial} after ${last}`);
        last = serial;
        seen.set(serial, (seen.get(serial) ?? new Set()).add(file));
      }
    };
    const watchers = [1, 2, 3].map(watch);
    const repeat = async (times: number, work: (index: number) => Promise<unknown>) => {
      for (let index = 0; index < times; index += 1) await work(index);
    };
    const post = async (path: string, body?: object) => {
      const answer = await call(studio, 'POST', path, body);
      assert.ok(answer.status < 500, JSON.stringify(answer.body));
      return answer;
    };
    await Promise.all([
      repeat(12, () => post('/channels/stable/promote-version', { version: '2' })),
      repeat(12, () => post('/channels/stable/promote-version', { version: '1' })),
      repeat(12, () => post('/channels/stable/rollback', {})),
      repeat(6, (index) => uploadAgain(studio, first.buildId, `hello for the ${index}th time`)),
      repeat(12, async () => {
        const { status, body } = await post('/channels/stable/rollouts', {
          version: '2',
          steps: [{ share: 10 }],
          guards: [],
        });
        if (status === 201) await post(`/rollouts/${body.data.rollout_id}/abort`);
      }),
      repeat(3, () => raiseSerialsByGame(server.ctx)),
    ]);
    isOver = true;
    await Promise.all(watchers);
    assert.ok(seen.size > 10, `${seen.size} serials`);
    for (const [serial, files] of seen) assert.equal(files.size, 1, `${serial}: ${[...files]}`);
  });

  test('moves ahead of lost changes once a day', async () => {
    const { studio } = await withVersions();
    const before = await serialOf(studio);
    // What clients have seen before the database went back to an older state.
    await changed(
      server.ctx.db,
      sql`update channel_pointers set serial = serial - 1000 where game_id = ${studio.game.uid}`,
    );
    await raiseSerialsByGame(server.ctx);
    assert.ok((await serialOf(studio)) >= before);
  });
});
