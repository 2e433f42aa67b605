// Open pages of a game learn of its changes through a stream, whichever process makes them, until they lose access.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { beat } from '../src/notify/live/open-streams.ts';
import { forgetChanges } from '../src/request/game-changes.sql.ts';
import { noteChange } from '../src/request/game-changes.ts';
import { makeAdmin, makeGame, makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
let other: TestServer;
before(async () => {
  server = await startServer();
  other = await startServer({ role: 'api', shareWith: server });
});
after(async () => {
  await other?.stop();
  await server?.stop();
});

type Opened = { status: number; type: string | null; text: () => string; hasEnded: () => boolean; leave: () => void };

/** Opens a stream and reads it in the background. */
async function open({ api }: TestServer, gameUid: string, headers: object, seconds = 600): Promise<Opened> {
  const leaving = new AbortController();
  const init = { headers: { ...headers }, signal: leaving.signal };
  const response = await fetch(`${api}/games/${gameUid}/changes?seconds=${seconds}`, init);
  let [text, ended] = ['', false];
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  };
  read()
    .catch(() => undefined)
    .finally(() => {
      ended = true;
    });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: () => text,
    hasEnded: () => ended,
    leave: () => leaving.abort(),
  };
}

const changesOf = ({ text }: Opened) => [...text().matchAll(/event: change\ndata: (.+)\n/g)].map(([, data]) => data);

/** A game with the headers of its owner's browser. */
async function openGame() {
  const game = await makeGame(server);
  return { ...game, session: { ...(await signIn(server, game.owner)), origin: server.url } };
}

describe('the stream of changes', () => {
  test('reports a change that another process makes, to the pages of that game only', async () => {
    const [game, quiet] = [await openGame(), await openGame()];
    const stream = await open(server, game.uid, game.session);
    const others = await open(server, quiet.uid, quiet.session);
    assert.deepEqual([stream.status, stream.type], [200, 'text/event-stream']);
    await until(async () => stream.text().startsWith('retry: '));
    await register(other, game, { version: '1.0' });
    await until(async () => changesOf(stream).length > 0);
    assert.deepEqual(changesOf(stream)[0], '{"topics":["builds"]}');
    noteChange(other.ctx, game.slug, 'crashes');
    await until(async () => changesOf(stream).includes('{"topics":["crashes"]}'));
    assert.deepEqual(changesOf(others), []);
    stream.leave();
    others.leave();
  });

  test('begins with what changed in the last seconds, if the process knows it already', async () => {
    const game = await openGame();
    const first = await open(server, game.uid, game.session);
    noteChange(other.ctx, game.uid, 'crashes');
    await until(async () => changesOf(first).length > 0);
    const second = await open(server, game.uid, game.session);
    await until(async () => second.text().includes('\n\n'));
    assert.match(
      second.text(),
      /^retry: \d+\nevent: ready\ndata: \{\}\n\nevent: change\ndata: \{"topics":\["crashes"\]\}\n\n/,
    );
    first.leave();
    second.leave();
  });

  test('needs a session and a role on the game, and ends after the time that was asked for', async () => {
    const game = await openGame();
    const url = `${server.api}/games/${game.uid}/changes?seconds=600`;
    assert.equal((await request(url)).body.error?.code, 4011);
    const player = await makePlayer(server);
    assert.equal((await request(url, { headers: player.headers })).body.error?.code, 4040);
    assert.equal(
      (await request(url.replace('seconds=600', 'seconds=0'), { headers: game.session })).body.error?.code,
      4002,
    );
    const short = await open(server, game.uid, game.session, 1);
    await until(async () => short.hasEnded());
    const head = await fetch(url, { method: 'HEAD', headers: game.session });
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream']);
  });

  test('ends when its reader signs out or loses the role, and stays open for others', async () => {
    const game = await openGame();
    const admin = await makePlayer(server);
    await makeAdmin(server, game.uid, admin);
    const [kept, lost] = [await open(server, game.uid, game.session), await open(server, game.uid, admin.headers)];
    await beat(server.ctx);
    await until(async () => [kept, lost].every(({ text }) => text().includes(': beat')));
    const path = `${server.api}/games/${game.uid}/admins/${admin.id}`;
    const removed = await fetch(path, { method: 'DELETE', headers: game.session });
    assert.ok(removed.ok, `${removed.status} ${await removed.text()}`);
    await beat(server.ctx);
    await until(async () => lost.hasEnded());
    assert.equal(kept.hasEnded(), false);
    const headers = { ...game.session, 'content-type': 'application/json' };
    const signedOut = await fetch(`${server.url}/api/auth/sign-out`, { method: 'POST', headers, body: '{}' });
    assert.ok(signedOut.ok);
    await beat(server.ctx);
    await until(async () => kept.hasEnded());
  });

  test('an account has a limited number of streams, and gets the place of one that was closed', async () => {
    const game = await openGame();
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(server, game.uid, game.session)));
    assert.ok(streams.every(({ status }) => status === 200));
    const refused = await fetch(`${server.api}/games/${game.uid}/changes?seconds=600`, { headers: game.session });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30']);
    streams[0]?.leave();
    const again = await until(async () => {
      const stream = await open(server, game.uid, game.session);
      return stream.status === 200 && stream;
    });
    for (const stream of [...streams, again]) stream.leave();
  });

  test('ends at once when the process stops, and old changes are forgotten', async () => {
    const game = await openGame();
    const third = await startServer({ role: 'api', shareWith: server });
    const stream = await open(third, game.uid, game.session);
    const start = performance.now();
    await third.stop();
    await until(async () => stream.hasEnded());
    assert.ok(performance.now() - start < 10_000);
    await forgetChanges(server.ctx.db);
  });
});
