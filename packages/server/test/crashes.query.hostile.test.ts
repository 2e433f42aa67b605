// Queries of crash groups and reports with values that break careless code, on a real database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseQuery, QUERY_KEYS } from '@chauffeur/contract/crash-query';
import { addBuild, addReport, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
let game: SharedGame;
before(async () => {
  server = await startServer({ role: 'api' });
  game = await makeSharedGame(server);
  const buildId = await addBuild(server, game, { version: '1.9.0' });
  await addReport(server.ctx, { game, buildId, stack: ['render::draw', 'main'], metadata: { gpu: 'RTX 3060' } });
  await addReport(server.ctx, { game, buildId, message: 'out of memory', user_message: 'It went dark' });
});
after(() => server.stop());

test('no query causes an error of the server', async () => {
  const values = [
    "'",
    '\\',
    '%',
    '_',
    '*',
    '**',
    '"a,b"',
    '-1',
    '9'.repeat(12),
    '1e9',
    'me',
    '2026-02-30',
    '0d',
    '99999w',
    '{}',
    '$1',
  ];
  const keys = [...Object.keys(QUERY_KEYS), 'metadata.x', 'metadata."', 'nothing'];
  const queries = [
    ...values,
    ...keys.flatMap((key) => values.flatMap((value) => [`${key}:${value}`, `-${key}:${value}`, `${key}:>${value}`])),
  ];
  for (let at = 0; at < queries.length; at += 8)
    await Promise.all(
      queries.slice(at, at + 8).flatMap((query) =>
        (['crash-groups', 'crashes'] as const).map(async (list) => {
          const { status } = await callAs(
            server,
            game.owner,
            `/games/${game.uid}/${list}?${new URLSearchParams({ query })}`,
          );
          const isValid = parseQuery(query).problems.length === 0;
          assert.ok(status === 200 || (status === 400 && (!isValid || list === 'crash-groups')), `${status} ${query}`);
        }),
      ),
    );
});
