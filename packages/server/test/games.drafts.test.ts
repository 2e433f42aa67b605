// Drafts of listings on the real server: only members see them, and publishing replaces what players see.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { makeMember, makePlayer, request, startServer, type TestServer } from './setup/server.ts';

const LISTING = {
  ...{ name: 'New name', tagline: ' A new line ', description: 'New **text**', tags: ['cosy', 'cosy', 'night'] },
  ...{ links: [{ kind: 'website', url: 'https://owls.example.com' }], languages: ['en'] },
  ...{ requirements: [], content_notes: ['Heights'] },
};

describe('the draft of a listing', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  const draftOf = ({ game, owner }: OwnedGame, method: string, body?: object, path = '') =>
    callApi(server, owner, method, `/games/${game.uid}/draft${path}`, body);
  const page = async ({ game }: OwnedGame, query = '', headers = {}) =>
    (await request(`${server.api}/public/games/${game.uid}${query}`, { headers })).body.data;

  test('is seen by members in the preview, and by players once it is published', async () => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    const { name: before } = await page(owned);
    assert.deepEqual((await draftOf(owned, 'GET')).body.data, { draft: null });
    const saved = await draftOf(owned, 'PUT', LISTING);
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    assert.equal(saved.body.data.draft.tagline, 'A new line');
    assert.deepEqual(saved.body.data.draft.tags, ['cosy', 'night']);
    assert.deepEqual(await draftOf(owned, 'GET').then(({ body }) => body.data), saved.body.data);
    for (const query of ['', '?preview=draft']) assert.equal((await page(owned, query)).name, before);
    const preview = await page(owned, '?preview=draft', owned.owner);
    assert.deepEqual(
      [preview.name, preview.description, preview.content_notes],
      ['New name', 'New **text**', ['Heights']],
    );
    assert.equal((await page(owned, '', owned.owner)).name, before);

    const published = await draftOf(owned, 'POST', undefined, '/publish');
    assert.equal(published.status, 200, JSON.stringify(published.body));
    const shown = await page(owned);
    assert.deepEqual([shown.name, shown.tagline, shown.visibility], ['New name', 'A new line', 'public']);
    assert.deepEqual((await draftOf(owned, 'GET')).body.data, { draft: null });
    assert.deepEqual(statusOf(await draftOf(owned, 'POST', undefined, '/publish')), [404, 4040]);
  });

  test('keeps the videos of the game if it has none of its own', async () => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    const videos = ['https://vimeo.com/76979871'];
    await callApi(server, owned.owner, 'PATCH', `/games/${owned.game.uid}`, { videos });
    await draftOf(owned, 'PUT', LISTING);
    assert.deepEqual((await page(owned, '?preview=draft', owned.owner)).videos, videos);
    await draftOf(owned, 'POST', undefined, '/publish');
    assert.deepEqual((await page(owned)).videos, videos);
    await draftOf(owned, 'PUT', { ...LISTING, videos: [] });
    await draftOf(owned, 'POST', undefined, '/publish');
    assert.deepEqual((await page(owned)).videos, []);
  });

  test('can be discarded, twice as well', async () => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    await draftOf(owned, 'PUT', LISTING);
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual((await draftOf(owned, 'DELETE')).body.data, { draft: null });
    assert.notEqual((await page(owned, '?preview=draft', owned.owner)).name, 'New name');
  });

  test('that someone else has saved since is not discarded', async () => {
    const owned = await makeOwnedGame(server);
    const at = async () => (await draftOf(owned, 'PUT', LISTING)).body.data.draft.saved_at;
    const discard = (savedAt: string) =>
      draftOf(owned, 'DELETE', undefined, `?saved_at=${encodeURIComponent(savedAt)}`);
    const first = await at();
    let second = await at();
    while (second === first) second = await at();
    const kept = await discard(first);
    assert.deepEqual([kept.status, kept.body.data.draft.saved_at], [200, second]);
    assert.deepEqual((await discard(second)).body.data, { draft: null });
    assert.deepEqual(statusOf(await discard('yesterday')), [400, 4002]);
  });

  test('is checked like what is published', async () => {
    const owned = await makeOwnedGame(server);
    const wrong = [
      { ...LISTING, tags: ['Not a tag'] },
      { ...LISTING, links: [{ kind: 'website', url: 'https://user@owls.example.com' }] },
      ...['', 'a\nb', 'a\u202eb'].map((name) => ({ ...LISTING, name })),
      { name: 'Only' },
    ];
    for (const body of wrong) assert.deepEqual(statusOf(await draftOf(owned, 'PUT', body)), [400, 4002]);
    assert.deepEqual((await draftOf(owned, 'GET')).body.data, { draft: null });
  });

  test('is for members: viewers read it, and strangers find nothing', async () => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    await draftOf(owned, 'PUT', LISTING);
    const [viewer, stranger] = [await makePlayer(server), await makePlayer(server)];
    await makeMember(server, owned.game.uid, viewer, 'viewer');
    const as = (headers: object, method: string, body?: object) =>
      callApi(server, headers, method, `/games/${owned.game.uid}/draft`, body);
    assert.equal((await as(viewer.headers, 'GET')).body.data.draft.name, 'New name');
    assert.deepEqual(statusOf(await as(viewer.headers, 'PUT', LISTING)), [403, 4031]);
    assert.deepEqual(statusOf(await as(stranger.headers, 'GET')), [404, 4040]);
    assert.notEqual((await page(owned, '?preview=draft', stranger.headers)).name, 'New name');
  });
});
