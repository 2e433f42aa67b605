// Triage of bug tickets on a real server: titles, numbers, labels, search, crash groups, duplicates, replies by mail, and
// tickets of players without an account.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { statusOf } from './setup/api-calls.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { mailTo } from './setup/mail.ts';
import { type ApiResponse, makePlayer, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_BUGS: '0' } });
});
after(() => server.stop());

/** So that no hour or day ends during a test of limits. */
const start = new Date();
const clock = { now: () => start };

type Options = { as?: Person | null; method?: string; body?: object };

/** Calls a route of the game's bugs. */
function ask(game: SharedGame, path: string, { as = game.owner, ...init }: Options = {}): Promise<ApiResponse> {
  return callAs(server, as, `/games/${game.uid}${path}`, init);
}

async function done(game: SharedGame, path: string, options?: Options) {
  const { status, body } = await ask(game, path, options);
  assert.ok(status < 300, JSON.stringify(body));
  return body.data;
}

const file = (game: SharedGame, body: object, as?: Person) =>
  done(game, '/bugs', { method: 'POST', body, ...(as && { as }) });
const patch = (game: SharedGame, uid: string, body: object) => done(game, `/bugs/${uid}`, { method: 'PATCH', body });
const read = (game: SharedGame, uid: string) => done(game, `/bugs/${uid}`);
const reply = (game: SharedGame, uid: string, body: object) =>
  ask(game, `/bugs/${uid}/replies`, { method: 'POST', body });
const fileAsGuest = (game: SharedGame, body: object) =>
  callAs(server, null, `/public/games/${game.uid}/bugs`, { method: 'POST', body });

/** Confirms the address that a player left. */
async function confirm(email: string): Promise<void> {
  const { text } = await mailTo(server, email, /^Confirm your address/);
  const token = /\/confirm-replies\/([\w-]+)/.exec(text)?.[1];
  const { status } = await callAs(server, null, '/public/bugs/confirm', { method: 'POST', body: { token } });
  assert.equal(status, 200);
}

async function numbersOf(game: SharedGame, query: Record<string, string>): Promise<number[]> {
  const { bugs } = await done(game, `/bugs?${new URLSearchParams(query)}`);
  return bugs.map(({ number }: { number: number }) => number);
}

describe('the number of a ticket', () => {
  test('counts from 1 in each game, without gaps or repetitions among tickets filed at once', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const filed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => file(index % 2 === 0 ? game : other, { message: 'Stuck' })),
    );
    for (const parity of [0, 1]) {
      const numbers = filed.filter((_, index) => index % 2 === parity).map(({ number }) => number);
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        Array.from({ length: 10 }, (_, index) => index + 1),
      );
    }
  });
});

describe('the title of a ticket', () => {
  test('is the beginning of the message, or what the player or a developer wrote', async () => {
    const game = await makeSharedGame(server);
    const { bug_uid } = await file(game, { message: ` The door\n\n is ${'very '.repeat(40)}stuck` });
    const { title } = await read(game, bug_uid);
    assert.equal(title.length, 120);
    assert.match(title, /^The door is very .*…$/);
    assert.equal((await patch(game, bug_uid, { title: ' Door stuck ' })).title, 'Door stuck');
    assert.match((await patch(game, bug_uid, { title: null })).title, /^The door is very/);
    const long = await file(game, { message: 'The lamp stays dark.\r\nI lit it twice.' });
    assert.equal((await read(game, long.bug_uid)).title, 'The lamp stays dark.');
    const greeting = await file(game, { message: 'Hello,\nthe lamp stays dark.' });
    assert.equal((await read(game, greeting.bug_uid)).title, 'Hello, the lamp stays dark.');
    const titled = await file(game, { title: 'The lamp', message: 'It is dark' });
    assert.deepEqual(
      [(await read(game, titled.bug_uid)).title, (await read(game, titled.bug_uid)).message],
      ['The lamp', 'It is dark'],
    );
  });

  test('is refused if it hides or turns around other text', async () => {
    const game = await makeSharedGame(server);
    for (const title of ['a\u202eb', 'a\nb', ' ']) {
      assert.deepEqual(
        statusOf(await ask(game, '/bugs', { method: 'POST', body: { title, message: 'x' } })),
        [400, 4002],
        title,
      );
    }
  });
});

describe('the list of tickets', () => {
  test('is filtered by label and words, and finds a ticket by its number', async () => {
    const game = await makeSharedGame(server);
    const texts = ['The door is stuck', 'The lamp is dark', 'Doors are 2 small'];
    const filed = [];
    for (const message of texts) filed.push(await file(game, { message }));
    await patch(game, filed[0].bug_uid, { labels: ['physics', 'level 2', 'physics'] });
    await patch(game, filed[1].bug_uid, { labels: ['level 2'], title: 'Wanted: light' });
    assert.deepEqual((await read(game, filed[0].bug_uid)).labels, ['physics', 'level 2']);
    for (const [query, numbers] of [
      [{ label: 'level 2' }, [2, 1]],
      [{ label: 'level' }, []],
      [{ text: 'door' }, [3, 1]],
      [{ text: 'light' }, [2]],
      [{ text: 'dark' }, [2]],
      [{ text: '#2' }, [3, 2]],
      [{ text: '1' }, [1]],
      [{ text: '?!' }, []],
      [{ text: 'door', label: 'physics' }, [1]],
    ] as const)
      assert.deepEqual(await numbersOf(game, query), numbers, JSON.stringify(query));
  });

  test('refuses labels that cannot be written in a list', async () => {
    const game = await makeSharedGame(server);
    const { bug_uid } = await file(game, { message: 'x' });
    for (const labels of [
      [''],
      [' a'],
      ['a,b'],
      ['x'.repeat(33)],
      [1],
      'a',
      Array.from({ length: 11 }, (_, no) => `l${no}`),
    ])
      assert.deepEqual(
        statusOf(await ask(game, `/bugs/${bug_uid}`, { method: 'PATCH', body: { labels } })),
        [400, 4002],
        JSON.stringify(labels),
      );
  });
});

describe('the crash group of a ticket', () => {
  test('is that of its crash report, or the group that a developer links', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const groupOf = async (stack: string[]) => {
      const crashId = await addReport(server.ctx, { game, buildId, stack });
      return { crashId, groupId: (await done(game, `/crashes/${crashId}`)).group_id };
    };
    const [door, lamp] = [await groupOf(['Door::open', 'main']), await groupOf(['Lamp::on', 'main'])];
    const [bug, linked] = [await file(game, { message: 'It crashed' }), await file(game, { message: 'The lamp' })];
    await changed(server.ctx.db, sql`update bug_tickets set crash_id = ${door.crashId} where bug_id = ${bug.bug_uid}`);
    assert.deepEqual((await read(game, bug.bug_uid)).group, { group_id: door.groupId, title: 'Door::open' });
    assert.deepEqual((await patch(game, linked.bug_uid, { group_id: lamp.groupId })).group.title, 'Lamp::on');
    assert.deepEqual(await numbersOf(game, { group_id: door.groupId }), [bug.number]);
    const merge = { method: 'POST', body: { group_ids: [lamp.groupId, door.groupId] } };
    const { group_id: head } = await done(game, '/crash-groups/merge', merge);
    assert.deepEqual(await numbersOf(game, { group_id: lamp.groupId }), [linked.number, bug.number]);
    assert.equal((await read(game, bug.bug_uid)).group.group_id, head);
    assert.equal((await patch(game, linked.bug_uid, { group_id: null })).group, null);
    const other = await makeSharedGame(server);
    const theirs = await file(other, { message: 'x' });
    const refused = await ask(other, `/bugs/${theirs.bug_uid}`, { method: 'PATCH', body: { group_id: lamp.groupId } });
    assert.deepEqual(statusOf(refused), [404, 4040]);
  });
});

describe('duplicates', () => {
  test('are closed, keep pointing to one open ticket, and can be separated again', async () => {
    const game = await makeSharedGame(server);
    const [a, b, c] = [
      await file(game, { message: 'a' }),
      await file(game, { message: 'b' }),
      await file(game, { message: 'c' }),
    ];
    const ofB = await patch(game, b.bug_uid, { duplicate_of: a.bug_uid });
    assert.deepEqual([ofB.status, ofB.duplicate_of], ['closed', { bug_uid: a.bug_uid, number: 1 }]);
    // A duplicate of a duplicate is one of the original.
    assert.equal((await patch(game, c.bug_uid, { duplicate_of: b.bug_uid })).duplicate_of.number, 1);
    assert.deepEqual(
      (await read(game, a.bug_uid)).duplicates.map(({ number }: { number: number }) => number),
      [2, 3],
    );
    for (const duplicate_of of [a.bug_uid, b.bug_uid])
      assert.deepEqual(
        statusOf(await ask(game, `/bugs/${a.bug_uid}`, { method: 'PATCH', body: { duplicate_of } })),
        [400, 4002],
      );
    const d = await file(game, { message: 'd' });
    await patch(game, a.bug_uid, { duplicate_of: d.bug_uid });
    assert.equal((await read(game, d.bug_uid)).duplicates.length, 3);
    const separated = await patch(game, b.bug_uid, { duplicate_of: null, status: 'open' });
    assert.deepEqual([separated.status, separated.duplicate_of], ['open', null]);
  });

  test('never form a circle, even if they are marked at once', async () => {
    const game = await makeSharedGame(server);
    const uids: string[] = [];
    for (let no = 0; no < 6; no += 1) uids.push((await file(game, { message: `${no}` })).bug_uid);
    await Promise.all(
      uids.flatMap((from) =>
        uids.map((to) => ask(game, `/bugs/${from}`, { method: 'PATCH', body: { duplicate_of: to } })),
      ),
    );
    const { deep } = await onlyRow(
      server.ctx.db,
      sql<{ deep: number }>`select count(*) as deep from bug_tickets one join bug_tickets other
        on other.game_id = one.game_id and other.bug_id = one.duplicate_of
        where one.game_id = ${game.uid} and other.duplicate_of is not null`,
    );
    assert.equal(deep, 0);
  });

  test('cannot be marked across games', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const [mine, theirs] = [await file(game, { message: 'a' }), await file(other, { message: 'b' })];
    const refused = await ask(game, `/bugs/${mine.bug_uid}`, {
      method: 'PATCH',
      body: { duplicate_of: theirs.bug_uid },
    });
    assert.deepEqual(statusOf(refused), [404, 4040]);
    assert.deepEqual(statusOf(await reply(game, theirs.bug_uid, { message: 'Hi' })), [404, 4040]);
  });
});

describe('a ticket without an account', () => {
  test('has the name and the address that the player left, and the address stays hidden', async () => {
    const game = await makeSharedGame(server);
    const email = `${newId()}@example.com`;
    const filed = await fileAsGuest(game, { message: 'Stuck', name: 'Robin', email });
    assert.equal(filed.status, 201, JSON.stringify(filed.body));
    const bug = await read(game, filed.body.data.bug_uid);
    assert.deepEqual([bug.filed_by, bug.can_reply, bug.gets_mail], ['Robin', true, false]);
    assert.ok(!JSON.stringify(bug).includes(email));
    await confirm(email);
    assert.equal((await read(game, filed.body.data.bug_uid)).gets_mail, true);
    const unknown = await fileAsGuest(game, { message: 'Stuck' });
    const second = await read(game, unknown.body.data.bug_uid);
    assert.deepEqual([second.filed_by, second.can_reply], ['', false]);
    assert.deepEqual(statusOf(await reply(game, second.bug_uid, { message: 'Hi' })), [409, 4094]);
  });

  test('can have a dump and a log', async () => {
    const game = await makeSharedGame(server);
    const body = { message: 'Stuck', build_id: await addBuild(server, game), has_log: true };
    const { data } = (await fileAsGuest(game, body)).body;
    const sent = await fetch(data.uploads.log.url, { method: 'PUT', body: 'what went on' });
    assert.equal(sent.status, 200);
  });

  test('is refused for drafts, for games that do not take any, and for wrong input', async () => {
    const draft = await makeSharedGame(server, 'draft');
    assert.deepEqual(statusOf(await fileAsGuest(draft, { message: 'x' })), [404, 4040]);
    const game = await makeSharedGame(server);
    for (const body of [
      { message: 'x', email: 'player' },
      { message: 'x', email: 'a@example.com\r\nBcc: b@example.com' },
      { message: 'x', name: 'a\u202eb' },
      { message: '' },
    ])
      assert.deepEqual(statusOf(await fileAsGuest(game, body)), [400, 4002], JSON.stringify(body));
    assert.deepEqual(await done(game, '/bug-settings'), { guests: true });
    await done(game, '/bug-settings', { method: 'PUT', body: { guests: false } });
    assert.deepEqual(statusOf(await fileAsGuest(game, { message: 'x' })), [403, 4031]);
    const page = await callAs(server, null, `/public/games/${game.uid}`);
    assert.equal(page.body.data.guest_bugs, false);
    const player = await makePlayer(server);
    assert.deepEqual(
      statusOf(await ask(game, '/bug-settings', { as: player, method: 'PUT', body: { guests: true } })),
      [404, 4040],
    );
  });

  test('is limited for each address, over all games and processes', async () => {
    const limited = { shareWith: server, role: 'api', clock, env: { CHAUFFEUR_LIMIT_BUGS: '5' } } as const;
    const [one, two] = await Promise.all([startServer(limited), startServer(limited)]);
    try {
      const games = [await makeSharedGame(server), await makeSharedGame(server)];
      const responses = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          callAs([one, two][index % 2]!, null, `/public/games/${games[index % 2]!.uid}/bugs`, {
            method: 'POST',
            body: { message: 'Stuck' },
          }),
        ),
      );
      assert.equal(responses.filter(({ status }) => status === 201).length, 5);
      const refused = responses.find(({ status }) => status === 429)!;
      assert.deepEqual(statusOf(refused), [429, 4290]);
      assert.match(
        refused.body.error?.message ?? '',
        /^This IP address has reached its limit of 5 bug tickets a day\./,
      );
      const { stored } = await onlyRow(
        server.ctx.db,
        sql<{ stored: number }>`select count(*) as stored from rate_counters where subject like '%127.0.0.1%'`,
      );
      assert.equal(stored, 0);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });
});

describe('a reply', () => {
  test('reaches the player by mail, with their own words, and stays on the ticket', async () => {
    const game = await makeSharedGame(server);
    const email = `${newId()}@example.com`;
    const filed = await fileAsGuest(game, { title: 'Door stuck', message: 'Line one\nBcc: x@example.com', email });
    const { bug_uid } = filed.body.data;
    await confirm(email);
    const { status, body } = await reply(game, bug_uid, { message: 'Fixed in 1.2.' });
    assert.deepEqual([status, body.data.mails], [201, 1], JSON.stringify(body));
    const mail = await mailTo(server, email, /^Re: Door stuck \(#1\)$/);
    assert.match(
      mail.text,
      /replied to your bug report:\s+Fixed in 1\.2\.\s+Your report:\s+> Line one\s+> Bcc: x@example\.com/,
    );
    assert.deepEqual(
      (await read(game, bug_uid)).replies.map(({ message }: { message: string }) => message),
      ['Fixed in 1.2.'],
    );
  });

  test('reaches the players of duplicates too, each address once, but no unverified accounts', async () => {
    const game = await makeSharedGame(server);
    const [email, second] = [`a-${newId()}@example.com`, `b-${newId()}@example.com`];
    const player = await makePlayer(server);
    await changed(server.ctx.db, sql`update users set email_verified = false where id = ${player.id}`);
    const first = (await fileAsGuest(game, { message: 'a', email })).body.data.bug_uid;
    const others = [
      (await fileAsGuest(game, { message: 'b', email: email.toUpperCase() })).body.data.bug_uid,
      (await fileAsGuest(game, { message: 'c', email: second })).body.data.bug_uid,
      (await file(game, { message: 'd' }, player)).bug_uid,
    ];
    for (const uid of others) await patch(game, uid, { duplicate_of: first });
    await Promise.all([confirm(email), confirm(second)]);
    const { body } = await reply(game, first, { message: 'Thanks', to_duplicates: true });
    assert.equal(body.data.mails, 2);
    await mailTo(server, second, /^Re: /);
  });

  test('is limited to 100 an hour for each game', async () => {
    const limited = await startServer({ shareWith: server, role: 'api', clock });
    try {
      const game = await makeSharedGame(server);
      const { bug_uid } = await file(game, { message: 'a' });
      const path = `/games/${game.uid}/bugs/${bug_uid}/replies`;
      const responses = await Promise.all(
        Array.from({ length: 104 }, () =>
          callAs(limited, game.owner, path, { method: 'POST', body: { message: 'Hi' } }),
        ),
      );
      assert.deepEqual(
        Map.groupBy(responses, ({ status }) => status)
          .get(429)
          ?.map(statusOf),
        Array(4).fill([429, 4290]),
      );
      assert.equal((await read(game, bug_uid)).replies.length, 100);
    } finally {
      await limited.stop();
    }
  });
});
