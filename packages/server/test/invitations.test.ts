// Invitations and transfers on the real server: mailed, accepted once and only by the invited person, without revealing
// who has an account.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY, MINUTE } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { createUser } from '../src/people/accounts/accounts.ts';
import { forgetOldInvitations } from '../src/team/invitations/invitations.ts';
import { codeOf, connect, makeKey } from './setup/agents.ts';
import { callApi, makeOwnedGame, type OwnedGame, type Session, statusOf } from './setup/api-calls.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { makeAdmin, makeGame, makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { addSymbols, debugIdOf, symText } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register, shipAndScan } from './setup/uploads.ts';

const DEBUG_ID = debugIdOf('transfer');

let server: TestServer;
let now = Date.now();

before(async () => {
  server = await startServer({ clock: { now: () => new Date(now) } });
});
after(() => server.stop());

const open = () => makeOwnedGame(server);
const call = (headers: Session, method: string, path: string, body?: object) =>
  callApi(server, headers, method, path, body);
const invite = ({ game, owner }: OwnedGame, email: string) =>
  call(owner, 'POST', `/games/${game.uid}/invitations`, { email });
const offer = ({ game, owner }: OwnedGame, email: string, password = game.owner.password) =>
  call(owner, 'POST', `/games/${game.uid}/transfer`, { email, password });
const roleIn = async ({ game }: OwnedGame, headers: Session) =>
  (await call(headers, 'GET', `/games/${game.uid}`)).body.data?.role ?? null;
const openOf = async ({ game, owner }: OwnedGame) =>
  (await call(owner, 'GET', `/games/${game.uid}/invitations`)).body.data.invitations as {
    invitation_uid: string;
    email: string;
    role: string;
    status: string;
    expires_at: string;
  }[];

const ABOUT = /^(Invitation to|Transfer of)/;

/** Waits for `count` mails about invitations and returns the token from the last one. */
async function tokenFor(email: string, count = 1): Promise<string> {
  const mails = await until(async () => {
    const received = (await mailsTo(server, email)).filter(({ subject }) => ABOUT.test(subject));
    return received.length >= count && received;
  });
  return /\/invitations\/(\w+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
}

const accept = (headers: Session, token: string) => call(headers, 'POST', `/invitations/${token}/accept`);
const decline = (headers: Session, token: string) => call(headers, 'POST', `/invitations/${token}/decline`);
const look = (headers: Session, token: string) => call(headers, 'GET', `/invitations/${token}`);

describe('inviting an admin', () => {
  test('gets the same response and mail whether or not the address has an account, and adds no member', async () => {
    const own = await open();
    const person = await makePlayer(server);
    const stranger = `stranger-${newId()}@example.com`;
    const responses = [await invite(own, person.email), await invite(own, stranger)];
    const [toAccount, toStranger] = responses.map(({ status, body }) => {
      const { invitation_uid, email, invited_at, sent_at, expires_at, ...rest } = body.data;
      return [status, rest];
    });
    assert.deepEqual(toAccount, toStranger);
    assert.deepEqual(toAccount, [202, { role: 'admin', status: 'pending', invited_by: 'Owner' }]);
    assert.equal(await roleIn(own, person.headers), null);
    const [one, other] = await Promise.all([person.email, stranger].map((email) => mailTo(server, email, ABOUT)));
    const textOf = (mail: typeof one, email: string) =>
      mail?.text.replaceAll(email, '').replaceAll(/(invitations|block-emails)\/[\w-]+/g, '');
    assert.equal(textOf(one, person.email), textOf(other, stranger));
  });

  test('makes the person an admin after they accept; the letter case of the email does not matter', async () => {
    const own = await open();
    const person = await makePlayer(server);
    await invite(own, person.email.toUpperCase());
    const token = await tokenFor(person.email);
    const details = (await look(person.headers, token)).body.data;
    assert.deepEqual(
      [details.role, details.status, details.problem, details.game.game_uid],
      ['admin', 'pending', null, own.game.uid],
    );
    assert.equal(Date.parse(details.expires_at) - Date.parse(details.invited_at), 7 * DAY);
    const accepted = await accept(person.headers, token);
    assert.deepEqual([accepted.status, accepted.body.data.status], [200, 'accepted']);
    assert.equal(await roleIn(own, person.headers), 'admin');
    assert.deepEqual(await openOf(own), []);
  });

  test('can be accepted from an account created afterwards, once its email is verified', async () => {
    const own = await open();
    const account = { email: `new-${newId()}@example.com`, password: 'correct horse battery' };
    await invite(own, account.email);
    const token = await tokenFor(account.email);
    await createUser(server.ctx, server.app.auth, { ...account, name: 'New', verified: false });
    const headers = await signIn(server, account);
    assert.deepEqual(statusOf(await accept(headers, token)), [403, 4232]);
    assert.equal((await look(headers, token)).body.data.problem.code, 4232);
    await changed(server.ctx.db, sql`update users set email_verified = true where email = ${account.email}`);
    assert.equal((await accept(headers, token)).status, 200);
    assert.equal(await roleIn(own, headers), 'admin');
  });

  test('cannot be accepted or declined from another account, by a visitor or with a guessed link', async () => {
    const own = await open();
    const [person, other] = [await makePlayer(server), await makePlayer(server)];
    await invite(own, person.email);
    const token = await tokenFor(person.email);
    for (const act of [accept, decline]) {
      assert.deepEqual(statusOf(await act(other.headers, token)), [403, 4231]);
      assert.deepEqual(statusOf(await act({ cookie: '' }, token)), [401, 4011]);
      assert.deepEqual(statusOf(await act(person.headers, `${token}x`)), [404, 4040]);
    }
    assert.deepEqual(statusOf(await look({ cookie: '' }, token)), [401, 4011]);
    assert.equal((await look(other.headers, token)).body.data.problem.code, 4231);
    assert.equal(await roleIn(own, other.headers), null);
  });

  test('can be accepted once, even by concurrent requests', async () => {
    const own = await open();
    const person = await makePlayer(server);
    await invite(own, person.email);
    const token = await tokenFor(person.email);
    const responses = await Promise.all([1, 2, 3].map(() => accept(person.headers, token)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409]);
    await call(own.owner, 'DELETE', `/games/${own.game.uid}/admins/${person.id}`);
    assert.deepEqual(statusOf(await accept(person.headers, token)), [409, 4230]);
    assert.equal(await roleIn(own, person.headers), null);
  });

  test('ends when it is withdrawn or declined, after seven days, or when the game is deleted', async () => {
    const own = await open();
    const people = await Promise.all(['a', 'b', 'c', 'd'].map(() => makePlayer(server)));
    for (const { email } of people) await invite(own, email);
    const tokens = await Promise.all(people.map(({ email }) => tokenFor(email)));
    const [withdrawn, declined, late, deleted] = people.map(({ headers }, no) => ({
      headers,
      token: tokens[no] ?? '',
    }));
    const uidOf = async (email?: string) =>
      (await openOf(own)).find((each) => each.email === email)?.invitation_uid ?? '';
    const path = `/games/${own.game.uid}/invitations/${await uidOf(people[0]?.email)}`;
    assert.deepEqual(
      [(await call(own.owner, 'DELETE', path)).status, (await call(own.owner, 'DELETE', path)).status],
      [200, 200],
    );
    assert.deepEqual(statusOf(await accept(withdrawn!.headers, withdrawn!.token)), [409, 4230]);
    assert.equal((await decline(declined!.headers, declined!.token)).body.data.status, 'declined');
    assert.deepEqual(statusOf(await accept(declined!.headers, declined!.token)), [409, 4230]);
    assert.equal((await openOf(own)).find(({ email }) => email === people[1]?.email)?.status, 'declined');
    now += 7 * DAY;
    assert.deepEqual(statusOf(await accept(late!.headers, late!.token)), [409, 4230]);
    assert.equal((await look(late!.headers, late!.token)).body.data.status, 'expired');
    const deletion = { name: (await call(own.owner, 'GET', `/games/${own.game.uid}`)).body.data.name };
    await call(own.owner, 'POST', `/games/${own.game.uid}/deletion`, {
      ...deletion,
      password: own.game.owner.password,
    });
    assert.deepEqual(statusOf(await accept(deleted!.headers, deleted!.token)), [404, 4040]);
  });

  test('can be resent after a minute, with a new link that replaces the old one', async () => {
    const own = await open();
    const person = await makePlayer(server);
    const { invitation_uid: uid } = (await invite(own, person.email)).body.data;
    const first = await tokenFor(person.email);
    const resend = () => call(own.owner, 'POST', `/games/${own.game.uid}/invitations/${uid}/resend`);
    for (const again of [resend, () => invite(own, person.email)]) {
      const early = await again();
      assert.deepEqual(statusOf(early), [429, 4290]);
      assert.equal(early.headers.get('retry-after'), '60');
    }
    now += 8 * DAY;
    assert.equal((await openOf(own))[0]?.status, 'expired');
    const renewed = await resend();
    assert.deepEqual(
      [renewed.status, renewed.body.data.status, renewed.body.data.invitation_uid],
      [202, 'pending', uid],
    );
    const second = await tokenFor(person.email, 2);
    assert.deepEqual(statusOf(await accept(person.headers, first)), [404, 4040]);
    assert.equal((await accept(person.headers, second)).status, 200);
    assert.deepEqual(statusOf(await resend()), [409, 4230]);
  });

  test('is available only to the owner of the game, as are listing, resending and withdrawing', async () => {
    const [own, foreign] = [await open(), await open()];
    const [admin, person] = [await makePlayer(server), await makePlayer(server)];
    await makeAdmin(server, own.game.uid, admin);
    const { invitation_uid: uid } = (await invite(own, person.email)).body.data;
    const base = `/games/${own.game.uid}`;
    const calls = [
      ['POST', `${base}/invitations`, { email: person.email }],
      ['POST', `${base}/transfer`, { email: person.email, password: 'correct horse battery' }],
      ['GET', `${base}/invitations`],
      ['POST', `${base}/invitations/${uid}/resend`],
      ['DELETE', `${base}/invitations/${uid}`],
    ] as const;
    for (const [method, path, body] of calls) {
      assert.deepEqual(statusOf(await call(admin.headers, method, path, body)), [403, 4031], path);
      assert.deepEqual(statusOf(await call(foreign.owner, method, path, body)), [404, 4040], path);
    }
    for (const [method, end] of [
      ['POST', '/resend'],
      ['DELETE', ''],
    ] as const) {
      const path = `/games/${foreign.game.uid}/invitations/${uid}${end}`;
      assert.deepEqual(statusOf(await call(foreign.owner, method, path)), [404, 4040]);
    }
    assert.equal((await openOf(own)).length, 1);
  });

  test('refuses members with 4233, malformed addresses with 4002 and owners with an unverified email with 4096', async () => {
    const own = await open();
    const admin = await makePlayer(server);
    await makeAdmin(server, own.game.uid, admin);
    for (const email of [admin.email, own.game.owner.email])
      assert.deepEqual(statusOf(await invite(own, email)), [409, 4233]);
    const wrong = [
      '',
      'a',
      'a@',
      'a b@c.de',
      'a@b.de, c@d.de',
      'a@b.de\nBcc: c@d.de',
      '<a@b.de>',
      `${'a'.repeat(320)}@b.de`,
    ];
    for (const email of wrong) assert.deepEqual(statusOf(await invite(own, email)), [400, 4002], email);
    const game = await makeGame(server, { verified: false });
    const owner = await signIn(server, game.owner);
    assert.deepEqual(statusOf(await invite({ game, owner }, 'a@example.com')), [403, 4096]);
    assert.equal((await openOf({ game, owner })).length, 0);
  });

  test('is limited per owner and hour, across all games', async () => {
    const own = await open();
    const { game_uid } = (await call(own.owner, 'POST', '/games', { name: 'Second' })).body.data;
    for (let no = 0; no < 20; no += 1) assert.equal((await invite(own, `p${no}-${newId()}@example.com`)).status, 202);
    const second = await call(own.owner, 'POST', `/games/${game_uid}/invitations`, { email: 'p@example.com' });
    assert.deepEqual(statusOf(second), [429, 4290]);
    assert.match(second.body.error?.message ?? '', /This account has reached its limit of 20 invitations an hour/);
    assert.equal((await openOf(own)).length, 20);
  });

  test('stores only a hash of the token and deletes addresses a month after the end', async () => {
    const own = await open();
    const person = await makePlayer(server);
    const stranger = `kept-${newId()}@example.com`;
    await invite(own, person.email);
    await invite(own, stranger);
    const token = await tokenFor(person.email);
    await tokenFor(stranger);
    assert.ok(!(await readWholeDatabase(server.ctx.db)).includes(token));
    now += 37 * DAY - MINUTE;
    await forgetOldInvitations(server.ctx);
    assert.equal((await openOf(own)).length, 2);
    now += MINUTE + 1;
    await forgetOldInvitations(server.ctx);
    assert.equal((await openOf(own)).length, 0);
  });
});

describe('transferring a game', () => {
  test('takes effect when the new owner accepts, and keeps the former owner as an admin', async () => {
    const own = await open();
    const person = await makePlayer(server);
    assert.equal((await offer(own, person.email)).status, 202);
    const token = await tokenFor(person.email);
    assert.deepEqual([await roleIn(own, own.owner), await roleIn(own, person.headers)], ['owner', null]);
    assert.equal((await accept(person.headers, token)).body.data.status, 'accepted');
    assert.deepEqual([await roleIn(own, own.owner), await roleIn(own, person.headers)], ['admin', 'owner']);
    const mail = await mailTo(server, own.game.owner.email, /was transferred/);
    assert.match(mail.text.replace(/\s+/g, ' '), /now owns the game/);
    assert.deepEqual(statusOf(await call(own.owner, 'GET', `/games/${own.game.uid}/deletion`)), [403, 4031]);
    await call(person.headers, 'DELETE', `/games/${own.game.uid}/admins/${own.game.owner.id}`);
    assert.equal(await roleIn(own, own.owner), null);
  });

  test('to an admin replaces that role and withdraws pending invitations', async () => {
    const own = await open();
    const [admin, invited] = [await makePlayer(server), await makePlayer(server)];
    await makeAdmin(server, own.game.uid, admin);
    await invite(own, invited.email);
    await offer(own, admin.email);
    assert.equal((await accept(admin.headers, await tokenFor(admin.email))).status, 200);
    const { members } = (await call(admin.headers, 'GET', `/games/${own.game.uid}`)).body.data;
    assert.deepEqual(
      members.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role]),
      [
        [admin.id, 'owner'],
        [own.game.owner.id, 'admin'],
      ],
    );
    assert.deepEqual(statusOf(await accept(invited.headers, await tokenFor(invited.email))), [409, 4230]);
  });

  test('revokes the deploy key and the symbol server URL, which the former owner still has', async () => {
    const own = await open();
    const path = `/games/${own.game.uid}/symbol-token`;
    const symbolsUrl = (await call(own.owner, 'POST', path)).body.data.symbols_url;
    const buildId = await register(server, own.game, { version: '1.0' });
    await addSymbols(server, own.game, buildId, symText({ file: 'game', debugId: DEBUG_ID }));
    const read = async () => (await fetch(`${symbolsUrl}/game/${DEBUG_ID}/game.sym`)).status;
    assert.equal(await read(), 200);
    const person = await makePlayer(server);
    await offer(own, person.email);
    await accept(person.headers, await tokenFor(person.email));
    assert.deepEqual(statusOf(await request(`${server.api}/tool/info`, { headers: own.game.keyHeaders })), [401, 4023]);
    assert.equal(await read(), 404);
  });

  test('requires the password and allows one pending transfer at a time', async () => {
    const own = await open();
    const [person, other] = [await makePlayer(server), await makePlayer(server)];
    assert.deepEqual(statusOf(await offer(own, person.email, 'wrong')), [403, 4236]);
    assert.deepEqual(await openOf(own), []);
    assert.deepEqual(statusOf(await offer(own, own.game.owner.email)), [409, 4233]);
    const { invitation_uid } = (await offer(own, person.email)).body.data;
    assert.deepEqual(statusOf(await offer(own, other.email)), [409, 4235]);
    await call(own.owner, 'DELETE', `/games/${own.game.uid}/invitations/${invitation_uid}`);
    assert.equal((await offer(own, other.email)).status, 202);
    assert.deepEqual(statusOf(await accept(person.headers, await tokenFor(person.email))), [409, 4230]);
    now += 7 * DAY;
    assert.equal((await offer(own, person.email)).status, 202);
  });

  test('immediately limits agents of the former owner to the rights of an admin', async () => {
    const own = await open();
    const person = await makePlayer(server);
    const { key } = await makeKey(server, own.owner);
    const agent = await connect(server, key);
    await offer(own, person.email);
    await accept(person.headers, await tokenFor(person.email));
    assert.equal(codeOf(await agent.call('list_channels', { uid: own.game.uid })), 0);
    await call(person.headers, 'DELETE', `/games/${own.game.uid}/admins/${own.game.owner.id}`);
    assert.equal(codeOf(await agent.call('list_channels', { uid: own.game.uid })), 4040);
    await agent.close();
  });

  test('hands over pending approvals: the code mailed to the former owner stops working', async () => {
    const own = await open();
    const { buildId } = await shipAndScan(server, own.game, { version: '1.0', channel: 'beta' });
    const person = await makePlayer(server);
    const { key } = await makeKey(server, own.owner);
    const agent = await connect(server, key);
    const promotion = await agent.call('promote_build', { uid: own.game.uid, build_id: buildId, channel: 'stable' });
    const { uid } = promotion.structuredContent.approval;
    const codeIn = async (email: string) =>
      /Confirmation code: (\d{6})/.exec((await mailTo(server, email, /^Approve/)).text.replace(/\s+/g, ' '))?.[1] ?? '';
    const formerCode = await codeIn(own.game.owner.email);
    await offer(own, person.email);
    await accept(person.headers, await tokenFor(person.email));
    const code = await codeIn(person.email);
    if (code !== formerCode)
      assert.equal(codeOf(await agent.call('confirm_approval', { uid, code: formerCode })), 4216);
    await agent.close();
    assert.deepEqual(
      statusOf(await call(own.owner, 'POST', `/approvals/${uid}/decide`, { approve: true })),
      [403, 4031],
    );
    const waiting = (await call(person.headers, 'GET', '/approvals')).body.data.approvals;
    assert.deepEqual(
      waiting.map((approval: { uid: string }) => approval.uid),
      [uid],
    );
    const decided = await call(person.headers, 'POST', `/approvals/${uid}/decide`, { approve: true });
    assert.deepEqual([decided.status, decided.body.data?.status], [200, 'approved']);
  });

  test('accepted and withdrawn concurrently ends in exactly one of the two states', async () => {
    for (let round = 0; round < 5; round += 1) {
      const own = await open();
      const person = await makePlayer(server);
      const { invitation_uid } = (await offer(own, person.email)).body.data;
      const token = await tokenFor(person.email);
      const [accepted, withdrawn] = await Promise.all([
        accept(person.headers, token),
        call(own.owner, 'DELETE', `/games/${own.game.uid}/invitations/${invitation_uid}`),
      ]);
      const isTransferred = accepted.status === 200;
      assert.deepEqual(statusOf(accepted), isTransferred ? [200, undefined] : [409, 4230]);
      assert.ok(isTransferred ? [403, 409].includes(withdrawn.status) : withdrawn.status === 200);
      assert.equal(await roleIn(own, person.headers), isTransferred ? 'owner' : null);
    }
  });
});
