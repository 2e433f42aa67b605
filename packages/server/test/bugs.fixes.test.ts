// Tickets that are fixed, assigned and linked to an issue on a real server, and what the players who filed them see.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { statusOf } from './setup/api-calls.ts';
import { callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { type ApiResponse, makePlayer, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_BUGS: '0' } });
});
after(() => server.stop());

type Filed = { bug_uid: string; number: number; page_url: string };

async function file(game: SharedGame, body: object, as: Person = game.owner): Promise<Filed> {
  const { status, body: response } = await callAs(server, as, `/games/${game.uid}/bugs`, { method: 'POST', body });
  assert.equal(status, 201, JSON.stringify(response));
  return response.data;
}

function patch(game: SharedGame, uid: string, body: object, as: Person = game.owner): Promise<ApiResponse> {
  return callAs(server, as, `/games/${game.uid}/bugs/${uid}`, { method: 'PATCH', body });
}

async function change(...args: Parameters<typeof patch>) {
  const { status, body } = await patch(...args);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** What the page of a ticket says, without tags. */
async function pageOf({ page_url }: Filed): Promise<string> {
  const response = await fetch(page_url);
  assert.equal(response.status, 200);
  return (await response.text()).replace(/<[^>]+>/g, ' ');
}

const mailsAbout = async (address: string, text: RegExp) =>
  (await mailsTo(server, address)).filter((mail) => text.test(mail.text));

describe('a fixed ticket', () => {
  test('is reported to the player and those who filed duplicates in which version, once', async () => {
    const game = await makeSharedGame(server);
    const [player, other] = [await makePlayer(server), await makePlayer(server)];
    const ticket = await file(game, { message: 'The owl fell', steps: ' 1. Jump\n2. Fly ' }, player);
    const duplicate = await file(game, { message: 'Owl falls down' }, other);
    assert.match(await pageOf(ticket), /Open: the developers have received it\..*1\. Jump\n2\. Fly/s);
    await change(game, duplicate.bug_uid, { duplicate_of: ticket.bug_uid });
    const fixed = await change(game, ticket.bug_uid, {
      status: 'fixed',
      fixed_in_version: '1.2.0',
      notify_player: true,
    });
    assert.deepEqual([fixed.status, fixed.fixed_in_version, fixed.steps], ['fixed', '1.2.0', '1. Jump\n2. Fly']);
    for (const { email } of [player, other]) {
      const mail = await mailTo(server, email, /^Re: your bug report in /);
      assert.match(mail.text, /fixed the bug that you reported\.\n\nThe fix is in version 1\.2\.0\./);
      assert.match(mail.field('List-Unsubscribe'), /^<http/);
    }
    assert.match(await pageOf(ticket), /Fixed in version 1\.2\.0/);
    assert.match(await pageOf(duplicate), /Other players reported this bug as well.*Fixed in version 1\.2\.0/s);
    // The same again is not sent again.
    await change(game, ticket.bug_uid, { status: 'fixed', fixed_in_version: '1.2.0', notify_player: true });
    await change(game, ticket.bug_uid, { status: 'fixed', fixed_in_version: '1.2.1', notify_player: true });
    await mailTo(server, player.email, /^Re: /);
    await change(game, ticket.bug_uid, { assignee: game.admin.id });
    await mailTo(server, game.admin.email, /assigned bug #1 /);
    assert.equal((await mailsAbout(player.email, /fixed the bug/)).length, 2);
  });

  test('is reported only on request, and a version goes with the status', async () => {
    const game = await makeSharedGame(server);
    const player = await makePlayer(server);
    const ticket = await file(game, { message: 'Stuck' }, player);
    await change(game, ticket.bug_uid, { status: 'fixed', fixed_in_version: '2.0.0' });
    const open = await change(game, ticket.bug_uid, { status: 'open' });
    assert.deepEqual([open.status, open.fixed_in_version], ['open', null]);
    const closed = await change(game, ticket.bug_uid, { status: 'closed' });
    assert.equal(closed.fixed_in_version, null);
    assert.match(await pageOf(ticket), /Closed/);
    for (const body of [
      { fixed_in_version: '1.0.0' },
      { notify_player: true },
      { status: 'closed', fixed_in_version: '1.0.0' },
      { status: 'open', notify_player: true },
      { status: 'fixed', fixed_in_version: '' },
      { status: 'fixed', fixed_in_version: 'a\nb' },
      { status: 'fixed', notify_player: 'yes' },
    ])
      assert.deepEqual(statusOf(await patch(game, ticket.bug_uid, body)), [400, 4002], JSON.stringify(body));
    await change(game, ticket.bug_uid, { assignee: game.admin.id });
    await mailTo(server, game.admin.email, /assigned bug #1 /);
    assert.deepEqual(await mailsAbout(player.email, /fixed/), []);
  });

  test('asks a guest to confirm the address, and emails nothing else to it', async () => {
    const game = await makeSharedGame(server);
    const body = { message: 'Stuck', email: 'stranger@example.com' };
    const filed = await callAs(server, null, `/public/games/${game.uid}/bugs`, { method: 'POST', body });
    await mailTo(server, body.email, /^Confirm your address/);
    await change(game, filed.body.data.bug_uid, { status: 'fixed', fixed_in_version: '1.0.1', notify_player: true });
    await change(game, filed.body.data.bug_uid, { assignee: game.admin.id });
    await mailTo(server, game.admin.email, /assigned bug #1 /);
    assert.equal((await mailsTo(server, body.email)).length, 1);
    assert.match(await pageOf(filed.body.data), /Fixed in version 1\.0\.1/);
  });
});

describe('a ticket', () => {
  test('is assigned to a member of its game, who gets an email, and found by it', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const ticket = await file(game, { message: 'The door is stuck' });
    await file(game, { message: 'The lamp is dark' });
    const assigned = await change(game, ticket.bug_uid, { assignee: game.admin.id });
    assert.equal(assigned.assignee.user_id, game.admin.id);
    const mail = await mailTo(server, game.admin.email, /assigned bug #1 /);
    assert.ok(mail.text.includes(`/bugs/${ticket.bug_uid}`), mail.text);
    const list = async (assignee: string) => {
      const { body } = await callAs(server, game.owner, `/games/${game.uid}/bugs?assignee=${assignee}`);
      return body.data.bugs.map(({ number }: { number: number }) => number);
    };
    assert.deepEqual([await list(game.admin.id), await list(game.owner.id)], [[1], []]);
    for (const assignee of [other.owner.id, 'unknown', '', 1])
      assert.deepEqual(statusOf(await patch(game, ticket.bug_uid, { assignee })), [400, 4002], String(assignee));
    assert.equal((await change(game, ticket.bug_uid, { assignee: null })).assignee, null);
    assert.deepEqual(
      statusOf(await patch(other, ticket.bug_uid, { assignee: other.owner.id }, other.owner)),
      [404, 4040],
    );
  });

  test('is linked to an issue by an address of the web', async () => {
    const game = await makeSharedGame(server);
    const ticket = await file(game, { message: 'Stuck' });
    const url = 'https://tracker.example.com/issues/12';
    assert.equal((await change(game, ticket.bug_uid, { issue_url: url })).issue_url, url);
    for (const issue_url of ['javascript:alert(1)', 'issue 12', '', `https://example.com/${'x'.repeat(2000)}`])
      assert.deepEqual(statusOf(await patch(game, ticket.bug_uid, { issue_url })), [400, 4002], issue_url);
    assert.equal((await change(game, ticket.bug_uid, { issue_url: null })).issue_url, null);
  });
});
