// The links of alerts about crash groups: what they offer, to whom, for how long, and that they change nothing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { raiseCrashAlerts } from '../src/crash/crashes/alerts/alerts.job.ts';
import { DAY } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { deriveKey, signToken } from '../src/kernel/secrets/signed-token.ts';
import { actionToken } from '../src/notify/alerts/action-links.ts';
import { addBuild, addReport, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { openPostOffice, type PostOffice } from './setup/post-office.ts';
import { openReceiver, type Receiver } from './setup/receiver.ts';
import { makeMember, makePlayer, startServer, type TestServer } from './setup/server.ts';

let [server, receiver, mails] = [] as unknown as [TestServer, Receiver, PostOffice];
before(async () => {
  receiver = await openReceiver();
  mails = await openPostOffice();
  server = await startServer({ env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1', CHAUFFEUR_SMTP: mails.url } });
});
after(() => Promise.all([server.stop(), receiver.close(), mails.close()]));

/** A trace in the message needs no dump, which a job of the server would have to walk. */
const TRACE = `System.NullReferenceException: Object reference not set to an instance of an object
  at Game.Door.Open (System.Int32 speed) [0x00012] in /build/Game/Door.cs:14
  at Game.Level.Load () [0x00008] in /build/Game/Level.cs:88`;

const ACTIONS = ['assign', 'resolve', 'snooze'] as const;

async function makeGroup(): Promise<{ game: SharedGame; groupId: string }> {
  const game = await makeSharedGame(server);
  return { game, groupId: await crashIn(game) };
}

async function crashIn(game: SharedGame): Promise<string> {
  const build = await addBuild(server, game, { version: '2.0.0' });
  await addReport(server.ctx, { game, buildId: build, message: TRACE, user_message: 'It fell @everyone' });
  const { body } = await callAs(server, game.owner, `/games/${game.uid}/crash-groups`);
  return body.data.groups[0].group_id;
}

const pathOf = (game: SharedGame, token: string) => `/games/${game.uid}/alert-actions/${token}`;

describe('the links of an alert', () => {
  test('arrive in the chat and by mail with the facts, and lead to the group', async () => {
    const game = await makeSharedGame(server);
    const body = { kind: 'discord', name: 'chat', url: `${receiver.url}/facts`, send_test: false };
    const added = await callAs(server, game.owner, `/games/${game.uid}/alert-destinations`, { method: 'POST', body });
    assert.equal(added.status, 201);
    const groupId = await crashIn(game);
    await raiseCrashAlerts(server.ctx);
    const sent = await receiver.take('/facts');
    const description: string = sent.embeds[0].description;
    assert.match(description, /\*\*Build:\*\* 2\.0\.0 for Linux x86\\_64/);
    assert.match(description, /\*\*Your code:\*\* Game\.Door\.Open \\\(Door\.cs\\:14\\\) ← Game\.Level\.Load/);
    assert.match(description, /\*\*Player:\*\* “It fell \\@ everyone”/);
    const links = [...description.matchAll(/\/alerts\/([\w-]+)/g)].map(([, token]) => token!);
    assert.equal(links.length, 3);
    const mail = await mails.take(/New crash group: .*Game\.Door\.Open/);
    assert.equal([...mail.text.matchAll(/\/alerts\/([\w-]+)/g)].length, 3);
    for (const [index, token] of links.entries()) {
      const offered = await callAs(server, game.admin, pathOf(game, token));
      assert.equal(offered.status, 200, JSON.stringify(offered.body));
      assert.deepEqual([offered.body.data.action, offered.body.data.group_id], [ACTIONS[index], groupId]);
    }
    const group = await callAs(server, game.owner, `/games/${game.uid}/crash-groups/${groupId}`);
    assert.deepEqual([group.body.data.status, group.body.data.assignee], ['open', null]);
  });

  test('are for members of the game, who need a role to make the change', async () => {
    const { game, groupId } = await makeGroup();
    const token = actionToken(server.ctx, { gameId: game.uid, groupId, action: 'resolve' });
    assert.equal((await callAs(server, null, pathOf(game, token))).status, 401);
    const stranger = await makePlayer(server);
    const hidden = await callAs(server, stranger, pathOf(game, token));
    assert.deepEqual([hidden.status, hidden.body.error?.code], [404, 4040]);
    const viewer = await makePlayer(server);
    await makeMember(server, game.uid, viewer, 'viewer');
    assert.equal((await callAs(server, viewer, pathOf(game, token))).status, 200);
    const group = `/games/${game.uid}/crash-groups/${groupId}`;
    const change = { method: 'PATCH', body: { status: 'resolved' } };
    assert.equal((await callAs(server, viewer, group, change)).status, 403);
    assert.equal((await callAs(server, stranger, group, change)).status, 404);
    assert.equal((await callAs(server, game.admin, group, change)).status, 200);
  });

  test('expire, and work for their own game, group and action only', async () => {
    const { game, groupId } = await makeGroup();
    const other = await makeGroup();
    const offer = { gameId: game.uid, groupId, action: 'snooze' } as const;
    const at = (ms: number) => ({ secret: server.ctx.secret, clock: { now: () => new Date(Date.now() + ms) } });
    const token = actionToken(server.ctx, offer);
    const bytes = Buffer.from(token, 'base64url');
    const flipped = bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte));
    const key = deriveKey(server.ctx.secret, 'alert action');
    for (const [path, message] of [
      [pathOf(game, actionToken(at(-15 * DAY), offer)), /expired/],
      // Issued while a clock was ahead.
      [pathOf(game, actionToken(at(2 * DAY), offer)), /expired/],
      [pathOf(other.game, token), /another game/],
      [pathOf(game, actionToken(server.ctx, { ...offer, gameId: other.game.uid })), /another game/],
      [pathOf(game, actionToken({ ...at(0), secret: newId() }, offer)), /incomplete/],
      [pathOf(game, Buffer.from(flipped).toString('base64url')), /incomplete/],
      [pathOf(game, token.slice(0, -2)), /incomplete/],
      [pathOf(game, 'x'), /incomplete/],
      [pathOf(game, '%00'), /./],
      [pathOf(game, signToken(key, Buffer.alloc(39, 255))), /incomplete/],
      [pathOf(game, signToken(key, Buffer.from('x'))), /incomplete/],
    ] as const) {
      const person = path.includes(other.game.uid) ? other.game.owner : game.owner;
      const { status, body } = await callAs(server, person, path);
      assert.ok([400, 404].includes(status), `${path}: ${status}`);
      assert.match(body.error?.message ?? '', message, path);
    }
    const { body } = await callAs(server, game.owner, pathOf(game, token));
    assert.deepEqual([body.data.action, body.data.group_id], ['snooze', groupId]);
  });
});
