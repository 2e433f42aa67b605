// Deleting a game on the real server: gone for everybody at once, then from every table and the blob store, whatever interrupts or races.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { sql } from 'kysely';
import { requestApproval } from '../src/features/approvals/approvals.ts';
import { finishDeletions, removeGame } from '../src/features/game-deletion/remove-game.job.ts';
import { findGame } from '../src/features/games/games.ts';
import { DAY, HOUR } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/db.ts';
import type { Attempt } from '../src/kernel/jobs.ts';
import { connect, makeKey } from './setup/agents.ts';
import { addReport, type SharedGame } from './setup/crash-reports.ts';
import { report } from './setup/crashes.ts';
import { send } from './setup/events.ts';
import { addPictures, named, picture } from './setup/images.ts';
import { mailsTo } from './setup/mail.ts';
import {
  type Answer,
  makeAdmin,
  makeGame,
  makePlayer,
  request,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
  until,
} from './setup/server.ts';
import { addSymbols, sendSymbols, symText } from './setup/symbols.ts';
import { formOf, sendChunk, ship, smallZip, startSession, upload, uploadFields } from './setup/uploads.ts';

type Session = { cookie: string };
type Studio = {
  game: TestGame;
  name: string;
  owner: Session;
  admin: Awaited<ReturnType<typeof makePlayer>>;
  buildId: string;
  fileUid: string;
  imageUid: string;
  symbolsUrl: string;
  agentKey: string;
  session: { id: string; zip: Buffer };
};

let server: TestServer;
let now = Date.now();
const RUN: Attempt = { number: 1, last: false, signal: new AbortController().signal };

before(async () => {
  // Jobs run when a test says so.
  server = await startServer({
    role: 'api',
    clock: { now: () => new Date(now) },
    env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0', CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' },
  });
});
after(() => server.stop());

function call(headers: Session | object, method: string, path: string, body?: object): Promise<Answer> {
  const json = body && { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return request(`${server.api}${path}`, { method, headers: { ...headers }, ...json });
}

const statusOf = ({ status, body }: Answer) => [status, body.error?.code];
const ALL_KINDS = { event: 'boot_ok', device_uid: 'd', ms: 5, event_id: 'e' };

/** A game with something of everything. */
async function furnish(): Promise<Studio> {
  const game = await makeGame(server);
  const owner = await signIn(server, game.owner);
  const { name } = (await call(owner, 'GET', `/games/${game.uid}`)).body.data;
  const [admin, player] = [await makePlayer(server), await makePlayer(server)];
  await makeAdmin(server, game.uid, admin);
  const { buildId, fileUid } = await ship(server, game, { version: '1.0', channel: 'beta' });
  await changed(server.ctx.db, sql`update files set scan_state = 'unscanned' where game_id = ${game.uid}`);
  const { buildId: removed } = await ship(server, game, { version: '0.9' });
  const promotion = { channel: 'stable', build_id: buildId };
  assert.equal((await call(owner, 'POST', `/games/${game.uid}/channels/stable/promote`, promotion)).status, 200);
  await call(owner, 'DELETE', `/games/${game.uid}/builds/${removed}`);
  await addSymbols(server, game, buildId, symText({}));
  const symbolsUrl = (await call(owner, 'POST', `/games/${game.uid}/symbol-token`)).body.data.symbols_url;
  const [imageUid = ''] = await addPictures(server, game, 'screenshot', [named('a.jpg', await picture())]);
  for (const message of ['one', 'two']) {
    const bytes = Buffer.from(message);
    const shared = { uid: game.uid } as SharedGame;
    const stack = [`World::${message}`, 'main'];
    await addReport(server.ctx, { game: shared, buildId, message, dump: bytes, log: bytes, stack });
  }
  await send({ server, game, buildId }, { events: [ALL_KINDS, { event: 'custom' }] });
  await call(player.headers, 'POST', `/games/${game.uid}/bugs`, { message: 'stuck', build_id: buildId });
  await call(player.headers, 'PUT', `/games/${game.uid}/beta`);
  await call(owner, 'POST', `/games/${game.uid}/invitations`, { email: player.email });
  const found = await findGame(server.ctx.db, game.uid);
  const user = { id: admin.id, name: 'Player', email: admin.email, emailVerified: true };
  const deletion = { game: found!, action: 'delete_build', input: { build_id: buildId } } as const;
  await requestApproval(server.ctx, { user, via: 'Test agent' }, deletion);
  const { key } = await makeKey(server, owner, { game: game.slug });
  const agent = await connect(server, key);
  await agent.call('list_channels', { uid: game.uid });
  await agent.close();
  const zip = smallZip('later.bin', Buffer.alloc(2000, 1));
  const sessionId = await startSession(server, game, zip);
  await sendChunk(server, game, sessionId, zip, 0, 1000);
  const session = { id: sessionId, zip };
  return { game, name, owner, admin, buildId, fileUid, imageUid, symbolsUrl, agentKey: key, session };
}

const deletionOf = ({ game, name }: Studio) => ({ name, password: game.owner.password });
const remove = (studio: Studio, headers: Session = studio.owner) =>
  call(headers, 'POST', `/games/${studio.game.uid}/deletion`, deletionOf(studio));

/** Asks for the tools with the key of an agent that is bound to the game. */
function mcpOf({ agentKey }: Studio): Promise<Response> {
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

/** How many rows of the game each table has that can have any: from the catalog, so that a new table is among them. */
async function rowsOf(gameId: string): Promise<Record<string, number>> {
  const tables = await rows(
    server.ctx.db,
    sql<{ name: string }>`select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
      where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
        and attname = 'game_id' and not attisdropped order by relname`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [found] = await rows(
      server.ctx.db,
      sql<{ count: number }>`select count(*) as count from ${sql.table(name)} where game_id = ${gameId}`,
    );
    if (found!.count > 0) counts[name] = found!.count;
  }
  return counts;
}

async function blobKeys(): Promise<string[]> {
  const keys = await Array.fromAsync(server.ctx.blobs.list(''), ({ key }) => key);
  return keys.toSorted();
}

/** Keys of the game's blobs: those with its id in them, and those of its reports. */
async function blobsOf(gameId: string): Promise<string[]> {
  const reports = await rows(
    server.ctx.db,
    sql<{ report_id: string }>`select report_id from crash_reports where game_id = ${gameId}`,
  );
  const ids = [gameId, ...reports.map(({ report_id }) => report_id)];
  return (await blobKeys()).filter((key) => ids.some((id) => key.includes(id)));
}

async function finish(gameId: string): Promise<void> {
  await removeGame(server.ctx, { gameId }, RUN);
  now += HOUR;
  await finishDeletions(server.ctx, {}, RUN);
}

describe('deleting a game', () => {
  test('says before what goes, and from whom', async () => {
    const studio = await furnish();
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

  test('is for the owner, with the name typed and the password; nothing happens otherwise', async () => {
    const studio = await furnish();
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
    assert.equal((await rowsOf(studio.game.uid)).crash_reports, 2);
  });

  test('limits how often the password can be tried', async () => {
    const studio = await furnish();
    const path = `/games/${studio.game.uid}/deletion`;
    await call(studio.owner, 'POST', path, { name: studio.name, password: 'a guess' });
    await changed(server.ctx.db, sql`update rate_counters set used = 20 where subject = ${studio.game.owner.id}`);
    assert.deepEqual(statusOf(await remove(studio)), [429, 4290]);
  });

  test('takes it out of sight and refuses what it is sent, at once and in every process, before anything is removed', async () => {
    const studio = await furnish();
    const { game, buildId, session } = studio;
    const [other, created] = [
      await startServer({ role: 'api', clock: { now: () => new Date(now) }, beside: server }),
      await report({ server, game, buildId }, { has_dump: true }),
    ];
    const sender = { server: other, game, buildId };
    // From here on this process remembers the build.
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
    for (const path of [store, `${store}/files/${studio.fileUid}/provenance`, `/public/media/${studio.imageUid}`])
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
    assert.equal((await rowsOf(game.uid)).crash_reports, 3);
    await other.stop();
  });

  test('leaves no row in any table and no blob, and takes nothing of another game', async () => {
    const [studio, kept] = [await furnish(), await furnish()];
    const { uid } = studio.game;
    const [before, blobs] = [await rowsOf(kept.game.uid), await blobsOf(kept.game.uid)];
    assert.ok(Object.keys(await rowsOf(uid)).length > 25, 'the game has rows in most tables');
    const former = await blobsOf(uid);
    for (const folder of ['files', 'media', 'symbols', 'crashes'])
      assert.ok(
        former.some((key) => key.startsWith(`${folder}/`)),
        folder,
      );
    await remove(studio);
    await removeGame(server.ctx, { gameId: uid }, RUN);
    assert.deepEqual(await rowsOf(uid), { all_games: 1 });
    const left = await blobKeys();
    assert.deepEqual(
      former.filter((key) => left.includes(key)),
      [],
    );
    await removeGame(server.ctx, { gameId: uid }, RUN);
    now += HOUR;
    await finishDeletions(server.ctx, {}, RUN);
    assert.deepEqual(await rowsOf(uid), {});
    await finishDeletions(server.ctx, {}, RUN);
    assert.deepEqual([await rowsOf(kept.game.uid), await blobsOf(kept.game.uid)], [before, blobs]);
    const [counters] = await rows(
      server.ctx.db,
      sql<{ count: number }>`select count(*) as count from rate_counters where subject = ${uid}`,
    );
    assert.equal(counters?.count, 0);
  });

  test('is completed by a later run, wherever an earlier one was cut short', async () => {
    const studio = await furnish();
    const { uid } = studio.game;
    const former = await blobsOf(uid);
    await remove(studio);
    let cuts = 0;
    for (; ; cuts += 1) {
      let steps = cuts;
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
    assert.ok(cuts > 25, `${cuts} cuts`);
    assert.deepEqual(await rowsOf(uid), { all_games: 1 });
    const left = await blobKeys();
    assert.deepEqual(
      former.filter((key) => left.includes(key)),
      [],
    );
  });

  test('lets uploads, reports, events and changes end in an answer, and leaves nothing of what raced with it', async () => {
    const studio = await furnish();
    const { game, buildId, owner } = studio;
    const [sender, zip] = [{ server, game, buildId }, smallZip('race.bin', Buffer.alloc(300_000, 2))];
    const image = await picture();
    const answers: Answer[] = [];
    const isGone = () => answers.some(({ status }) => [401, 403, 404].includes(status));
    const again = async (work: (no: number) => Promise<Answer>) => {
      for (let no = 0; no < 200; no += 1) {
        const answer = await work(no);
        answers.push(answer);
        if ([401, 403, 404].includes(answer.status)) return;
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
      again((no) => call(owner, 'PATCH', `/games/${game.uid}`, { tagline: `Line ${no}` })),
      again((no) =>
        call(game.keyHeaders, 'POST', '/tool/upload/build', { version: `r${no}`, os: 'linux', arch: 'x86_64' }),
      ),
      again(() => call(owner, 'POST', `/games/${game.uid}/deploy-keys`)),
    ]);
    await until(async () => answers.length > 12);
    const deletions = await Promise.all([remove(studio), remove(studio)]);
    assert.deepEqual(deletions.map(({ status }) => status).toSorted(), [202, 404]);
    await removeGame(server.ctx, { gameId: game.uid }, RUN);
    await work;
    assert.ok(isGone());
    assert.deepEqual(
      answers.filter(({ status }) => status >= 500).map(({ body }) => body),
      [],
    );
    await finish(game.uid);
    assert.deepEqual(await rowsOf(game.uid), {});
    assert.deepEqual(await blobsOf(game.uid), []);
    const known = await rows(
      server.ctx.db,
      sql<{ key: string }>`select unnest(array[dump_key, log_key, stack_key]) as key from crash_reports`,
    );
    const keys = new Set(known.map(({ key }) => key));
    assert.deepEqual(
      (await blobKeys()).filter((key) => key.startsWith('crashes/') && !keys.has(key)),
      [],
    );
  });

  test('keeps its address for the former owner for 90 days, unless it never was public', async () => {
    const studio = await furnish();
    const { slug } = studio.game;
    const stranger = await makePlayer(server);
    const draft = (await call(studio.owner, 'POST', '/games', { name: 'Draft' })).body.data;
    const { password } = deletionOf(studio);
    await call(studio.owner, 'POST', `/games/${draft.game_uid}/deletion`, { name: 'Draft', password });
    assert.equal((await call(stranger.headers, 'POST', '/games', { name: 'Any', slug: draft.slug })).status, 201);
    await remove(studio);
    const taken = await call(stranger.headers, 'POST', '/games', { name: 'Any', slug });
    assert.deepEqual(statusOf(taken), [400, 4002]);
    assert.match(taken.body.error?.message ?? '', /^slug: .*reserved for its former owner/);
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

  test('tells every member by mail, and lets the former owner delete their account at once', async () => {
    const worker = await startServer();
    try {
      const made = await makeGame(worker, { visibility: 'draft' });
      const [owner, admin] = [await signIn(worker, made.owner), await makePlayer(worker)];
      await makeAdmin(worker, made.uid, admin);
      const path = `${worker.api}/games/${made.uid}`;
      const { name } = (await request(path, { headers: owner })).body.data;
      const post = (url: string, body: object) =>
        request(url, {
          method: 'POST',
          headers: { ...owner, 'content-type': 'application/json', origin: worker.url },
          body: JSON.stringify(body),
        });
      assert.equal((await post(`${path}/deletion`, { name, password: made.owner.password })).status, 202);
      for (const email of [made.owner.email, admin.email]) {
        const mail = await until(async () =>
          (await mailsTo(worker, email)).find(({ subject }) => subject === `${name} was deleted`),
        );
        assert.match(mail.text.replace(/\s+/g, ' '), /deleted the game/);
      }
      // The worker does it without being told.
      await until(async () => {
        const found = await rows(worker.ctx.db, sql`select from deploy_keys where game_id = ${made.uid}`);
        return found.length === 0;
      });
      const gone = await post(`${worker.url}/api/auth/delete-user`, { password: made.owner.password });
      assert.equal(gone.status, 200, JSON.stringify(gone.body));
    } finally {
      await worker.stop();
    }
  });

  test('is nothing that agents can do, nor are invitations and transfers', () => {
    const own = OPERATIONS.filter(({ id }) => /^(invitations\.|games\.(deletion|delete|leave)$)/.test(id));
    assert.equal(own.length, 11);
    assert.deepEqual(
      own.filter(({ mcp }) => mcp !== undefined),
      [],
    );
  });
});
