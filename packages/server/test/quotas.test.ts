// Quotas of single games on the real server: what they allow, who changed them, and the storage that operators see.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { MIB } from '@chauffeur/contract/limits';
import { setUserOperator } from '../src/people/accounts/accounts.ts';
import { forgetMessages } from './setup/alerts.ts';
import { callApi, statusOf } from './setup/api-calls.ts';
import { addPictures, named, picture } from './setup/images.ts';
import { mailTo } from './setup/mail.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';
import { sendSymbols, symText } from './setup/symbols.ts';
import { formOf, register, smallZip, startSession, upload, uploadFields } from './setup/uploads.ts';

type Listed = Record<string, number | string | null>;

describe('the quota of a game', () => {
  let server: TestServer;
  let headers: { cookie: string };
  before(async () => {
    server = await startServer({ env: { CHAUFFEUR_LIMIT_STORAGE_MB: '1', CHAUFFEUR_LIMIT_CRASH_MB: '3' } });
    const person = await makePlayer(server);
    await setUserOperator(server.ctx, person.email, true);
    headers = person.headers;
  });
  after(() => server.stop());

  const call = (method: string, path: string, body?: object) =>
    callApi(server, headers, method, `/operator${path}`, body);
  const setQuota = async (game: TestGame, storage_mb: number | null, crash_mb: number | null = null) => {
    const { status, body } = await call('PUT', `/games/${game.slug}/quota`, { storage_mb, crash_mb });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const send = async (game: TestGame, bytes: number) => {
    const buildId = await register(server, game, { version: randomBytes(8).toString('hex') });
    const zip = smallZip('noise.bin', randomBytes(bytes));
    return upload(server, game, formOf(uploadFields(buildId, zip), zip));
  };
  const usageOf = async (game: TestGame) => {
    const { body } = await request(`${server.api}/tool/info`, { headers: game.keyHeaders });
    return body.data.usage;
  };

  test('replaces the setting until it is removed, and every change is recorded', async () => {
    const game = await makeGame(server);
    assert.equal((await send(game, 1.5 * MIB)).status, 403);
    const { game: changed } = await setQuota(game, 2, 7);
    assert.deepEqual([changed.storage_limit_bytes, changed.crash_limit_bytes], [2 * MIB, 7 * MIB]);
    const usage = await usageOf(game);
    assert.deepEqual([usage.storage.limit_bytes, usage.crashes_today.bytes.limit], [2 * MIB, 7 * MIB]);
    assert.equal((await send(game, 1.5 * MIB)).status, 201);
    assert.equal((await send(game, 0.6 * MIB)).status, 403);
    await setQuota(game, 0, 7);
    assert.equal((await send(game, MIB)).status, 201);
    assert.equal((await usageOf(game)).storage.limit_bytes, 0);
    await setQuota(game, null);
    const { changes, game: last, defaults } = await setQuota(game, null);
    assert.deepEqual([last.storage_limit_bytes, last.storage_mb], [MIB, null]);
    assert.deepEqual(defaults, { storage_mb: 1, crash_mb: 3 });
    assert.deepEqual(
      changes.map(({ by, storage_mb, crash_mb }: Listed) => [by, storage_mb, crash_mb]),
      [
        ['Player', null, null],
        ['Player', 0, 7],
        ['Player', 2, 7],
      ],
    );
  });

  test('can be less than what is used: nothing is deleted, and uploads are refused with 4292', async () => {
    const game = await makeGame(server);
    await setQuota(game, 4);
    assert.equal((await send(game, 2 * MIB)).status, 201);
    const { game: changed } = await setQuota(game, 1);
    assert.ok(changed.used_bytes > 2 * MIB);
    const refused = await send(game, 1000);
    assert.deepEqual(statusOf(refused), [403, 4292]);
    assert.equal(refused.body.error?.data.limit_bytes, MIB);
    assert.ok((await usageOf(game)).storage.used_bytes > 2 * MIB);
  });

  test('warns the owner again when a new limit is nearly reached', async () => {
    const game = await makeGame(server);
    await send(game, 0.85 * MIB);
    await mailTo(server, game.owner.email, /85% of the storage used/);
    await setQuota(game, 2);
    await forgetMessages(server, game);
    await send(game, 0.95 * MIB);
    const mail = await mailTo(server, game.owner.email, /9\d% of the storage used/);
    assert.match(mail.text, /of 2\.0 MiB/);
  });

  test('is set by a command, too', async () => {
    const game = await makeGame(server);
    const run = (...args: string[]) =>
      runServerCommand(environmentOf(server), ['admin', 'game', 'quota', '--game', game.slug, ...args, '--json']);
    const set = await run('--storage-mb', '5');
    assert.equal(set.code, 0, set.stderr);
    const { storage_mb, crash_mb, storage_limit_bytes } = JSON.parse(set.stdout);
    assert.deepEqual([storage_mb, crash_mb, storage_limit_bytes], [5, 'default', 5 * MIB]);
    const [{ by }] = (await call('GET', `/games/${game.uid}/quota`)).body.data.changes;
    assert.equal(by, null);
    const wrong = await run('--crash-mb', '-1');
    assert.notEqual(wrong.code, 0);
    assert.match(wrong.stderr, /--crash-mb: use a whole number from 0 to 1000000000, or default/);
  });

  test('is refused if it is malformed, and for an unknown game', async () => {
    const game = await makeGame(server);
    for (const storage_mb of [-1, 1.5, '1', 1e10]) {
      const response = await call('PUT', `/games/${game.uid}/quota`, { storage_mb, crash_mb: null });
      assert.deepEqual(statusOf(response), [400, 4002], String(storage_mb));
    }
    const unknown = await call('PUT', '/games/no-such-game/quota', { storage_mb: 1, crash_mb: null });
    assert.deepEqual(statusOf(unknown), [404, 4040]);
  });

  test('does not get lost when two operators change it at the same time', async () => {
    const game = await makeGame(server);
    await Promise.all([1, 2, 3, 4].map((mb) => setQuota(game, mb)));
    const { game: last, changes } = (await call('GET', `/games/${game.uid}/quota`)).body.data;
    assert.equal(changes.length, 4);
    assert.equal(changes[0].storage_mb, last.storage_mb);
  });
});

test('operators see the storage of all games by kind, the largest first, and search it', async () => {
  const server = await startServer({ role: 'api' });
  try {
    const games = [await makeGame(server), await makeGame(server), await makeGame(server)] as const;
    const [small, large] = games;
    await setUserOperator(server.ctx, small.owner.email, true);
    const headers = await signIn(server, small.owner);
    const zip = smallZip('noise.bin', randomBytes(3000));
    const buildId = await register(server, large);
    assert.equal((await upload(server, large, formOf(uploadFields(buildId, zip), zip))).status, 201);
    assert.equal((await sendSymbols(server, large, buildId, symText({}))).status, 201);
    await startSession(server, small, zip);
    await addPictures(server, small, 'cover', [named('cover.jpg', await picture())]);
    const list = async (query: Record<string, string>) =>
      (await request(`${server.api}/operator/games?${new URLSearchParams(query)}`, { headers })).body.data;
    const { games: all } = await list({});
    assert.deepEqual(all.map(({ game_uid }: Listed) => game_uid).slice(0, 2), [large.uid, small.uid]);
    const [first, second, third] = all;
    assert.equal(first.builds_bytes, zip.length);
    assert.ok(first.symbols_bytes > 0 && first.used_bytes === first.builds_bytes + first.symbols_bytes);
    assert.deepEqual(
      [second.sessions_bytes, second.used_bytes, second.owner],
      [zip.length, zip.length, small.owner.email],
    );
    assert.ok(second.images_bytes > 0 && third.used_bytes === 0);
    const pages = [await list({ limit: '1' })];
    for (let page = pages[0]; page.next_cursor !== null; pages.push(page))
      page = await list({ limit: '1', cursor: page.next_cursor });
    assert.deepEqual(
      pages.flatMap((page) => page.games),
      all,
    );
    const found = await list({ search: large.slug.toUpperCase() });
    assert.deepEqual(found.games, [first]);
    assert.deepEqual((await list({ search: '%' })).games, []);
  } finally {
    await server.stop();
  }
});
