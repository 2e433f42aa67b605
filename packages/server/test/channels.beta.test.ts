// Beta members of a game on the real server: listed for its developers, who can remove them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../src/kernel/secrets/ids.ts';
import { callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

const join = (game: SharedGame, player: Person) => callAs(server, player, `/games/${game.uid}/beta`, { method: 'PUT' });

const list = (game: SharedGame, query: Record<string, string> = {}, person: Person | null = game.admin) =>
  callAs(server, person, `/games/${game.uid}/beta/members?${new URLSearchParams(query)}`);

const remove = (game: SharedGame, userId: string, person: Person | null = game.admin) =>
  callAs(server, person, `/games/${game.uid}/beta/members/${userId}`, { method: 'DELETE' });

async function idsOf(game: SharedGame): Promise<string[]> {
  const { body } = await list(game);
  return body.data.members.map(({ user_id }: { user_id: string }) => user_id);
}

describe('beta members', () => {
  test('are listed with name and time, most recent first, without their email', async () => {
    const game = await makeSharedGame(server);
    const players = [await makePlayer(server), await makePlayer(server)];
    for (const player of players) await join(game, player);
    const { status, body } = await list(game);
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.members.map(({ user_id, name }: { user_id: string; name: string }) => [user_id, name]),
      players.toReversed().map(({ id }) => [id, 'Player']),
    );
    assert.deepEqual(Object.keys(body.data.members[0]).toSorted(), ['joined_at', 'name', 'user_id']);
    assert.ok(Math.abs(Date.parse(body.data.members[0].joined_at) - Date.now()) < 60_000);
  });

  test('are listed in pages that stay correct while others join', async () => {
    const game = await makeSharedGame(server);
    const players = await Promise.all(Array.from({ length: 5 }, () => makePlayer(server)));
    for (const player of players) await join(game, player);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = (await list(game, { limit: '2', ...(cursor !== undefined && { cursor }) })).body;
      seen.push(...data.members.map(({ user_id }: { user_id: string }) => user_id));
      cursor = data.next_cursor ?? undefined;
      await join(game, await makePlayer(server));
    } while (cursor !== undefined);
    assert.deepEqual(seen, players.map(({ id }) => id).toReversed());
  });

  test('can be removed, then no longer see the beta, and can join again', async () => {
    const game = await makeSharedGame(server);
    const player = await makePlayer(server);
    await join(game, player);
    assert.deepEqual((await remove(game, player.id)).body.data, { removed: true });
    assert.deepEqual((await remove(game, player.id)).body.data, { removed: false });
    assert.deepEqual((await remove(game, newId())).body.data, { removed: false });
    assert.deepEqual(await idsOf(game), []);
    await join(game, player);
    assert.deepEqual(await idsOf(game), [player.id]);
  });

  test('are visible to the owner and admins of the game only', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const player = await makePlayer(server);
    await join(game, player);
    for (const person of [player, other.owner]) {
      assert.equal((await list(game, {}, person)).body.error?.code, 4040);
      assert.equal((await remove(game, player.id, person)).body.error?.code, 4040);
    }
    assert.equal((await list(game, {}, null)).body.error?.code, 4011);
    assert.equal((await remove(game, player.id, null)).body.error?.code, 4011);
    const { next_cursor } = (await list(game, { limit: '1' })).body.data;
    assert.equal(next_cursor, null);
    assert.equal((await list(game, { cursor: 'x'.repeat(30) })).body.error?.code, 4002);
    assert.deepEqual(await idsOf(game), [player.id]);
  });
});
