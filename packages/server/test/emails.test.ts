// What goes out to people who never asked for it, with a real mail server: floods that others try, their bounds, and
// what the mails say.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY, HOUR, MINUTE } from '../src/kernel/clock.ts';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { dropEmailCounts } from '../src/people/emails/emails.ts';
import { cookieOf, newAccount, postAuth, signUp, trySignIn } from './setup/accounts.ts';
import { statusOf } from './setup/api-calls.ts';
import { callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { createAccount } from './setup/create-account.ts';
import { type Arrival, openPostOffice, type PostOffice } from './setup/post-office.ts';
import { type ApiResponse, makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

let [office, server, second] = [] as unknown as [PostOffice, TestServer, TestServer];
/** Every test begins in its own day, and with new addresses. */
let now = Math.ceil(Date.now() / DAY) * DAY;
before(async () => {
  office = await openPostOffice();
  const options = {
    clock: { now: () => new Date(now) },
    env: {
      CHAUFFEUR_SMTP: office.url,
      CHAUFFEUR_LIMIT_MAIL_REQUESTS: '100',
      CHAUFFEUR_LIMIT_BUGS: '0',
      CHAUFFEUR_LIMIT_PUBLIC: '0',
      CHAUFFEUR_TRUST_PROXY: '1',
    },
  };
  server = await startServer(options);
  second = await startServer({ ...options, shareWith: server, role: 'api' });
});
after(async () => {
  await second.stop();
  await server.stop();
  await office.close();
});
beforeEach(() => {
  now = (Math.floor(now / DAY) + 2) * DAY;
});

/** All mails to these addresses, once no mail is on its way. */
async function mailsTo(isWanted: (to: string) => boolean): Promise<Arrival[]> {
  await until(async () => {
    const { waiting } = await onlyRow(
      server.ctx.db,
      sql<{ waiting: number }>`select count(*) as waiting from graphile_worker.jobs
        where task_identifier = 'accounts:send-mail'`,
    );
    return waiting === 0;
  });
  return office.mails.filter(({ to }) => isWanted(to));
}

const mailsToOne = (address: string) => mailsTo((to) => to === address);
const newAddress = (name = 'victim') => `${name}-${newId()}@example.com`;
const post = (person: Person | null, path: string, body: unknown, at = server) =>
  callAs(at, person, path, { method: 'POST', body });

/** A request of a visitor with their own address. */
function postFrom(address: string, path: string, body: object): Promise<ApiResponse> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
  return request(`${server.api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** `10.3.7.1` and so on, of different networks. */
const addressOf = (index: number) => `10.${Math.floor(index / 250)}.${index % 250}.1`;

async function nameGame(game: SharedGame, name: string): Promise<void> {
  await changed(server.ctx.db, sql`update games set name = ${name} where game_id = ${game.uid}`);
}

async function fileAsGuest(game: SharedGame, email: string, address = '10.200.0.1') {
  const { status, body } = await postFrom(address, `/public/games/${game.uid}/bugs`, { message: 'Stuck', email });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data as { bug_uid: string; page_url: string };
}

function reply(game: SharedGame, uid: string, body: object): Promise<ApiResponse> {
  return post(game.owner, `/games/${game.uid}/bugs/${uid}/replies`, body);
}

async function makeVerified() {
  const account = newAccount();
  await createAccount(server, { ...account, name: 'Ann', verified: true });
  return { ...account, cookie: cookieOf(await trySignIn(server, account)) };
}

const linkIn = ({ text }: Arrival, page: string) => new RegExp(`/${page}/([\\w-]+)`).exec(text)?.[1] ?? '';

describe('a game that floods a stranger through a bug ticket', () => {
  const EVIL = 'Buy at https://evil.example now';

  test('sends them none of its texts in 300 replies, and asks them to confirm five times a day at most', async () => {
    const game = await makeSharedGame(server);
    await nameGame(game, 'Prizes at www.evil.example');
    const email = newAddress();
    const { bug_uid } = await fileAsGuest(game, email);
    for (let hour = 0; hour < 3; hour += 1) {
      const replies = await Promise.all(Array.from({ length: 100 }, () => reply(game, bug_uid, { message: EVIL })));
      for (const { status, body } of replies)
        assert.deepEqual([status, body.data.mails, body.data.unconfirmed], [201, 0, 1]);
      now += HOUR;
    }
    const mails = await mailsToOne(email);
    assert.equal(mails.length, 1);
    for (const { text, subject, html } of mails) {
      assert.match(subject, /^Confirm your address for replies from Prizes at www\. evil\. example$/);
      assert.doesNotMatch(`${subject}${text}${html}`, /Buy|Stuck|evil\.example|Player/);
    }
  });

  test('reaches one mailbox once with 3,000 replies to its variants on duplicates', async () => {
    const game = await makeSharedGame(server);
    const name = `victim-${newId()}`;
    const uids: string[] = [];
    for (let count = 0; count < 30; count += 1)
      uids.push((await fileAsGuest(game, `${name}+${count}@example.com`, addressOf(count))).bug_uid);
    const [original, ...duplicates] = uids;
    for (const uid of duplicates)
      await callAs(server, game.owner, `/games/${game.uid}/bugs/${uid}`, {
        method: 'PATCH',
        body: { duplicate_of: original },
      });
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => reply(game, original!, { message: EVIL, to_duplicates: true })),
    );
    for (const { body } of replies) assert.deepEqual([body.data.mails, body.data.unconfirmed], [0, 30]);
    assert.equal((await mailsTo((to) => to.startsWith(name))).length, 1);
  });

  test('sends few replies to someone who confirmed the address, says so, and none once they unsubscribe', async () => {
    const game = await makeSharedGame(server);
    const email = newAddress('player');
    const { bug_uid, page_url } = await fileAsGuest(game, email);
    await reply(game, bug_uid, { message: 'Kept for later' });
    const [asked] = await mailsToOne(email);
    const page = `${server.url}/confirm-replies/${linkIn(asked!, 'confirm-replies')}`;
    // A program that checks links opens them.
    for (const method of ['GET', 'HEAD']) assert.equal((await fetch(page, { method })).status, 200);
    now += 1000;
    const first = await reply(game, bug_uid, { message: 'Still kept' });
    assert.deepEqual([first.body.data.mails, first.body.data.unconfirmed], [0, 1]);
    const confirm = () => fetch(page, { method: 'POST', body: new URLSearchParams({}) });
    for (let time = 0; time < 2; time += 1) {
      const text = await (await confirm()).text();
      assert.match(text, /Address confirmed/);
      assert.ok(text.includes(new URL(page_url).pathname));
    }
    const own = await (await fetch(page_url)).text();
    assert.match(own, /Stuck[\s\S]*Kept for later[\s\S]*Still kept/);
    assert.doesNotMatch(own, new RegExp(email));

    const replies = await Promise.all(Array.from({ length: 30 }, () => reply(game, bug_uid, { message: 'News' })));
    const totals = replies.map(({ body }) => [body.data.mails, body.data.limited]);
    assert.equal(totals.filter(([mails]) => mails === 1).length, 20);
    assert.equal(totals.filter(([, limited]) => limited === 1).length, 10);
    const news = (await mailsToOne(email)).filter(({ subject }) => subject.startsWith('Re: '));
    assert.equal(news.length, 20);

    const end = /<(.*)>/.exec(news[0]!.field('List-Unsubscribe'))?.[1] ?? '';
    const unsubscribed = await fetch(end, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    assert.equal(unsubscribed.status, 200);
    now += 2 * HOUR;
    assert.deepEqual((await reply(game, bug_uid, { message: 'More' })).body.data.mails, 0);
    assert.equal((await confirm()).status, 404, 'a link that was used does not confirm again');
    assert.match(await (await fetch(page_url)).text(), /More/);
  });

  test('of another game gets no mail for an address that was confirmed for the first', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const email = newAddress('player');
    await fileAsGuest(game, email);
    const [asked] = await mailsToOne(email);
    const token = linkIn(asked!, 'confirm-replies');
    assert.equal((await post(null, '/public/bugs/confirm', { token })).status, 200);
    const theirs = await fileAsGuest(other, email);
    assert.equal((await reply(other, theirs.bug_uid, { message: EVIL })).body.data.mails, 0);
    for (const wrong of ['x', token.slice(2), `${token}A`])
      assert.deepEqual(statusOf(await post(null, '/public/bugs/confirm', { token: wrong })), [404, 4040]);
    now += 8 * DAY;
    assert.deepEqual(statusOf(await post(null, '/public/bugs/confirm', { token })), [404, 4040]);
  });

  test('cannot use an address of a ticket from before addresses were confirmed', async () => {
    const game = await makeSharedGame(server);
    const email = newAddress();
    const { bug_uid } = await fileAsGuest(game, email);
    await changed(server.ctx.db, sql`delete from bug_reporters where game_id = ${game.uid}`);
    now += HOUR;
    const answer = await reply(game, bug_uid, { message: EVIL });
    assert.deepEqual([answer.body.data.mails, answer.body.data.unconfirmed], [0, 1]);
    const mails = await mailsToOne(email);
    assert.deepEqual(
      mails.map(({ subject }) => /^Confirm your address/.test(subject)),
      [true, true],
      'the reply asks again',
    );
  });
});

describe('follows of strangers', () => {
  test('are limited for each sender: 597 requests of one address, to many games, send 100 mails', async () => {
    const games = await Promise.all(Array.from({ length: 4 }, () => makeSharedGame(server)));
    const name = `stranger-${newId()}`;
    const answers = await Promise.all(
      Array.from({ length: 597 }, (_, index) =>
        postFrom('10.201.0.1', `/public/games/${games[index % 4]!.uid}/follow`, {
          email: `${name}-${index}@example.com`,
        }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 100);
    const refused = answers.find(({ status }) => status !== 200)!;
    assert.deepEqual(statusOf(refused), [429, 4290]);
    assert.equal(refused.headers.get('retry-after'), '3600');
    assert.equal((await mailsTo((to) => to.startsWith(name))).length, 100);
  });

  test('are limited for each game: 597 senders cause 500 mails', async () => {
    const game = await makeSharedGame(server);
    const name = `crowd-${newId()}`;
    const answers: ApiResponse[] = [];
    for (let start = 0; start < 597; start += 20)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(20, 597 - start) }, (_, index) =>
            postFrom(addressOf(start + index), `/public/games/${game.uid}/follow`, {
              email: `${name}-${start + index}@example.com`,
            }),
          ),
        )),
      );
    assert.equal(answers.filter(({ status }) => status === 200).length, 500);
    const refused = answers.find(({ status }) => status !== 200)!;
    assert.deepEqual(statusOf(refused), [429, 4290]);
    assert.match(refused.body.error?.message ?? '', /^This game has reached its limit of 500 emails an hour/);
    assert.equal((await mailsTo((to) => to.startsWith(name))).length, 500);
  });

  test('are limited for each mailbox: one mail an hour and five a day, of many games, senders and processes', async () => {
    const games = await Promise.all(Array.from({ length: 5 }, () => makeSharedGame(server)));
    const name = `mailbox-${newId()}`;
    const flood = () =>
      Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          request(`${[server, second][index % 2]!.api}/public/games/${games[index % 5]!.uid}/follow`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-forwarded-for': addressOf(index) },
            body: JSON.stringify({ email: `${name}${index % 3 === 0 ? '' : `+${index}`}@Example.com` }),
          }),
        ),
      );
    const counts: number[] = [];
    for (let round = 0; round < 26; round += 1) {
      for (const { status, body } of await flood()) assert.deepEqual([status, body.data], [200, {}]);
      counts.push((await mailsTo((to) => to.startsWith(name))).length);
      now += round % 2 === 0 ? HOUR - MINUTE : HOUR + MINUTE;
    }
    // In each second round, less than an hour has passed since the mail.
    assert.deepEqual(counts.slice(0, 6), [1, 1, 2, 2, 3, 3]);
    assert.equal(counts[23], 5, 'five in the first day');
    assert.ok(counts.at(-1)! > 5, 'and more in the next');
  });

  test('name the game without a link, and can be stopped with a link of the mail, for a month', async () => {
    const game = await makeSharedGame(server);
    await nameGame(game, 'Free: http://evil.example “x”');
    const email = newAddress();
    const ask = () => postFrom('10.202.0.1', `/public/games/${game.uid}/follow`, { email });
    await ask();
    const [mail] = await mailsToOne(email);
    assert.doesNotMatch(`${mail!.subject}${mail!.text}`, /evil\.example|http:\/\/evil/);
    assert.equal(mail!.html, '');
    const page = `${server.url}/block-emails/${linkIn(mail!, 'block-emails')}`;
    assert.match(await (await fetch(page)).text(), /Stop emails that you didn(&#39;|’|')t ask for\?/);
    const press = (mails: string) => fetch(page, { method: 'POST', body: new URLSearchParams({ mails }) });
    assert.match(await (await press('block')).text(), /These emails are stopped/);
    const count = async () => (await mailsToOne(email)).length;
    now += DAY;
    assert.deepEqual((await ask()).body.data, {});
    await postAuth(server, '/sign-up/email', { ...newAccount(), email, name: 'Someone' });
    assert.equal(await count(), 1);
    await press('allow');
    await ask();
    assert.equal(await count(), 2);
    const oneClick = /<(.*)>/.exec(mail!.field('List-Unsubscribe'))?.[1] ?? '';
    assert.equal((await fetch(oneClick, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status, 200);
    now += 2 * DAY;
    await ask();
    assert.equal(await count(), 2);
    now += 30 * DAY;
    await dropEmailCounts(server.ctx);
    await ask();
    assert.equal(await count(), 3);
    assert.equal((await fetch(`${server.url}/block-emails/none`)).status, 404);
  });
});

describe('mails of accounts', () => {
  const from = (index: number) => ({ 'x-forwarded-for': addressOf(index) });
  const resetOf = (email: string, index: number) =>
    postAuth(server, '/request-password-reset', { email, redirectTo: '/reset' }, from(index));

  test('with links to a new password are few for each account, with the same response', async () => {
    const [verified, unverified] = [await makeVerified(), await signUp(server)];
    const subjects = async ({ email }: { email: string }) =>
      (await mailsToOne(email)).filter(({ subject }) => /new Chauffeur password/.test(subject)).length;
    for (let hour = 0; hour < 7; hour += 1) {
      const answers = await Promise.all(
        [verified.email, unverified.email, newAddress()].flatMap((email) =>
          Array.from({ length: 8 }, async (_, index) => {
            const response = await resetOf(email, index);
            return [response.status, await response.text()];
          }),
        ),
      );
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      now += HOUR;
    }
    // No day is without a link for the owner of a verified address.
    assert.deepEqual([await subjects(verified), await subjects(unverified)], [21, 5]);
  });

  test('about sign-ups with an existing address are one an hour', async () => {
    const { email } = await makeVerified();
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const account = {
          ...newAccount(),
          email: index % 2 === 0 ? email : newAddress(),
          name: 'https://evil.example',
        };
        const response = await postAuth(server, '/sign-up/email', account, from(index));
        return [response.status, await response.text()];
      }),
    );
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    const mails = (await mailsToOne(email)).filter(({ subject }) => /already have/.test(subject));
    assert.equal(mails.length, 1);
    assert.doesNotMatch(mails[0]!.text, /evil/);
  });

  test('to verify an address are one an hour, which only the person who is signed in learns', async () => {
    const account = await signUp(server);
    const resend = (headers: Record<string, string>, email = account.email) =>
      postAuth(server, '/send-verification-email', { email }, headers);
    const own = await resend({ cookie: account.cookie });
    assert.equal(own.status, 429);
    assert.equal(own.headers.get('retry-after'), '3600');
    const [known, unknown] = [await resend({}), await resend({}, newAddress())];
    assert.deepEqual([known.status, await known.json()], [unknown.status, await unknown.json()]);
    assert.equal((await mailsToOne(account.email)).length, 1);
    now += HOUR;
    assert.equal((await resend({ cookie: account.cookie })).status, 200);
    assert.equal((await mailsToOne(account.email)).length, 2);
  });

  test('to a new address are one an hour, from any accounts', async () => {
    const accounts = await Promise.all([signUp(server), signUp(server), signUp(server)]);
    const newEmail = newAddress();
    const answers = await Promise.all(
      accounts.map(({ cookie }, index) => postAuth(server, '/change-email', { newEmail }, { cookie, ...from(index) })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal((await mailsToOne(newEmail)).length, 1);
  });

  test('are limited for each sender, before it is known whether an account exists', async () => {
    const answers = await Promise.all(
      Array.from({ length: 102 }, async () => {
        const body = { email: 'a@example.com' };
        return (await postAuth(server, '/request-password-reset', body, from(900))).status;
      }),
    );
    assert.deepEqual(
      answers.filter((status) => status !== 200),
      [429, 429],
    );
  });

  test('that protect the account always reach a verified address, and an unverified one once an hour', async () => {
    const [verified, unverified] = [await makeVerified(), await signUp(server)];
    for (const account of [verified, unverified]) {
      let [{ cookie }, password] = [account, account.password];
      for (let change = 0; change < 6; change += 1) {
        const next = `another ${newId()}`;
        const body = { currentPassword: password, newPassword: next };
        const response = await postAuth(server, '/change-password', body, { cookie });
        assert.equal(response.status, 200, await response.text());
        password = next;
        if (change === 0) cookie = cookieOf(await trySignIn(server, { ...account, password }));
      }
    }
    const changes = async ({ email }: { email: string }) =>
      (await mailsToOne(email)).filter(({ subject }) => /password was changed/.test(subject)).length;
    assert.deepEqual([await changes(verified), await changes(unverified)], [6, 1]);
  });

  test('with names that others chose go only to verified addresses', async () => {
    const account = { email: newAddress(), password: 'correct horse battery', name: 'evil.example' };
    const user = await createAccount(server, { ...account, verified: false });
    const cookie = cookieOf(await trySignIn(server, account));
    const owner = { id: user.id, email: account.email, headers: { cookie } };
    const created = await post(owner, '/games', { name: 'Click https://evil.example', visibility: 'draft' });
    const { game_uid: uid } = created.body.data;
    assert.equal((await post(owner, `/games/${uid}/deploy-keys`, {})).status, 201);
    await resetOf(account.email, 1);
    const [reset] = (await mailsToOne(account.email)).filter(({ subject }) => /new Chauffeur password/.test(subject));
    const token = /reset-password\/([\w-]+)/.exec(reset!.text)?.[1];
    const done = await postAuth(server, '/reset-password', { token, newPassword: 'another horse' });
    assert.equal(done.status, 200, await done.text());
    const mails = await mailsToOne(account.email);
    for (const { subject, text, html } of mails) assert.doesNotMatch(`${subject}${text}${html}`, /evil|Click/);
    assert.ok(mails.some(({ subject }) => /Your Chauffeur password was changed/.test(subject)));
    assert.ok(!mails.some(({ subject }) => /deploy key/.test(subject)));
  });
});

describe('invitations', () => {
  test('of any game and account reach an address once an hour, and have no text of others but the name', async () => {
    const email = newAddress();
    const games = await Promise.all(Array.from({ length: 6 }, () => makeSharedGame(server)));
    await nameGame(games[0]!, 'Owls at http://evil.example');
    await changed(
      server.ctx.db,
      sql`update users set name = 'evil.example says hello' where id = any(${games.map(({ owner }) => owner.id)}::text[])`,
    );
    const invite = (game: SharedGame) => post(game.owner, `/games/${game.uid}/invitations`, { email, role: 'admin' });
    assert.equal((await invite(games[0]!)).status, 202);
    const answers = await Promise.all(games.slice(1).map(invite));
    for (const answer of answers) {
      assert.deepEqual(statusOf(answer), [429, 4290]);
      assert.equal(answer.headers.get('retry-after'), '3600');
    }
    const open = await callAs(server, games[1]!.owner, `/games/${games[1]!.uid}/invitations`);
    assert.deepEqual(open.body.data.invitations, [], 'nothing is left of a refused one');
    const mails = await mailsToOne(email);
    assert.equal(mails.length, 1);
    assert.equal(mails[0]!.subject, 'Invitation to Owls at http: //evil. example');
    assert.doesNotMatch(`${mails[0]!.subject}${mails[0]!.text}`, /says hello|evil\.example/);
    now += HOUR;
    assert.equal((await invite(games[1]!)).status, 202);
  });

  test('get the same response whether or not the address has an account', async () => {
    const game = await makeSharedGame(server);
    const other = await makeSharedGame(server);
    const [known, unknown] = [(await makePlayer(server)).email, newAddress()];
    for (const at of [game, other]) {
      const [one, two] = await Promise.all(
        [known, unknown].map((email) => post(at.owner, `/games/${at.uid}/invitations`, { email, role: 'admin' })),
      );
      assert.equal(one!.status, two!.status);
      assert.deepEqual(one!.body.error, two!.body.error);
    }
  });
});

describe('mails that are not sent', () => {
  test('are counted for operators, without the address', async () => {
    const game = await makeSharedGame(server);
    const email = newAddress('secret');
    for (let count = 0; count < 120; count += 1)
      await postFrom(addressOf(count), `/public/games/${game.uid}/follow`, { email });
    const operator = await makePlayer(server);
    await changed(server.ctx.db, sql`update users set operator = true where id = ${operator.id}`);
    const { data } = (await callAs(server, operator, '/operator/state')).body;
    assert.ok(data.mail.held_today >= 119, String(data.mail.held_today));
    assert.ok(
      data.problems.some(({ part, says }: { part: string; says: string }) => part === 'mail' && /held/.test(says)),
    );
    const { stored } = await onlyRow(
      server.ctx.db,
      sql<{ stored: number }>`select count(*) as stored from mail_counts where subject like '%secret%'`,
    );
    assert.equal(stored, 0);
    now += 2 * DAY;
    await dropEmailCounts(server.ctx);
    const { left } = await onlyRow(server.ctx.db, sql<{ left: number }>`select count(*) as left from mail_counts`);
    assert.equal(left, 0);
  });
});
