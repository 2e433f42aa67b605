// Handles and public pages of developers on the real server: who gets which handle, and which games a page lists.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { type Seed, seedGame } from './setup/listings.ts';
import { makePlayer, request, startServer, type TestServer } from './setup/server.ts';

type Person = Awaited<ReturnType<typeof makePlayer>>;

describe('developers and their handles', () => {
  let server: TestServer;
  let ann: Person;
  before(async () => {
    server = await startServer({ role: 'api' });
    ann = await makePlayer(server);
  });
  after(() => server.stop());

  const choose = (person: Person, handle: string | null) =>
    request(`${server.api}/profile`, {
      method: 'PATCH',
      headers: { ...person.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ handle }),
    });
  const look = (handle: string, query = '') => request(`${server.api}/public/developers/${handle}${query}`);

  test('there is none at first; it can be chosen, changed and removed', async () => {
    const person = await makePlayer(server);
    const mine = async () => (await request(`${server.api}/profile`, { headers: person.headers })).body.data;
    assert.deepEqual(await mine(), { handle: null });
    assert.deepEqual((await choose(person, 'first-choice')).body.data, { handle: 'first-choice' });
    assert.equal((await look('first-choice')).body.data.name, 'Player');
    assert.equal((await choose(person, 'second-choice')).status, 200);
    assert.equal((await look('first-choice')).body.data.handle, 'second-choice');
    assert.deepEqual(await mine(), { handle: 'second-choice' });
    assert.deepEqual((await choose(person, null)).body.data, { handle: null });
    assert.equal((await look('second-choice')).status, 404);
  });

  test('a malformed, reserved or taken handle is refused with 4002 and the reason', async () => {
    await choose(ann, 'ann');
    const other = await makePlayer(server);
    for (const [handle, reason] of [
      ['ann', /ann belongs to another developer/],
      ['Ann', /lowercase/],
      ['admin', /reserved/],
      ['a', /3 to 32/],
    ] as const) {
      const { status, body } = await choose(other, handle);
      assert.deepEqual([status, body.error?.code], [400, 4002], handle);
      assert.match(body.error?.message ?? '', reason);
    }
    assert.equal((await choose(ann, 'ann')).status, 200, 'choosing the same handle again succeeds');
  });

  test('of several concurrent requests for one handle, one succeeds and the others are refused', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => makePlayer(server)));
    const responses = await Promise.all(people.map((person) => choose(person, 'wanted')));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
  });

  test('a handle cannot be chosen by a page of another site or by a visitor', async () => {
    const forged = { ...ann, headers: { ...ann.headers, origin: 'https://evil.example' } };
    assert.equal((await choose(forged, 'forged')).body.error?.code, 4032);
    assert.equal((await choose({ ...ann, headers: { cookie: '' } }, 'new-handle')).body.error?.code, 4011);
  });

  test('a page lists the games that a search would find, newest first, in pages', async () => {
    const person = await makePlayer(server);
    const handle = `dev-${newId().slice(-8)}`;
    await choose(person, handle);
    const seed = (fields: Partial<Seed>) => seedGame(server, person.id, fields);
    const ago = (days: number) => new Date(Date.now() - days * DAY);
    await seed({ name: 'Older', publishedAt: ago(9) });
    await seed({ name: 'Newer', publishedAt: ago(2) });
    await seed({ name: 'Draft', visibility: 'draft' });
    await seed({ name: 'By link', visibility: 'invisible' });
    await seed({ name: 'Nothing to download', platforms: [] });
    const { body } = await look(handle, '?limit=1');
    assert.deepEqual(
      body.data.games.map(({ name }: { name: string }) => name),
      ['Newer'],
    );
    const second = await look(handle, `?limit=1&cursor=${body.data.next_cursor}`);
    assert.deepEqual([second.body.data.games[0].name, second.body.data.next_cursor], ['Older', null]);
    const { body: game } = await request(`${server.api}/public/games/${second.body.data.games[0].slug}`);
    assert.equal(game.data.developer_handle, handle);
    const others = `dev-${newId().slice(-8)}`;
    await choose(await makePlayer(server), others);
    assert.equal((await look(others, `?cursor=${body.data.next_cursor}`)).body.error?.code, 4002);
  });

  test('a page reveals nothing else about the person', async () => {
    const { body } = await look('ann');
    assert.deepEqual(Object.keys(body.data).sort(), ['games', 'handle', 'name', 'next_cursor', 'since']);
    assert.doesNotMatch(JSON.stringify(body), /@example\.com/);
  });
});
