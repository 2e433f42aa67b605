// What players write in the feedback forms of Sentry's SDKs, on a real server: each is one bug ticket, linked to the report
// that it is about.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import { assignReleases } from '../src/crash/sentry/receive/assign.job.ts';
import { writeSentryCounts } from '../src/crash/sentry/receive/counts.ts';
import { changed, onlyRow, rows } from '../src/kernel/database/db.ts';
import { linkFeedback } from '../src/shop/bugs/feedback.ts';
import { sweepScreenshots } from '../src/shop/bugs/screenshots.ts';
import { readDumpFixture } from './setup/crash-dumps.ts';
import { addBuild, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { orphansOf } from './setup/crashes.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { envelope, newEventId, sendEnvelope } from './setup/envelopes.ts';
import { picture } from './setup/images.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

let server: TestServer;

before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(async () => {
  const orphans = await orphansOf(server).finally(() => server.stop());
  assert.deepEqual(orphans, []);
});

type Player = TestDsn & { readonly server: TestServer; readonly game: SharedGame };

async function start(): Promise<Player> {
  const game = await makeSharedGame(server);
  return { server, game, ...(await makeDsn(server, game)) };
}

type Item = readonly [object, string | Buffer];

const send = async (player: Player, header: object, items: readonly Item[]) => {
  const answer = await sendEnvelope(player, envelope(header, items));
  assert.equal(answer.status, 200, await answer.text());
};

const feedbackItem = (id: string, words: object, more: object = {}): Item => [
  { type: 'feedback' },
  JSON.stringify({ event_id: id, contexts: { feedback: { message: 'I turned left', ...words } }, ...more }),
];
const sendFeedback = (
  player: Player,
  words: object = {},
  { id = newEventId(), files = [] as Item[], more = {} } = {},
) => send(player, { event_id: id }, [feedbackItem(id, words, more), ...files]);
const sendOld = (player: Player, value: unknown) =>
  send(player, {}, [[{ type: 'user_report' }, JSON.stringify(value)]]);
const sendCrash = (player: Player, id: string, more: object = {}) => {
  const exception = [{ type: 'Error', value: 'boom', mechanism: { type: 'x', handled: false } }];
  return send(player, { event_id: id }, [
    [{ type: 'event' }, JSON.stringify({ event_id: id, release: 'thegame@9.9.9', exception, ...more })],
  ]);
};
const file = (name: string, content: string | Buffer): Item => [{ type: 'attachment', filename: name }, content];

async function ticketsOf({ game }: Player, query: Record<string, string> = {}) {
  const { status, body } = await callAs(server, game.owner, `/games/${game.uid}/bugs?${new URLSearchParams(query)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.bugs;
}

/** The only ticket of the game, with its details. */
async function ticketOf(player: Player) {
  const [ticket, ...others] = await ticketsOf(player);
  assert.deepEqual(others, []);
  return (await callAs(server, player.game.owner, `/games/${player.game.uid}/bugs/${ticket.bug_uid}`)).body.data;
}

async function reportOf({ game }: Player): Promise<string> {
  const found = await rows(
    server.ctx.db,
    sql<{ report_id: string }>`select report_id from crash_reports where game_id = ${game.uid}`,
  );
  assert.equal(found.length, 1);
  return found[0]!.report_id;
}

async function countsOf({ game }: Player): Promise<Record<string, number>> {
  await writeSentryCounts(server.ctx);
  const counted = await rows(
    server.ctx.db,
    sql<{
      name: string;
      count: number;
    }>`select what || ' ' || type || ' ' || reason as name, sum(count)::integer as count
      from sentry_counts where game_id = ${game.uid} group by 1 order by 1`,
  );
  return Object.fromEntries(counted.map(({ name, count }) => [name, count]));
}

describe('feedback', () => {
  it('becomes a ticket with the words, the name and the build of the player', async () => {
    const player = await start();
    const buildId = await addBuild(server, player.game, { version: '9.9.9', os: 'windows' });
    const contexts = { feedback: { message: ' The door\nis stuck ', name: 'Ann', contact_email: 'ann@example.com' } };
    const more = { release: 'thegame@9.9.9', contexts: { ...contexts, os: { name: 'Windows' } } };
    await sendFeedback(player, {}, { more });
    const ticket = await ticketOf(player);
    assert.deepEqual(
      [ticket.message, ticket.filed_by, ticket.build_id, ticket.version, ticket.os, ticket.status],
      ['The door\nis stuck', 'Ann', buildId, '9.9.9', 'windows', 'open'],
    );
    assert.deepEqual([ticket.crash_id, ticket.can_reply, ticket.gets_mail], [null, true, false]);
  });

  it('emails no one until a developer replies, and then only asks to confirm the address', async () => {
    const player = await start();
    await sendFeedback(player, { contact_email: 'stranger@example.com' });
    const { count } = await onlyRow(
      server.ctx.db,
      sql<{ count: number }>`select count(*)::integer as count from bug_reporters where game_id = ${player.game.uid}`,
    );
    assert.equal(count, 0);
    const ticket = await ticketOf(player);
    const reply = await callAs(server, player.game.owner, `/games/${player.game.uid}/bugs/${ticket.bug_uid}/replies`, {
      method: 'POST',
      body: { message: 'Which door?' },
    });
    assert.deepEqual([reply.status, reply.body.data.mails, reply.body.data.unconfirmed], [201, 0, 1]);
  });

  it("is kept without an address or a name that can't be one", async () => {
    const player = await start();
    await sendFeedback(player, { contact_email: 'some-email', name: '\u202e\u0007' });
    const ticket = await ticketOf(player);
    assert.deepEqual([ticket.filed_by, ticket.can_reply], ['', false]);
  });

  for (const old of [false, true])
    it(`is linked to its report, whichever comes first${old ? ', also in the old form' : ''}`, async () => {
      const crashId = newEventId();
      const write = (player: Player) =>
        old
          ? sendOld(player, { event_id: crashId, name: 'Ann', email: '', comments: 'I turned left' })
          : sendFeedback(player, { associated_event_id: crashId });
      const [after, before] = [await start(), await start()];
      await sendCrash(after, crashId);
      await write(after);
      assert.equal((await ticketOf(after)).crash_id, await reportOf(after));
      await write(before);
      await linkFeedback(server.ctx);
      assert.equal((await ticketOf(before)).crash_id, null);
      await sendCrash(before, crashId);
      await linkFeedback(server.ctx);
      const report = await reportOf(before);
      const ticket = await ticketOf(before);
      assert.deepEqual([ticket.crash_id, ticket.message], [report, 'I turned left']);
      if (old) assert.equal(ticket.version, 'thegame@9.9.9');
      assert.deepEqual(
        (await ticketsOf(before, { crash_id: report })).map(({ bug_uid }: { bug_uid: string }) => bug_uid),
        [ticket.bug_uid],
      );
      assert.deepEqual(await ticketsOf(before, { crash_id: randomUUID() }), []);
    });

  it('belongs to the build of its release, once that is registered', async () => {
    const player = await start();
    await sendFeedback(player, {}, { more: { release: 'thegame@9.9.9' } });
    assert.equal((await ticketOf(player)).version, 'thegame@9.9.9');
    const buildId = await addBuild(server, player.game, { version: '9.9.9' });
    await assignReleases(server.ctx);
    await linkFeedback(server.ctx);
    const ticket = await ticketOf(player);
    assert.deepEqual([ticket.build_id, ticket.version], [buildId, '9.9.9']);
  });

  it('is never linked to a report of another game', async () => {
    const [player, other] = [await start(), await start()];
    const crashId = newEventId();
    await sendCrash(other, crashId);
    await sendFeedback(player, { associated_event_id: crashId });
    await linkFeedback(server.ctx);
    assert.equal((await ticketOf(player)).crash_id, null);
  });

  it('is one ticket if it is sent again, also at the same time and with other words', async () => {
    const player = await start();
    const id = newEventId();
    const files = [file('save.json', '{}'), file('a.png', await picture())];
    await Promise.all(Array.from({ length: 6 }, () => sendFeedback(player, {}, { id, files })));
    await sendFeedback(player, { message: 'Other words' }, { id, files });
    const crashId = newEventId();
    const old = { event_id: crashId, comments: 'It fell' };
    await Promise.all(Array.from({ length: 6 }, () => sendOld(player, old)));
    await sendOld(player, { ...old, comments: 'It fell twice' });
    const messages = (await ticketsOf(player)).map(({ message }: { message: string }) => message);
    assert.deepEqual(messages.sort(), ['I turned left', 'It fell', 'It fell twice']);
    const counts = await countsOf(player);
    assert.deepEqual(counts, { 'repeated feedback ': 6, 'repeated user_report ': 5 });
    await until(async () => (await blobsOf(player)).length === 2);
  });

  async function blobsOf({ game }: Player): Promise<string[]> {
    return (await Array.fromAsync(server.ctx.blobs.list(`bugs/${game.uid}/`))).map(({ key }) => key);
  }

  it('has the files of its envelope: images as screenshots, others to download', async () => {
    const player = await start();
    const files = [
      file('../../etc/save\u202e.json', '{"car":1}'),
      file('shot.png', await picture()),
      file('broken.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
      file('', 'empty name'),
    ];
    // Files come before and after it.
    const id = newEventId();
    await send(player, { event_id: id }, [files[0]!, feedbackItem(id, {}), ...files.slice(1)]);
    await until(async () =>
      (await ticketOf(player)).screenshots.every(
        (shot: { image: unknown; problem: unknown }) => shot.image !== null || shot.problem !== null,
      ),
    );
    const { attachments, screenshots, bug_uid } = await ticketOf(player);
    assert.deepEqual(
      attachments.map(({ name, size }: { name: string; size: number }) => [name, size]),
      [
        ['save.json', 9],
        ['attachment', 10],
      ],
    );
    assert.equal(screenshots.length, 2);
    assert.notEqual(screenshots[0].image, null);
    assert.match(screenshots[1].problem, /^broken\.png: /);
    const path = `/games/${player.game.uid}/bugs/${bug_uid}/attachments/${attachments[0].attachment_uid}`;
    const download = (headers: Record<string, string>, range = {}) =>
      fetch(`${server.api}${path}`, { headers: { ...headers, ...range } });
    const answer = await download(player.game.owner.headers);
    assert.deepEqual([answer.status, await answer.text()], [200, '{"car":1}']);
    assert.match(answer.headers.get('content-disposition')!, /^attachment; filename="save\.json"/);
    assert.match(answer.headers.get('content-security-policy')!, /sandbox/);
    const part = await download(player.game.owner.headers, { range: 'bytes=2-4' });
    assert.deepEqual([part.status, await part.text()], [206, 'car']);
    assert.equal((await download((await start()).game.owner.headers)).status, 404);
    assert.equal((await download({})).status, 401);
    // Nothing is a report.
    assert.deepEqual(await rows(server.ctx.db, sql`select from crash_reports where game_id = ${player.game.uid}`), []);
    await sweepScreenshots(server.ctx);
    assert.equal((await download(player.game.owner.headers)).status, 200);
  });

  it('has at most three screenshots, and further images as files to download', async () => {
    const player = await start();
    const image = await picture();
    await sendFeedback(player, {}, { files: Array.from({ length: 5 }, (_, index) => file(`${index}.png`, image)) });
    const { screenshots, attachments, bug_uid } = await ticketOf(player);
    assert.equal(screenshots.length, LIMITS.bugScreenshots);
    assert.deepEqual(
      attachments.map(({ name, size }: Record<string, unknown>) => [name, size]),
      [3, 4].map((index) => [`${index}.png`, image.length]),
    );
    const path = `/games/${player.game.uid}/bugs/${bug_uid}/attachments/${attachments[0].attachment_uid}`;
    const sent = await fetch(`${server.api}${path}`, { headers: player.game.owner.headers });
    assert.equal(sent.headers.get('content-type'), 'application/octet-stream');
    assert.deepEqual(Buffer.from(await sent.arrayBuffer()), Buffer.from(image));
  });

  it('leaves a dump and the files next to it to the report', async () => {
    const player = await start();
    const dump: Item = [
      { type: 'attachment', filename: 'a.dmp', attachment_type: 'event.minidump' },
      readDumpFixture('nosym_middle'),
    ];
    await sendFeedback(player, {}, { files: [dump, file('save.json', '{}')] });
    await reportOf(player);
    assert.deepEqual((await ticketOf(player)).attachments, []);
  });

  it('may come in the envelope of its crash', async () => {
    const player = await start();
    const id = newEventId();
    const exception = [{ type: 'Error', value: 'boom' }];
    await send(player, { event_id: id }, [
      [{ type: 'user_report' }, JSON.stringify({ event_id: id, comments: 'I turned left' })],
      [{ type: 'event' }, JSON.stringify({ event_id: id, exception })],
      file('save.json', '{}'),
    ]);
    const ticket = await ticketOf(player);
    assert.deepEqual([ticket.crash_id, ticket.attachments], [await reportOf(player), []]);
    const report = await onlyRow(
      server.ctx.db,
      sql<{ user_message: string; files: number }>`select user_message, jsonb_array_length(attachments) as files
        from crash_reports where game_id = ${player.game.uid}`,
    );
    assert.deepEqual(report, { user_message: 'I turned left', files: 1 });
  });

  it('is shortened if it is huge, and says nothing of home folders', async () => {
    const player = await start();
    const message = `In C:\\Users\\ann\\game. ${'x\u0000\u202e'.repeat(400_000)}`;
    await sendFeedback(player, { message, name: 'n'.repeat(100_000), contact_email: `${'a'.repeat(500)}@example.com` });
    const ticket = await ticketOf(player);
    assert.ok(ticket.message.length <= LIMITS.bugMessageLength);
    assert.doesNotMatch(ticket.message, /ann|\u202e/);
    assert.equal(ticket.can_reply, false);
  });

  it('with values of any type is taken or counted, and never an error', async () => {
    const player = await start();
    const odd = [null, 1, true, [], {}, '', 'x', '\ud800', [{}], { message: {} }];
    for (const value of odd) {
      await send(player, {}, [[{ type: 'feedback' }, JSON.stringify({ contexts: { feedback: value } })]]);
      await send(player, {}, [[{ type: 'feedback' }, JSON.stringify(value)]]);
      await sendFeedback(player, { message: value, name: value, contact_email: value, associated_event_id: value });
      await sendOld(player, { event_id: value, name: value, email: value, comments: value });
      await sendOld(player, value);
    }
    const messages = (await ticketsOf(player)).map(({ message }: { message: string }) => message);
    assert.deepEqual([...new Set(messages)].sort(), ['1', 'true', 'x', '\ufffd']);
    const counts = await countsOf(player);
    assert.ok((counts['dropped feedback unreadable'] ?? 0) > 10);
    assert.ok((counts['dropped user_report unreadable'] ?? 0) > 5);
  });

  it('is counted as dropped past the limit of a day, and past ten in an envelope', async () => {
    const player = await start();
    const many = Array.from({ length: 12 }, () => feedbackItem(newEventId(), {}));
    await send(player, {}, many);
    assert.equal((await ticketsOf(player)).length, 10);
    await changed(
      server.ctx.db,
      sql`update rate_counters set used = 500 where name = 'feedback' and subject = ${player.game.uid}`,
    );
    await sendFeedback(player, {}, { files: [file('save.json', '{}')] });
    await sendOld(player, { event_id: newEventId(), comments: 'Too late' });
    assert.equal((await ticketsOf(player)).length, 10);
    const counts = await countsOf(player);
    assert.deepEqual(counts, {
      'dropped feedback over_limit': 1,
      'dropped feedback too_many': 2,
      'dropped user_report over_limit': 1,
    });
  });

  it('is counted as dropped if the game takes tickets only from players with an account', async () => {
    const player = await start();
    const path = `/games/${player.game.uid}/bug-settings`;
    await callAs(server, player.game.owner, path, { method: 'PUT', body: { guests: false } });
    await sendFeedback(player);
    assert.deepEqual(await ticketsOf(player), []);
    assert.deepEqual(await countsOf(player), { 'dropped feedback not_accepted': 1 });
  });
});
