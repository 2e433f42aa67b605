// The limits of crash reports on the real server: reports and upload addresses a day, POSTs a minute, and that 0 lifts each.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { DAY, MINUTE, SECOND } from '../src/kernel/clock.ts';
import { makeSender, report, reportsOf } from './setup/crashes.ts';
import { type Answer, startServer, type TestServer } from './setup/server.ts';

const START = new Date('2026-11-21T23:59:30Z');

function assertLimited({ status, headers, body }: Answer, seconds: number): void {
  assert.deepEqual([status, body.error?.code], [429, 4290], JSON.stringify(body));
  assert.equal(headers.get('retry-after'), String(seconds));
  assert.deepEqual(body.error?.data, { retry_after: seconds });
}

describe('the daily limits of a game', () => {
  let now = START;
  let server: TestServer;

  before(async () => {
    const env = { CHAUFFEUR_LIMIT_CRASHES: '10', CHAUFFEUR_LIMIT_CRASH_UPLOADS: '5', CHAUFFEUR_LIMIT_PUBLIC: '0' };
    server = await startServer({ role: 'api', clock: { now: () => now }, env });
  });
  beforeEach(() => {
    now = START;
  });
  after(() => server.stop());

  test('let exactly as many reports through when all come at once, and as many again the next UTC day', async () => {
    const sender = await makeSender(server);
    const answers = await Promise.all(Array.from({ length: 40 }, () => report(sender)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 10);
    for (const answer of answers) if (answer.status !== 201) assertLimited(answer, 30);
    assert.equal((await reportsOf(sender)).length, 10);
    now = new Date(START.getTime() + 30 * SECOND);
    for (let no = 0; no < 10; no += 1) assert.equal((await report(sender)).status, 201);
    assertLimited(await report(sender), DAY / SECOND);
  });

  test('hold over several processes', async () => {
    const other = await startServer({
      role: 'api',
      beside: server,
      clock: { now: () => now },
      env: { CHAUFFEUR_LIMIT_CRASHES: '10', CHAUFFEUR_LIMIT_PUBLIC: '0' },
    });
    const sender = await makeSender(server);
    const beside = { ...sender, server: other };
    const answers = await Promise.all(Array.from({ length: 60 }, (_, no) => report(no % 2 === 0 ? sender : beside)));
    await other.stop();
    assert.equal(answers.filter(({ status }) => status === 201).length, 10);
    assert.equal((await reportsOf(sender)).length, 10);
  });

  test('count each game by itself, and not what was refused', async () => {
    const [one, two] = [await makeSender(server), await makeSender(server)];
    await Promise.all(Array.from({ length: 12 }, () => report(one)));
    for (let no = 0; no < 5; no += 1) await report({ ...two, buildId: one.buildId });
    for (let no = 0; no < 10; no += 1) assert.equal((await report(two)).status, 201);
  });

  test('keep a report past the limit of upload addresses, without them, and it says so', async () => {
    const sender = await makeSender(server);
    const both = { has_dump: true, has_log: true };
    const answers = await Promise.all(Array.from({ length: 4 }, () => report(sender, both)));
    const uploads = answers.map(({ status, body }) => [status, Object.keys(body.data.uploads).length]);
    assert.deepEqual(uploads.sort(), [
      [201, 0],
      [201, 0],
      [201, 2],
      [201, 2],
    ]);
    const states = (await reportsOf(sender)).map(({ state, failure }) => `${state} ${failure?.slice(0, 8) ?? ''}`);
    assert.deepEqual(states.sort(), ['queued The game', 'queued The game', 'received ', 'received ']);
  });
});

test('an address is held to its POSTs a minute, whatever they are', async () => {
  let now = START;
  const server = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '3' } });
  const sender = await makeSender(server);
  await report(sender);
  await report(sender, {}, {});
  await report(sender);
  assertLimited(await report(sender), 30);
  now = new Date(START.getTime() + MINUTE);
  assert.equal((await report(sender)).status, 201);
  await server.stop();
});

test('0 lifts each limit', async () => {
  const limits = ['CRASHES', 'CRASH_UPLOADS', 'PUBLIC'].map((name) => [`CHAUFFEUR_LIMIT_${name}`, '0']);
  const server = await startServer({ role: 'api', env: Object.fromEntries(limits) });
  const sender = await makeSender(server);
  const answers = await Promise.all(Array.from({ length: 50 }, () => report(sender, { has_dump: true })));
  for (const { status, body } of answers) assert.deepEqual([status, Object.keys(body.data.uploads)], [201, ['dump']]);
  await server.stop();
});
