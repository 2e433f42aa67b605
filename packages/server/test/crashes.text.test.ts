// Reports that are only text, on a real server: where a stack may be, what is read of it, and how reports are grouped.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { regroupReports } from '../src/crash/crashes/process/regroup.job.ts';
import { changed } from '../src/kernel/database/db.ts';
import { groupsOf, reportCrash, reportRow, untilDone } from './setup/crash-dumps.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

async function openGame() {
  const game = await makeGame(server);
  const [linux, windows] = [
    await register(server, game),
    await register(server, game, { version: '1.1.0', os: 'windows' }),
  ];
  return { game, linux, windows, headers: await signIn(server, game.owner) };
}

async function send(game: TestGame, buildId: string, fields: Record<string, unknown>) {
  return untilDone(server, await reportCrash(server, game, buildId, fields));
}

/** Creates a report with a log, which arrives after it. */
async function sendLog({ uid }: TestGame, buildId: string, log: Buffer, message = ''): Promise<string> {
  const { body } = await request(`${server.api}/public/crashes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-app-id': uid, 'x-build-id': buildId },
    body: JSON.stringify({ has_log: true, message }),
  });
  const sent = await request(body.data.uploads.log.url, { method: 'PUT', body: new Uint8Array(log) });
  assert.equal(sent.status, 200);
  return body.data.id;
}

const LOG = `${'Loading level 3\n'.repeat(50_000)}Traceback (most recent call last):
  File "C:\\Users\\Ann\\owls\\player.py", line 30, in equip
KeyError: 'sword'
Goodbye
`;

describe('a report that is only text', () => {
  test('is in one group whatever its build, OS, path, line and user', async () => {
    const { game, linux, windows } = await openGame();
    const at = (path: string, line: number) =>
      `System.NullReferenceException: Object reference not set.\n   at Owls.Player.Update(Int32 n) in ${path}:line ${line}`;
    const one = await send(game, linux, { message: at('/home/ann/owls/Player.cs', 12) });
    const two = await send(game, windows, { message: at('D:\\ci 7\\owls\\Player.cs', 14) });
    const other = await send(game, linux, { message: at('/a/Player.cs', 3).replace('Update', 'Jump') });
    assert.equal(one.group_id, two.group_id);
    assert.notEqual(one.group_id, other.group_id);
    assert.deepEqual(
      [one.signature, one.reason, one.functions],
      ['NullReferenceException | Owls.Player.Update', 'NullReferenceException', ['Owls.Player.Update']],
    );
  });

  test('may have its stack in the metadata, which continues the message', async () => {
    const { game, linux } = await openGame();
    const stack = 'Owls.Player.Update () (at Assets/Player.cs:12)\nUnityEngine.Foo:Bar()';
    const row = await send(game, linux, {
      message: 'NullReferenceException: not set',
      metadata: { stack, level: 'cave' },
    });
    assert.equal(row.signature, 'NullReferenceException | Owls.Player.Update');
    assert.deepEqual(
      row.frames.map(({ function: name, file, trust }) => [name, file, trust]),
      [
        ['Owls.Player.Update', 'Assets/Player.cs', 'text'],
        ['UnityEngine.Foo.Bar', null, 'text'],
      ],
    );
  });

  test('is read from the end of a long log that arrives later', async () => {
    const { game, linux } = await openGame();
    const id = await sendLog(game, linux, Buffer.from(LOG));
    const row = await until(async () => {
      const stored = await reportRow(server, id);
      return stored.signature !== null && stored;
    });
    assert.equal(row.signature, "KeyError: 'sword' | player.equip");
    await until(async () => (await groupsOf(server, game)).every(({ count }) => count === 1));
  });

  test('is read from a log in UTF-16', async () => {
    const { game, linux } = await openGame();
    const id = await sendLog(game, linux, Buffer.from(`\ufeff${LOG}`, 'utf16le'), 'The game crashed');
    const row = await until(async () => {
      const stored = await reportRow(server, id);
      return stored.signature !== null && stored;
    });
    assert.equal(row.signature, "KeyError: 'sword' | player.equip");
  });

  test('is read from a big-endian log in UTF-16, and from the end of a long one', async () => {
    const { game, linux } = await openGame();
    const long = `${'Уровень загружен\n'.repeat(20_000)}${LOG}`;
    for (const log of [Buffer.from(`\ufeff${LOG}`, 'utf16le').swap16(), Buffer.from(`\ufeff${long}`, 'utf16le')]) {
      const id = await sendLog(game, linux, log, 'The game crashed');
      const row = await until(async () => {
        const stored = await reportRow(server, id);
        return stored.signature !== null && stored;
      });
      assert.equal(row.signature, "KeyError: 'sword' | player.equip");
    }
  });

  test('never takes what the player wrote for a stack', async () => {
    const { game, linux } = await openGame();
    const row = await send(game, linux, { message: 'crash', user_message: 'Error: x\n    at hoot (owl.js:1:2)' });
    assert.deepEqual([row.signature, row.frames], [null, null]);
  });

  test('shows its stack as a dump does: the frames of the game, causes, and text to download', async () => {
    const { game, linux, headers } = await openGame();
    const message = `java.lang.RuntimeException: level 3
	at com.owls.Game.load(Game.java:20)
Caused by: java.lang.IllegalStateException: /home/ann/owls is gone
	at java.util.Objects.check(Objects.java:1)
	at com.owls.Level.open(Level.java:9)`;
    const { report_id: id } = await send(game, linux, { message });
    const read = async (path: string) =>
      (await request(`${server.api}/games/${game.uid}/crashes/${id}${path}`, { headers })).body.data;
    const stack = await read('/stack');
    assert.deepEqual(
      [stack.format, stack.reason, stack.assertion],
      ['Java', 'java.lang.IllegalStateException', '/home/<user>/owls is gone'],
    );
    assert.deepEqual(
      stack.crashed.frames.map(({ function: name, line, own }: { function: string; line: number; own: boolean }) => [
        name,
        line,
        own,
      ]),
      [
        ['java.util.Objects.check', 1, false],
        ['com.owls.Level.open', 9, true],
      ],
    );
    assert.deepEqual(
      stack.related.map(({ relation, type }: { relation: string; type: string }) => [relation, type]),
      [['consequence', 'java.lang.RuntimeException']],
    );
    const crash = await read('');
    assert.deepEqual(crash.available, ['stack']);
    assert.equal(crash.stack[1].function, 'com.owls.Level.open');
    const link = await request(`${server.api}/games/${game.uid}/crashes/${id}/downloads`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'stack' }),
    });
    const text = await (await fetch(link.body.data.url)).text();
    assert.match(
      text,
      /^java\.lang\.IllegalStateException: .*\n {2}0 {2}java\.util\.Objects\.check {2}Objects\.java:1\n/,
    );
    assert.match(text, /Led to: java\.lang\.RuntimeException: level 3\n/);
  });

  test('is grouped again from its text after the rules changed', async () => {
    const { game, linux } = await openGame();
    const { report_id: id } = await send(game, linux, { message: 'Error: x\n    at hoot (http://a/owl.js:1:2)' });
    await changed(
      server.ctx.db,
      sql`update crash_reports set trace = null, frames = null, signature = null, functions = '{}', grouping_version = 1
        where report_id = ${id}`,
    );
    await regroupReports(server.ctx, { gameId: game.uid, before: null });
    const row = await reportRow(server, id);
    assert.deepEqual([row.signature, row.functions], ['Error: x | owl.hoot', ['owl.hoot']]);
    assert.equal((await groupsOf(server, game)).length, 1);
  });

  test("follows the game's own grouping rules", async () => {
    const { game, linux, headers } = await openGame();
    const message = 'Error: x\n    at check (http://a/util.js:1:2)\n    at hoot (http://a/owl.js:1:2)';
    const before = await send(game, linux, { message });
    assert.equal(before.signature, 'Error: x | util.check');
    const saved = await request(`${server.api}/games/${game.uid}/grouping-rules`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ rules: [{ effect: 'irrelevant', frames: 'util.check' }] }),
    });
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    await until(async () => (await reportRow(server, before.report_id)).signature === 'Error: x | owl.hoot');
  });

  test('without a known format is grouped by its message, version and OS as before', async () => {
    const { game, linux, windows } = await openGame();
    const rows = [
      await send(game, linux, { message: 'Out of owls: 7' }),
      await send(game, linux, { message: 'Out of owls: 8' }),
      await send(game, windows, { message: 'Out of owls: 8' }),
    ];
    assert.equal(rows[0]!.group_id, rows[1]!.group_id);
    assert.notEqual(rows[1]!.group_id, rows[2]!.group_id);
    assert.equal(
      (await groupsOf(server, game)).every(({ kind }) => kind === 'message'),
      true,
    );
  });
});
