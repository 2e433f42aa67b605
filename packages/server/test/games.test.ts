// Games on the real server: who can see, change and share them; names, slugs and visibility; requests from other sites.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { statusOf } from './setup/api-calls.ts';
import { type ApiResponse, makeAdmin, makePlayer, request, startServer, type TestServer } from './setup/server.ts';

type Person = Awaited<ReturnType<typeof makePlayer>>;

let server: TestServer;
let owner: Person;
let admin: Person;
let stranger: Person;

before(async () => {
  server = await startServer({ role: 'api' });
  [owner, admin, stranger] = await Promise.all([makePlayer(server), makePlayer(server), makePlayer(server)]);
});
after(() => server.stop());

type Call = { method?: string; body?: unknown; headers?: Record<string, string> };

function call(
  person: Person | null,
  path: string,
  { method = 'GET', body, headers = {} }: Call = {},
): Promise<ApiResponse> {
  return request(`${server.api}${path}`, {
    method,
    headers: { ...person?.headers, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function createGame(fields: Record<string, unknown> = {}, person = owner) {
  const response = await call(person, '/games', { method: 'POST', body: { name: 'A Game', ...fields } });
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return response.body.data as { game_uid: string; slug: string; name: string; visibility: string; role: string };
}

/** A game of `owner` with `admin` as its admin. */
async function sharedGame(fields: Record<string, unknown> = {}): Promise<string> {
  const { game_uid } = await createGame(fields);
  await makeAdmin(server, game_uid, admin);
  return game_uid;
}

describe('creating a game', () => {
  test('makes a draft owned by its creator, with a slug from its name', async () => {
    const game = await createGame({ name: 'Größe & Glück II' });
    assert.match(game.game_uid, /^[0-9a-f-]{36}$/);
    assert.deepEqual([game.slug, game.visibility, game.role], ['gro-e-gluck-ii', 'draft', 'owner']);
  });

  test('gives games of the same name different slugs, even concurrently', async () => {
    const games = await Promise.all(Array.from({ length: 5 }, () => createGame({ name: 'Same Name' })));
    const slugs = games.map(({ slug }) => slug).toSorted();
    assert.deepEqual(slugs, ['same-name', 'same-name-2', 'same-name-3', 'same-name-4', 'same-name-5']);
  });

  test('makes a usable slug from a name without Latin letters', async () => {
    const games = await Promise.all(['東京', '🎮', '—'].map((name) => createGame({ name })));
    for (const { slug } of games) assert.match(slug, /^game(-\d+)?$/);
  });

  test('refuses a taken or malformed slug with 4002', async () => {
    await createGame({ slug: 'chosen-one' });
    for (const slug of ['chosen-one', 'ab', 'Upper', '-a-b', 'a_b', 'x'.repeat(65), '', 7]) {
      const response = await call(owner, '/games', { method: 'POST', body: { name: 'A Game', slug } });
      assert.deepEqual(statusOf(response), [400, 4002], String(slug));
      assert.match(response.body.error?.message ?? '', /^slug: /);
    }
  });

  test('refuses an invalid name or visibility with 4002 and names the field', async () => {
    const wrong = [
      { name: '' },
      { name: 'x'.repeat(256) },
      { name: 'a\u0000' },
      { name: 'a\nb' },
      { name: 'a\u202eb' },
      { visibility: 'secret' },
    ];
    for (const fields of wrong) {
      const response = await call(owner, '/games', { method: 'POST', body: { name: 'A Game', ...fields } });
      assert.deepEqual(statusOf(response), [400, 4002]);
      assert.match(response.body.error?.message ?? '', new RegExp(`^${Object.keys(fields)[0]}: `));
    }
    assert.deepEqual(statusOf(await call(owner, '/games', { method: 'POST', body: {} })), [400, 4002]);
  });
});

describe('a game', () => {
  test('is found by uid and slug, by its members only', async () => {
    const { game_uid, slug } = await createGame();
    await makeAdmin(server, game_uid, admin);
    for (const ref of [game_uid, slug, game_uid.toUpperCase()]) {
      assert.equal((await call(owner, `/games/${ref}`)).body.data.role, 'owner');
      assert.equal((await call(admin, `/games/${ref}`)).body.data.role, 'admin');
      assert.deepEqual(statusOf(await call(stranger, `/games/${ref}`)), [404, 4040]);
    }
  });

  test('is listed for its owner and admins, and not for others', async () => {
    const uid = await sharedGame();
    const listOf = async (person: Person) => {
      const { games } = (await call(person, '/games')).body.data as { games: { game_uid: string; role: string }[] };
      return games.find(({ game_uid }) => game_uid === uid)?.role;
    };
    assert.deepEqual([await listOf(owner), await listOf(admin), await listOf(stranger)], ['owner', 'admin', undefined]);
  });

  test('can be renamed and changed by its owner and admins, partially or completely', async () => {
    const uid = await sharedGame({ slug: 'before-change' });
    const renamed = await call(admin, `/games/${uid}`, { method: 'PATCH', body: { name: 'New Name' } });
    assert.deepEqual([renamed.body.data.name, renamed.body.data.slug], ['New Name', 'before-change']);
    const body = { slug: 'after-change', visibility: 'public' };
    const moved = await call(owner, `/games/${uid}`, { method: 'PATCH', body });
    assert.deepEqual([moved.body.data.name, moved.body.data.slug], ['New Name', 'after-change']);
    assert.equal((await call(owner, '/games/before-change')).body.data.slug, 'after-change');
    const byStranger = await call(stranger, `/games/${uid}`, { method: 'PATCH', body: { name: 'Mine' } });
    assert.deepEqual(statusOf(byStranger), [404, 4040]);
  });

  test('cannot take the slug of another game', async () => {
    await createGame({ slug: 'occupied' });
    const { game_uid } = await createGame();
    const response = await call(owner, `/games/${game_uid}`, { method: 'PATCH', body: { slug: 'occupied' } });
    assert.deepEqual(statusOf(response), [400, 4002]);
    assert.match(response.body.error?.message ?? '', /^slug: .*another/);
  });

  test('never gets a slug that looks like a uid, because it would not be found', async () => {
    const { game_uid } = await createGame();
    const response = await call(stranger, '/games', { method: 'POST', body: { name: 'Trap', slug: game_uid } });
    assert.deepEqual(statusOf(response), [400, 4002]);
    assert.equal((await createGame({ name: game_uid })).slug, `game-${game_uid}`);
  });
});

describe('the page of a game', () => {
  const seenBy = async (person: Person | null, uid: string) => (await call(person, `/public/games/${uid}`)).status;

  test('is for members only while it is a draft, and for everyone when public or invisible', async () => {
    const draft = await sharedGame({ visibility: 'draft' });
    assert.deepEqual([await seenBy(owner, draft), await seenBy(admin, draft)], [200, 200]);
    assert.deepEqual([await seenBy(stranger, draft), await seenBy(null, draft)], [404, 404]);
    for (const visibility of ['public', 'invisible']) {
      const uid = await sharedGame({ visibility });
      assert.deepEqual([await seenBy(stranger, uid), await seenBy(null, uid)], [200, 200], visibility);
    }
  });

  test('does not distinguish a draft from a missing game', async () => {
    const { game_uid } = await createGame();
    const [hidden, missing] = await Promise.all(
      [game_uid, '00000000-0000-7000-8000-000000000000'].map((uid) => call(null, `/public/games/${uid}`)),
    );
    assert.deepEqual([hidden?.status, hidden?.body], [missing?.status, missing?.body]);
  });
});

describe('the admins of a game', () => {
  test('are removed by the owner, once, and the owner cannot be removed', async () => {
    const uid = await sharedGame();
    const remove = (id: string) => call(owner, `/games/${uid}/admins/${id}`, { method: 'DELETE' });
    const removed = await Promise.all([remove(admin.id), remove(admin.id)]);
    assert.deepEqual(removed.map(({ status }) => status).sort(), [200, 404]);
    const { members } = removed.find(({ status }) => status === 200)?.body.data ?? {};
    assert.deepEqual(
      members.map(({ user_id: id, role }: { user_id: string; role: string }) => [id, role]),
      [[owner.id, 'owner']],
    );
    for (const id of [admin.id, stranger.id, 'undefined', '%00']) {
      assert.deepEqual(statusOf(await remove(id)), id === '%00' ? [400, 4002] : [404, 4040], id);
    }
    // The role of an owner comes from the organisation.
    assert.deepEqual(statusOf(await remove(owner.id)), [400, 4002]);
    assert.deepEqual(statusOf(await call(admin, `/games/${uid}`)), [404, 4040]);
    assert.equal((await call(owner, `/games/${uid}`)).body.data.role, 'owner');
  });

  test('get another role from the owner, which counts at once', async () => {
    const uid = await sharedGame();
    const path = `/games/${uid}/admins/${admin.id}`;
    const setRole = (role: string, person = owner, to = path) => call(person, to, { method: 'PATCH', body: { role } });
    for (const role of ['viewer', 'developer', 'admin', 'triager']) {
      const answer = await setRole(role);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const member = answer.body.data.members.find((each: { user_id: string }) => each.user_id === admin.id);
      assert.deepEqual([member.role, member.game_role, member.organisation_role], [role, role, null]);
      assert.equal((await call(admin, `/games/${uid}`)).body.data.role, role);
    }
    assert.deepEqual(statusOf(await call(admin, `/games/${uid}/audit`)), [403, 4031]);
    assert.deepEqual(statusOf(await setRole('owner')), [400, 4002]);
    assert.deepEqual(statusOf(await setRole('viewer', admin)), [403, 4031]);
    assert.deepEqual(statusOf(await setRole('viewer', stranger)), [404, 4040]);
    // Others are invited first, and owners are owners in the organisation.
    assert.deepEqual(statusOf(await setRole('viewer', owner, `/games/${uid}/admins/${stranger.id}`)), [404, 4040]);
    assert.deepEqual(statusOf(await setRole('viewer', owner, `/games/${uid}/admins/${owner.id}`)), [400, 4002]);
    const roles = await Promise.all([setRole('viewer'), setRole('admin'), setRole('developer'), setRole('triager')]);
    assert.deepEqual(new Set(roles.map(({ status }) => status)), new Set([200]));
    const { members } = (await call(owner, `/games/${uid}`)).body.data;
    assert.deepEqual(members.map((each: { user_id: string }) => each.user_id).sort(), [owner.id, admin.id].sort());
  });

  test('can have a higher role than in the organisation on a single game, but no lower one', async () => {
    const [studio, member] = await Promise.all([makePlayer(server), makePlayer(server)]);
    const { game_uid: uid } = await createGame({}, studio);
    await changed(
      server.ctx.db,
      sql`insert into organisation_members (organisation_id, user_id, role)
        select organisation_id, ${member.id}, 'triager' from games where game_id = ${uid} on conflict do nothing`,
    );
    const path = `/games/${uid}/admins/${member.id}`;
    const setRole = (role: string) => call(studio, path, { method: 'PATCH', body: { role } });
    for (const role of ['viewer', 'triager']) assert.deepEqual(statusOf(await setRole(role)), [400, 4002]);
    assert.equal((await setRole('admin')).status, 200);
    assert.equal((await call(member, `/games/${uid}`)).body.data.role, 'admin');
    assert.equal((await call(studio, path, { method: 'DELETE' })).status, 200);
    assert.equal((await call(member, `/games/${uid}`)).body.data.role, 'triager');
  });

  test('cannot remove anyone, and strangers cannot see the game at all', async () => {
    const uid = await sharedGame();
    for (const id of [owner.id, admin.id]) {
      const remove = { method: 'DELETE' };
      assert.deepEqual(statusOf(await call(admin, `/games/${uid}/admins/${id}`, remove)), [403, 4031]);
      assert.deepEqual(statusOf(await call(stranger, `/games/${uid}/admins/${id}`, remove)), [404, 4040]);
    }
  });

  test('can leave, once; the owner and strangers cannot', async () => {
    const uid = await sharedGame();
    const leave = (person: Person) => call(person, `/games/${uid}/leave`, { method: 'POST' });
    assert.deepEqual(statusOf(await leave(owner)), [409, 4234]);
    assert.deepEqual(statusOf(await leave(stranger)), [404, 4040]);
    const responses = await Promise.all([leave(admin), leave(admin)]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 404]);
    assert.deepEqual(statusOf(await call(admin, `/games/${uid}`)), [404, 4040]);
    assert.equal((await call(owner, `/games/${uid}`)).body.data.members.length, 1);
  });
});

describe('a request about games', () => {
  test('without a session is refused with 4011', async () => {
    const { game_uid } = await createGame();
    for (const path of ['/games', `/games/${game_uid}`, `/games/${game_uid}/builds`, `/games/${game_uid}/channels`]) {
      assert.deepEqual(statusOf(await call(null, path)), [401, 4011], path);
    }
    const forged = { headers: { cookie: 'chauffeur.session_token=forged.signature' } };
    assert.deepEqual(statusOf(await call(null, '/games', forged)), [401, 4011]);
  });

  test('that changes something is refused with 4032 if a page of another site sent it', async () => {
    const post = (headers: Record<string, string>) =>
      call(owner, '/games', { method: 'POST', body: { name: 'A Game' }, headers });
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${server.url}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[];
    for (const headers of foreign)
      assert.deepEqual(statusOf(await post(headers)), [403, 4032], JSON.stringify(headers));
    const own = [{ origin: server.url }, { 'sec-fetch-site': 'same-origin' }, {}] as Record<string, string>[];
    for (const headers of own) assert.equal((await post(headers)).status, 201, JSON.stringify(headers));
    assert.equal((await call(owner, '/games', { headers: { origin: 'https://evil.example' } })).status, 200);
  });
});
