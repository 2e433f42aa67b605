// The overview of a developer's games on the real server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { addBuild, callAs, makeSharedGame, type Person } from './setup/crash-reports.ts';
import { send } from './setup/events.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

async function summaryOf(
  person: Person,
): Promise<{ game_uid: string; band: string; new_groups: number; open_bugs: number }[]> {
  const { status, body } = await callAs(server, person, '/overview/games');
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.games;
}

describe('the overview of games', () => {
  test('has the public health band and the open tickets of each game that the person owns or administers', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const buildId = await addBuild(server, game);
    const events = Array.from({ length: 20 }, (_, no) => ({ event: 'boot_ok', device_uid: `device-${no}` }));
    await send({ server, game: { uid: game.uid } as never, buildId }, { events });
    const player = await makePlayer(server);
    for (const status of ['open', 'open', 'closed']) {
      const body = { message: 'x' };
      const filed = await callAs(server, player, `/games/${game.uid}/bugs`, { method: 'POST', body });
      const path = `/games/${game.uid}/bugs/${filed.body.data.bug_uid}`;
      await callAs(server, game.owner, path, { method: 'PATCH', body: { status } });
    }
    const expected = [{ game_uid: game.uid, band: 'excellent', new_groups: 0, open_bugs: 2 }];
    assert.deepEqual(await summaryOf(game.owner), expected);
    assert.deepEqual(await summaryOf(game.admin), expected);
    assert.deepEqual(await summaryOf(other.owner), [
      { game_uid: other.uid, band: 'unrated', new_groups: 0, open_bugs: 0 },
    ]);
    assert.deepEqual(await summaryOf(player), []);
    assert.equal((await callAs(server, null, '/overview/games')).body.error?.code, 4011);
  });

  test('counts tickets up to a limit', async () => {
    const game = await makeSharedGame(server);
    await changed(
      server.ctx.db,
      sql`insert into bug_tickets (game_id, bug_id, filed_by, message)
        select ${game.uid}, gen_random_uuid(), 'x', 'x' from generate_series(1, ${LIMITS.bugsCounted + 1})`,
    );
    assert.equal((await summaryOf(game.owner))[0]?.open_bugs, LIMITS.bugsCounted);
  });
});
