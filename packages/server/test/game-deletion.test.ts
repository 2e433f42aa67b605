// Deleting a game on the real server: hidden from everyone at once, then removed from every table and the blob store,
// despite interruptions and races.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { sql } from 'kysely';
import { DAY, HOUR } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import type { Attempt } from '../src/kernel/jobs/jobs.ts';
import { finishDeletions, removeGame } from '../src/team/game-deletion/game-deletion.ts';
import { callApi, type Session, statusOf } from './setup/api-calls.ts';
import { report } from './setup/crashes.ts';
import { send } from './setup/events.ts';
import { countRows, type FullGame, listBlobKeys, listBlobKeysOf, makeFullGame } from './setup/full-game.ts';
import { picture } from './setup/images.ts';
import { mailsTo } from './setup/mail.ts';
import {
  type ApiResponse,
  makeAdmin,
  makeGame,
  makePlayer,
  request,
  signIn,
  startServer,
  type TestServer,
} from './setup/server.ts';
import { sendSymbols, symText } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { formOf, sendChunk, smallZip, upload, uploadFields } from './setup/uploads.ts';
import { postVideo, readVideoFixture, videoForm } from './setup/videos.ts';

let server: TestServer;
let now = Date.now();
const RUN: Attempt = { number: 1, last: false, signal: new AbortController().signal };

before(async () => {
  // With the role api, no job runs unless a test runs it.
  server = await startServer({
    role: 'api',
    clock: { now: () => new Date(now) },
    env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0', CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' },
  });
});
after(() => server.stop());

const call = (headers: object, method: string, path: string, body?: object) =>
  callApi(server, headers, method, path, body);
const deletionOf = ({ game, name }: FullGame) => ({ name, password: game.owner.password });
const remove = (studio: FullGame, headers: Session = studio.owner) =>
  call(headers, 'POST', `/games/${studio.game.uid}/deletion`, deletionOf(studio));

/** Lists the MCP tools with the key that is limited to the game. */
function mcpOf({ agentKey }: FullGame): Promise<Response> {
  return fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${agentKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
}

async function finish(gameId: string): Promise<void> {
  await removeGame(server.ctx, { gameId }, RUN);
  now += HOUR;
  await finishDeletions(server.ctx, {}, RUN);
}

describe('deleting a game', () => {
  test('announces its consequences', async () => {
    const studio = await makeFullGame(server);
    const { status, body } = await call(studio.owner, 'GET', `/games/${studio.game.slug}/deletion`);
    assert.equal(status, 200);
    const { consequences, bytes, ...counts } = body.data;
    assert.ok(bytes > 0);
    assert.deepEqual(counts, {
      game_uid: studio.game.uid,
      name: studio.name,
      touches_players: true,
      builds: 2,
      files: 1,
      images: 1,
      videos: 1,
      symbols: 1,
      crash_reports: 2,
      bug_tickets: 1,
      events: 2,
      devices_30_days: 1,
      beta_members: 1,
      admins: 1,
      upload_sessions: 1,
    });
    assert.match(consequences[0], /Players can no longer find, download or play it/);
  });

  test('requires the owner, the typed name and the password, and otherwise does nothing', async () => {
    const studio = await makeFullGame(server);
    const path = `/games/${studio.game.uid}/deletion`;
    const stranger = await makePlayer(server);
    const { name, password } = deletionOf(studio);
    for (const [headers, body, expected] of [
      [studio.admin.headers, { name, password }, [403, 4031]],
      [stranger.headers, { name, password }, [404, 4040]],
      [{}, { name, password }, [401, 4011]],
      [studio.game.keyHeaders, { name, password }, [401, 4011]],
      [studio.owner, { name: studio.game.slug, password }, [400, 4002]],
      [studio.owner, { name: '', password }, [400, 4002]],
      [studio.owner, { password }, [400, 4002]],
      [studio.owner, { name, password: 'wrong' }, [403, 4236]],
      [studio.owner, { name }, [400, 4002]],
      [studio.owner, { name: 7, password }, [400, 4002]],
    ] as const)
      assert.deepEqual(statusOf(await call(headers, 'POST', path, body)), expected, JSON.stringify(body));
    assert.deepEqual(statusOf(await call(studio.admin.headers, 'GET', path)), [403, 4031]);
    await removeGame(server.ctx, { gameId: studio.game.uid }, RUN);
    now += 2 * HOUR;
    await finishDeletions(server.ctx, {}, RUN);
    assert.equal((await call(studio.owner, 'GET', `/games/${studio.game.uid}`)).status, 200);
    assert.equal((await countRows(server, studio.game.uid)).crash_reports, 2);
  });

  test('limits password attempts', async () => {
    const studio = await makeFullGame(server);
    const path = `/games/${studio.game.uid}/deletion`;
    await call(studio.owner, 'POST', path, { name: studio.name, password: 'a guess' });
    await changed(server.ctx.db, sql`update rate_counters set used = 20 where subject = ${studio.game.owner.id}`);
    assert.deepEqual(statusOf(await remove(studio)), [429, 4290]);
  });

  test('immediately hides the game and refuses its requests in every process, before any data is removed', async () => {
    const studio = await makeFullGame(server);
    const { game, buildId, session } = studio;
    const [other, created] = [
      await startServer({ role: 'api', clock: { now: () => new Date(now) }, shareWith: server }),
      await report({ server, game, buildId }, { has_dump: true }),
    ];
    const sender = { server: other, game, buildId };
    // This makes the other process cache the build.
    assert.equal((await send(sender, { event: 'quit' })).status, 202);
    assert.equal((await mcpOf(studio)).status, 200);
    const deleted = await remove(studio);
    assert.deepEqual([deleted.status, deleted.body.data], [202, { game_uid: game.uid, name: studio.name }]);
    for (const ref of [game.uid, game.slug])
      for (const path of ['', '/builds', '/crashes', '/channels', '/deletion', '/invitations'])
        assert.deepEqual(statusOf(await call(studio.owner, 'GET', `/games/${ref}${path}`)), [404, 4040], path);
    assert.deepEqual(statusOf(await call(studio.admin.headers, 'GET', `/games/${game.uid}`)), [404, 4040]);
    const { games } = (await call(studio.owner, 'GET', '/games')).body.data;
    assert.ok(!games.some(({ game_uid }: { game_uid: string }) => game_uid === game.uid));
    const store = `/public/games/${game.uid}`;
    for (const path of [
      store,
      `${store}/files/${studio.fileUid}/provenance`,
      `/public/media/${studio.imageUid}`,
      `/public/videos/${studio.videoUid}`,
    ])
      assert.equal((await call({}, 'GET', path)).status, 404, path);
    assert.equal((await fetch(`${server.url}/g/${game.slug}`)).status, 404);
    assert.deepEqual(statusOf(await call(game.keyHeaders, 'GET', '/tool/info')), [401, 4023]);
    const chunk = await sendChunk(server, game, session.id, session.zip, 1000, session.zip.length);
    assert.deepEqual(statusOf(chunk), [401, 4023]);
    assert.deepEqual(statusOf(await report({ server, game, buildId })), [403, 4030]);
    const { url } = created.body.data.uploads.dump;
    assert.deepEqual(statusOf(await request(url, { method: 'PUT', body: 'MDMP' })), [404, 4040]);
    const status = `/public/crashes/${created.body.data.id}?read_token=${created.body.data.read_token}`;
    assert.equal((await call({}, 'GET', status)).status, 404);
    for (const each of [sender, { ...sender, server }])
      assert.deepEqual(statusOf(await send(each, { event: 'quit' })), [403, 4030]);
    assert.equal((await fetch(`${studio.symbolsUrl}/libgame.so/0/libgame.so.sym`)).status, 404);
    assert.equal((await mcpOf(studio)).status, 401);
    const { approvals } = (await call(studio.owner, 'GET', '/approvals')).body.data;
    assert.deepEqual(approvals, []);
    assert.deepEqual(statusOf(await remove(studio)), [404, 4040]);
    assert.equal((await countRows(server, game.uid)).crash_reports, 3);
    await other.stop();
  });

  test('leaves no row and no blob of the game, and removes nothing of another game', async () => {
    const [studio, kept] = [await makeFullGame(server), await makeFullGame(server)];
    const { uid } = studio.game;
    const [before, blobs] = [await countRows(server, kept.game.uid), await listBlobKeysOf(server, kept.game.uid)];
    assert.ok(Object.keys(await countRows(server, uid)).length > 25, 'the game has rows in most tables');
    const former = await listBlobKeysOf(server, uid);
    for (const folder of ['files', 'media', 'videos', 'symbols', 'crashes'])
      assert.ok(
        former.some((key) => key.startsWith(`${folder}/`)),
        folder,
      );
    await remove(studio);
    await removeGame(server.ctx, { gameId: uid }, RUN);
    assert.deepEqual(await countRows(server, uid), { all_games: 1 });
    const left = await listBlobKeys(server);
    assert.deepEqual(
      former.filter((key) => left.includes(key)),
      [],
    );
    await removeGame(server.ctx, { gameId: uid }, RUN);
    now += HOUR;
    await finishDeletions(server.ctx, {}, RUN);
    assert.deepEqual(await countRows(server, uid), {});
    await finishDeletions(server.ctx, {}, RUN);
    assert.deepEqual(
      [await countRows(server, kept.game.uid), await listBlobKeysOf(server, kept.game.uid)],
      [before, blobs],
    );
    const [counters] = await rows(
      server.ctx.db,
      sql<{ count: number }>`select count(*) as count from rate_counters where subject = ${uid}`,
    );
    assert.equal(counters?.count, 0);
  });

  test('is completed by a later run, wherever an earlier one was interrupted', async () => {
    const studio = await makeFullGame(server);
    const { uid } = studio.game;
    const former = await listBlobKeysOf(server, uid);
    await remove(studio);
    let interruptions = 0;
    for (; ; interruptions += 1) {
      let steps = interruptions;
      const signal = {
        throwIfAborted() {
          if (steps === 0) throw new Error('stopped');
          steps -= 1;
        },
      } as AbortSignal;
      const isCut = await removeGame(server.ctx, { gameId: uid }, { ...RUN, signal }).then(
        () => false,
        (error: Error) => error.message === 'stopped',
      );
      if (!isCut) break;
    }
    assert.ok(interruptions > 25, `${interruptions} interruptions`);
    assert.deepEqual(await countRows(server, uid), { all_games: 1 });
    const left = await listBlobKeys(server);
    assert.deepEqual(
      former.filter((key) => left.includes(key)),
      [],
    );
  });

  test('ends concurrent uploads, reports, events and changes without a server error and leaves none of their data', async () => {
    const studio = await makeFullGame(server);
    const { game, buildId, owner } = studio;
    const [sender, zip] = [{ server, game, buildId }, smallZip('race.bin', Buffer.alloc(300_000, 2))];
    const [image, video] = [await picture(), await readVideoFixture('vp9.mp4')];
    const responses: ApiResponse[] = [];
    const isGone = () => responses.some(({ status }) => [401, 403, 404].includes(status));
    const again = async (work: (no: number) => Promise<ApiResponse>) => {
      for (let no = 0; no < 200; no += 1) {
        const response = await work(no);
        responses.push(response);
        if ([401, 403, 404].includes(response.status)) return;
      }
    };
    const work = Promise.all([
      again(() => report(sender, { message: 'raced', has_dump: true })),
      again((no) => send(sender, { events: [{ event: 'boot_ok', device_uid: `d${no}`, event_id: `r${no}` }] })),
      again(() =>
        upload(
          server,
          game,
          formOf({ ...uploadFields(buildId, zip), os: 'linux', arch: 'x86_64', channel: 'beta' }, zip),
        ),
      ),
      again((no) => sendSymbols(server, game, buildId, symText({ f: `f${no}()` }))),
      again(async () => {
        const form = new FormData();
        form.append('kind', 'cover');
        form.append('file', new Blob([image as Uint8Array<ArrayBuffer>]), 'cover.jpg');
        return request(`${server.api}/tool/media`, { method: 'POST', headers: game.keyHeaders, body: form });
      }),
      again(() => postVideo(server, game, videoForm(video))),
      again((no) => call(owner, 'PATCH', `/games/${game.uid}`, { tagline: `Line ${no}` })),
      again((no) =>
        call(game.keyHeaders, 'POST', '/tool/upload/build', { version: `r${no}`, os: 'linux', arch: 'x86_64' }),
      ),
      again(() => call(owner, 'POST', `/games/${game.uid}/deploy-keys`)),
    ]);
    await until(async () => responses.length > 12);
    const deletions = await Promise.all([remove(studio), remove(studio)]);
    assert.deepEqual(deletions.map(({ status }) => status).toSorted(), [202, 404]);
    await removeGame(server.ctx, { gameId: game.uid }, RUN);
    await work;
    assert.ok(isGone());
    assert.deepEqual(
      responses.filter(({ status }) => status >= 500).map(({ body }) => body),
      [],
    );
    await finish(game.uid);
    assert.deepEqual(await countRows(server, game.uid), {});
    assert.deepEqual(await listBlobKeysOf(server, game.uid), []);
    const referenced = await rows(
      server.ctx.db,
      sql<{ key: string }>`select unnest(array[dump_key, log_key, stack_key]) as key from crash_reports`,
    );
    const keys = new Set(referenced.map(({ key }) => key));
    assert.deepEqual(
      (await listBlobKeys(server)).filter((key) => key.startsWith('crashes/') && !keys.has(key)),
      [],
    );
  });

  test('reserves the slug for the former owner for 90 days, unless the game was never public', async () => {
    const studio = await makeFullGame(server);
    const { slug } = studio.game;
    const stranger = await makePlayer(server);
    const draft = (await call(studio.owner, 'POST', '/games', { name: 'Draft' })).body.data;
    const { password } = deletionOf(studio);
    await call(studio.owner, 'POST', `/games/${draft.game_uid}/deletion`, { name: 'Draft', password });
    assert.equal((await call(stranger.headers, 'POST', '/games', { name: 'Any', slug: draft.slug })).status, 201);
    await remove(studio);
    const taken = await call(stranger.headers, 'POST', '/games', { name: 'Any', slug });
    assert.deepEqual(statusOf(taken), [400, 4002]);
    assert.match(taken.body.error?.message ?? '', /^slug: .*reserved for its owner/);
    const named = (await call(stranger.headers, 'POST', '/games', { name: slug })).body.data;
    assert.equal(named.slug, `${slug}-2`);
    const renamed = await call(stranger.headers, 'PATCH', `/games/${named.game_uid}`, { slug });
    assert.deepEqual(statusOf(renamed), [400, 4002]);
    const own = await call(studio.owner, 'POST', '/games', { name: 'Again', slug });
    assert.equal(own.status, 201);
    await call(studio.owner, 'PATCH', `/games/${own.body.data.game_uid}`, { slug: `${slug}-own` });
    now += 90 * DAY;
    assert.equal((await call(stranger.headers, 'PATCH', `/games/${named.game_uid}`, { slug })).status, 200);
  });

  test('notifies every member by mail and lets the former owner delete their account', async () => {
    const worker = await startServer();
    try {
      const game = await makeGame(worker, { visibility: 'draft' });
      const [owner, admin] = [await signIn(worker, game.owner), await makePlayer(worker)];
      await makeAdmin(worker, game.uid, admin);
      const path = `${worker.api}/games/${game.uid}`;
      const { name } = (await request(path, { headers: owner })).body.data;
      const post = (url: string, body: object) =>
        request(url, {
          method: 'POST',
          headers: { ...owner, 'content-type': 'application/json', origin: worker.url },
          body: JSON.stringify(body),
        });
      assert.equal((await post(`${path}/deletion`, { name, password: game.owner.password })).status, 202);
      for (const email of [game.owner.email, admin.email]) {
        const mail = await until(async () =>
          (await mailsTo(worker, email)).find(({ subject }) => subject === `${name} was deleted`),
        );
        assert.match(mail.text.replace(/\s+/g, ' '), /deleted the game/);
      }
      // The worker removes the data without further calls.
      await until(async () => {
        const keys = await rows(worker.ctx.db, sql`select from deploy_keys where game_id = ${game.uid}`);
        return keys.length === 0;
      });
      const accountDeletion = await post(`${worker.url}/api/auth/delete-user`, { password: game.owner.password });
      assert.equal(accountDeletion.status, 200, JSON.stringify(accountDeletion.body));
    } finally {
      await worker.stop();
    }
  });

  test('is not available to agents; neither are invitations and transfers', () => {
    const own = OPERATIONS.filter(({ id }) => /^(invitations\.|games\.(deletion|delete|leave)$)/.test(id));
    assert.equal(own.length, 11);
    assert.deepEqual(
      own.filter(({ mcp }) => mcp !== undefined),
      [],
    );
  });
});
