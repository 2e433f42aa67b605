// Former addresses of renamed games, developers and organisations, on two processes of the real server: pages, feeds, the
// API and clients, and who can take them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY } from '../src/kernel/clock.ts';
import { statusOf } from './setup/api-calls.ts';
import { type ApiResponse, makePlayer, request, startServer, type TestServer } from './setup/server.ts';

type Person = Awaited<ReturnType<typeof makePlayer>>;

let [server, secondServer] = [] as unknown as [TestServer, TestServer];
let [owner, stranger] = [] as unknown as [Person, Person];
let now = Date.now();

before(async () => {
  const options = { role: 'api', clock: { now: () => new Date(now) }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } } as const;
  server = await startServer(options);
  secondServer = await startServer({ ...options, shareWith: server });
  [owner, stranger] = [await makePlayer(server), await makePlayer(server)];
});
after(async () => {
  await secondServer.stop();
  await server.stop();
});

function call(person: Person, method: string, path: string, body?: object): Promise<ApiResponse> {
  return request(`${server.api}${path}`, {
    method,
    headers: { ...person.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function create(slug: string, fields: object = { visibility: 'public' }, person = owner): Promise<string> {
  const { status, body } = await call(person, 'POST', '/games', { name: slug, slug, ...fields });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data.game_uid;
}

async function rename(uid: string, slug: string, person = owner): Promise<void> {
  const { status, body } = await call(person, 'PATCH', `/games/${uid}`, { slug });
  assert.equal(status, 200, JSON.stringify(body));
}

/** The status of a page, and where it leads. */
async function visit(path: string, { person, at = server }: { person?: Person; at?: TestServer } = {}) {
  const response = await fetch(at.url + path, { redirect: 'manual', headers: { ...person?.headers } });
  await response.body?.cancel();
  return [response.status, response.headers.get('location')];
}

describe('a former address', () => {
  test('leads to the game, with what is below it and behind a question mark, after any number of renames', async () => {
    const uid = await create('first-name');
    await rename(uid, 'second-name');
    await rename(uid, 'third-name');
    for (const former of ['first-name', 'second-name']) {
      for (const rest of [
        ...['', '?lang=de', '/releases.atom', '/press-kit.zip', '/widget?theme=dark', '/follow', '/report-page'],
        ...['/play?channel=beta', '/report', '/files/0193a7c0-1111-7000-8000-000000000001'],
      ])
        assert.deepEqual(await visit(`/g/${former}${rest}`), [301, `/g/third-name${rest}`], former + rest);
      assert.deepEqual(await visit(`/g/${former}`, { at: secondServer }), [301, '/g/third-name']);
      const read = await request(`${server.api}/public/games/${former}`);
      assert.deepEqual([read.status, read.body.data.slug], [200, 'third-name']);
      assert.equal((await call(owner, 'GET', `/games/${former}`)).body.data.slug, 'third-name');
    }
    assert.deepEqual(await visit('/g/third-name'), [200, null]);
    assert.deepEqual(await visit(`/g/${uid}`), [200, null]);
    await rename(uid, 'first-name');
    assert.deepEqual(await visit('/g/first-name'), [200, null]);
    assert.deepEqual(await visit('/g/third-name'), [301, '/g/first-name']);
  });

  test('is not known to those who may not see the game', async () => {
    const uid = await create('secret-plan', {});
    await rename(uid, 'secret-game');
    assert.deepEqual(await visit('/g/secret-plan'), [404, null]);
    assert.deepEqual(await visit('/g/secret-plan/play'), [404, null]);
    assert.deepEqual(await visit('/g/secret-plan/widget'), [404, null]);
    assert.deepEqual(await visit('/g/secret-plan', { person: stranger }), [404, null]);
    assert.deepEqual(statusOf(await call(stranger, 'GET', '/games/secret-plan')), [404, 4040]);
    assert.deepEqual(await visit('/g/secret-plan', { person: owner }), [301, '/g/secret-game']);
  });

  test('identifies the game for the copies that players have', async () => {
    const uid = await create('old-copies');
    await rename(uid, 'new-copies');
    const send = (appId: string) =>
      request(`${server.api}/public/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-app-id': appId, 'x-build-id': uid },
        body: JSON.stringify({ events: [{ event: 'boot_ok', device_uid: 'a' }] }),
      });
    // The game is found, and has no such build.
    const [former, current, unknown] = [await send('old-copies'), await send('new-copies'), await send('no-copies')];
    assert.deepEqual(former.body.error?.message, current.body.error?.message);
    assert.equal(unknown.body.error?.code, 4030);
  });

  test('is reserved for 90 days if the game was public, and leads to the game until another one takes it', async () => {
    const uid = await create('wanted-name');
    await rename(uid, 'other-name');
    const refused = await call(stranger, 'POST', '/games', { name: 'Any', slug: 'wanted-name' });
    assert.deepEqual(statusOf(refused), [400, 4002]);
    assert.match(refused.body.error?.message ?? '', /^slug: wanted-name .*renamed.*reserved/);
    const named = (await call(stranger, 'POST', '/games', { name: 'Wanted name' })).body.data;
    assert.equal(named.slug, 'wanted-name-2');
    now += 91 * DAY;
    assert.deepEqual(await visit('/g/wanted-name'), [301, '/g/other-name']);
    const taken = await create('wanted-name', { visibility: 'public' }, stranger);
    for (const at of [server, secondServer]) assert.deepEqual(await visit('/g/wanted-name', { at }), [200, null]);
    // The new owner moves on. What led to the first game doesn't again.
    await rename(taken, 'taken-away', stranger);
    assert.deepEqual(await visit('/g/wanted-name'), [301, '/g/taken-away']);
    assert.deepEqual(await visit('/g/other-name'), [200, null]);
  });

  test('never leads to a game that took the address in between', async () => {
    const uid = await create('chain-a', {});
    await rename(uid, 'chain-b');
    await rename(uid, 'chain-c');
    await call(owner, 'PATCH', `/games/${uid}`, { visibility: 'public' });
    // A draft's addresses are free.
    await create('chain-b', { visibility: 'public' }, stranger);
    assert.deepEqual(await visit('/g/chain-a'), [301, '/g/chain-c']);
    assert.deepEqual(await visit('/g/chain-b'), [200, null]);
  });

  test('can be taken by its own owner, is reserved after a deletion, and is one of ten', async () => {
    const uid = await create('my-own-0');
    for (let no = 1; no <= 12; no += 1) {
      now += 1000;
      await rename(uid, `my-own-${no}`);
    }
    assert.deepEqual(await visit('/g/my-own-1'), [404, null]);
    assert.deepEqual(await visit('/g/my-own-2'), [301, '/g/my-own-12']);
    await create('my-own-2');
    assert.deepEqual(await visit('/g/my-own-2'), [200, null]);
    const deletion = { name: 'my-own-0', password: 'correct horse battery' };
    const deleted = await call(owner, 'POST', `/games/${uid}/deletion`, deletion);
    assert.equal(deleted.status, 202, JSON.stringify(deleted.body));
    assert.deepEqual(await visit('/g/my-own-5'), [404, null]);
    const refused = await call(stranger, 'POST', '/games', { name: 'Any', slug: 'my-own-5' });
    assert.deepEqual(statusOf(refused), [400, 4002]);
  });

  test('is taken by one game only, however many ask for it at once', async () => {
    const uid = await create('race-old', {});
    const answers = await Promise.all([
      rename(uid, 'race-new'),
      ...Array.from({ length: 5 }, () => call(stranger, 'POST', '/games', { name: 'Race', slug: 'race-old' })),
    ]);
    const created = answers.filter((answer) => answer?.status === 201);
    assert.ok(created.length <= 1);
    assert.deepEqual(
      await visit('/g/race-old', { person: owner }),
      created.length === 1 ? [404, null] : [301, '/g/race-new'],
    );
  });
});

test('a slug is free, taken or reserved, as for a new game or for a renamed one', async () => {
  const uid = await create('check-me');
  await rename(uid, 'checked');
  const stateOf = async (person: Person, path: string) => (await call(person, 'GET', `/game-slugs/${path}`)).body;
  for (const [person, path, state] of [
    [owner, 'never-used', 'free'],
    [owner, 'checked', 'taken'],
    [owner, `checked?game=${uid}`, 'free'],
    [owner, 'check-me', 'free'],
    [owner, `check-me?game=checked`, 'free'],
    [stranger, 'check-me', 'reserved'],
    [stranger, 'checked', 'taken'],
  ] as const)
    assert.equal((await stateOf(person, path)).data?.state, state, path);
  assert.equal((await stateOf(stranger, `never-used?game=${uid}`)).error?.code, 4040);
  for (const slug of ['ab', 'Upper', '-a-b', 'x'.repeat(65), '0193a7c0-1111-7000-8000-000000000001'])
    assert.equal((await stateOf(owner, slug)).error?.code, 4002, slug);
  assert.equal((await request(`${server.api}/game-slugs/checked`)).status, 401);
});

describe('a former handle of a developer', () => {
  const choose = async (person: Person, handle: string | null) =>
    statusOf(await call(person, 'PATCH', '/profile', { handle }));
  const read = async (handle: string) => (await request(`${server.api}/public/developers/${handle}`)).body.data?.handle;

  test('leads to their page and is found by the API, after any number of changes', async () => {
    for (const handle of ['north-a', 'north-b', 'north-c']) assert.equal((await choose(owner, handle))[0], 200);
    for (const former of ['north-a', 'north-b']) {
      for (const rest of ['', '/', '?lang=de', '?cursor=x'])
        assert.deepEqual(await visit(`/@${former}${rest}`), [301, `/@north-c${rest}`], former + rest);
      assert.deepEqual(await visit(`/@${former}`, { at: secondServer }), [301, '/@north-c']);
      assert.equal(await read(former), 'north-c');
    }
    assert.deepEqual(await visit('/@north-c'), [200, null]);
    assert.equal((await choose(owner, 'north-a'))[0], 200);
    assert.deepEqual(await visit('/@north-a'), [200, null]);
    assert.deepEqual(await visit('/@north-c'), [301, '/@north-a']);
  });

  test('leads nowhere while they have none, and is theirs alone for 90 days', async () => {
    await choose(owner, 'east-a');
    await choose(owner, 'east-b');
    await choose(owner, null);
    for (const handle of ['east-a', 'east-b']) {
      assert.deepEqual(await visit(`/@${handle}`), [404, null]);
      assert.deepEqual(await choose(stranger, handle), [400, 4002]);
    }
    const { body } = await call(stranger, 'PATCH', '/profile', { handle: 'east-a' });
    assert.match(body.error?.message ?? '', /^handle: east-a .*reserved/);
    await choose(owner, 'east-c');
    assert.deepEqual(await visit('/@east-a'), [301, '/@east-c']);
    now += 91 * DAY;
    assert.equal((await choose(stranger, 'east-a'))[0], 200);
    assert.deepEqual(await visit('/@east-a'), [200, null]);
    assert.deepEqual(await visit('/@east-b'), [301, '/@east-c']);
  });

  test('is taken by one person only, however many ask for it at once', async () => {
    await choose(owner, 'race-handle');
    now += DAY;
    const others = await Promise.all([0, 1, 2].map(() => makePlayer(server)));
    await Promise.all([choose(owner, 'race-on'), ...others.map((other) => choose(other, 'race-handle'))]);
    assert.deepEqual(await visit('/@race-handle'), [301, '/@race-on']);
  });
});

describe('a former slug of an organisation', () => {
  const change = (person: Person, ref: string, slug: string | null) =>
    call(person, 'PATCH', `/organisations/${ref}`, { slug });
  const found = async (person: Person, ref: string) => {
    const { body } = await call(person, 'GET', `/organisations/${ref}`);
    return body.data?.slug ?? body.error?.code;
  };

  test('finds it for its members only, after any number of changes', async () => {
    await call(owner, 'POST', '/organisations', { name: 'Guild', slug: 'guild-a' });
    assert.equal((await change(owner, 'guild-a', 'guild-b')).status, 200);
    assert.equal((await change(owner, 'guild-a', 'guild-c')).status, 200, 'also to change it again');
    for (const slug of ['guild-a', 'guild-b', 'guild-c']) {
      assert.equal(await found(owner, slug), 'guild-c');
      assert.equal(await found(stranger, slug), 4040);
    }
    assert.equal((await change(owner, 'guild-c', null)).status, 200);
    assert.equal((await call(owner, 'GET', '/organisations/guild-b')).body.data.slug, null);
  });

  test('is reserved for its owners for 90 days, and then leads to it until another one takes it', async () => {
    const [, first] = await Promise.all([
      call(stranger, 'POST', '/organisations', { name: 'Rivals', slug: 'rivals' }),
      call(owner, 'POST', '/organisations', { name: 'Lodge', slug: 'lodge' }),
    ]);
    const uid: string = first.body.data.organisation_uid;
    await change(owner, 'lodge', 'lodge-two');
    for (const refused of [
      await call(stranger, 'POST', '/organisations', { name: 'Lodge', slug: 'lodge' }),
      await change(stranger, 'rivals', 'lodge'),
    ]) {
      assert.deepEqual(statusOf(refused), [400, 4002]);
      assert.match(refused.body.error?.message ?? '', /^slug: lodge .*reserved/);
    }
    assert.equal(await found(stranger, 'rivals'), 'rivals', 'nothing of the refused change is kept');
    const { status } = await call(owner, 'POST', '/organisations', { name: 'Next lodge', slug: 'lodge' });
    assert.equal(status, 201, 'an owner can give it to another organisation');
    await change(owner, 'lodge-two', 'lodge-three');
    now += 91 * DAY;
    assert.equal((await change(stranger, 'rivals', 'lodge-two')).status, 200);
    assert.equal(await found(stranger, 'lodge-two'), 'lodge-two');
    assert.equal(await found(owner, 'lodge-two'), 4040);
    assert.equal((await call(owner, 'GET', `/organisations/${uid}`)).body.data.slug, 'lodge-three');
  });
});
