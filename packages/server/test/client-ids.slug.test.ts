// Clients that identify their game by its slug, on two processes of the real service: every way of sending it, and
// slugs that move.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { sql } from 'kysely';
import { SECOND } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { type CrashSender, makeSender, onlyReportOf, report, reportsOf } from './setup/crashes.ts';
import { eventsOf, send } from './setup/events.ts';
import { fieldPart, filePart, multipartOf } from './setup/raw.ts';
import { request, signIn, startServer, type TestServer } from './setup/server.ts';
import { unrealArchive } from './setup/unreal.ts';

let server: TestServer;
let secondServer: TestServer;
let now = Date.now();

before(async () => {
  const clock = { now: () => new Date(now) };
  server = await startServer({ role: 'api', clock, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
  secondServer = await startServer({ role: 'api', clock, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' }, shareWith: server });
});
after(async () => {
  await secondServer.stop();
  await server.stop();
});

const FORM = 'multipart/form-data; boundary=B';
const bySlug = ({ game, buildId }: CrashSender) => ({ 'x-app-id': game.slug, 'x-build-id': buildId });
const inQuery = ({ game, buildId }: CrashSender) => `app_id=${game.slug}&build_id=${buildId}`;
const dump = () => filePart(Buffer.from('MDMP'), { name: 'upload_file_minidump', filename: 'x.dmp' });

async function post(path: string, headers: Record<string, string>, body: Uint8Array): Promise<number> {
  const init = { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> };
  return (await fetch(`${server.api}/public/${path}`, init)).status;
}

async function renameTo(sender: CrashSender, slug: string): Promise<void> {
  const { status } = await request(`${server.api}/games/${sender.game.uid}`, {
    method: 'PATCH',
    headers: { ...(await signIn(server, sender.game.owner)), origin: server.url, 'content-type': 'application/json' },
    body: JSON.stringify({ slug }),
  });
  assert.equal(status, 200);
}

describe('a slug identifies the game for', () => {
  const ways: [string, (sender: CrashSender) => Promise<number>, number][] = [
    ['a report in JSON', async (sender) => (await report(sender, {}, bySlug(sender))).status, 201],
    [
      'a form, in its address',
      (sender) => post(`crashes?${inQuery(sender)}`, { 'content-type': FORM }, multipartOf([dump()])),
      200,
    ],
    [
      'a form, in its fields',
      ({ game, buildId }) =>
        post(
          'crashes',
          { 'content-type': FORM },
          multipartOf([dump(), fieldPart('app_id', game.slug), fieldPart('build_id', buildId)]),
        ),
      200,
    ],
    [
      'a form, in its metadata',
      ({ game, buildId }) =>
        post(
          'crashes',
          { 'content-type': FORM },
          multipartOf([fieldPart('metadata', JSON.stringify({ app_id: game.slug, build_id: buildId }))]),
        ),
      201,
    ],
    [
      'an archive of Unreal Engine',
      (sender) =>
        post(
          `crashes/unreal?${inQuery(sender)}`,
          { 'content-type': 'application/octet-stream' },
          deflateSync(unrealArchive([{ name: 'a.dmp', content: Buffer.from('MDMP') }], { marked: true })),
        ),
      201,
    ],
  ];
  for (const [what, sendBy, expected] of ways)
    test(what, async () => {
      const sender = await makeSender(server);
      assert.equal(await sendBy(sender), expected);
      assert.equal((await onlyReportOf(sender)).build_id, sender.buildId);
    });

  test('events', async () => {
    const sender = await makeSender(server);
    assert.equal((await send(sender, { event: 'quit' }, { headers: bySlug(sender) })).status, 202);
    assert.equal((await send(sender, { event: 'quit' }, { headers: {}, query: `?${inQuery(sender)}` })).status, 202);
    assert.equal((await eventsOf(sender)).length, 2);
  });
});

test('an unknown, foreign or malformed slug is refused', async () => {
  const [mine, other] = [await makeSender(server), await makeSender(server)];
  for (const slug of [
    'no-such-game',
    other.game.slug,
    'A B',
    mine.game.slug.toUpperCase(),
    `${mine.game.slug}\u00e9`,
    '-'.repeat(5000),
  ]) {
    const headers = { 'x-app-id': slug, 'x-build-id': mine.buildId };
    assert.equal((await report(mine, {}, headers)).body.error?.code, 4030, slug);
    assert.equal((await send(mine, { event: 'quit' }, { headers })).body.error?.code, 4030, slug);
  }
  assert.deepEqual(await reportsOf(mine), []);
});

test('a released slug leads to its former game for at most a few seconds, and then to the game that took it', async () => {
  const [first, second] = [await makeSender(server), await makeSender(server)];
  const slug = first.game.slug;
  const createReport = async (api: TestServer, { buildId }: CrashSender) =>
    (await report({ ...first, server: api }, {}, { 'x-app-id': slug, 'x-build-id': buildId })).status;
  for (const api of [server, secondServer]) assert.equal(await createReport(api, first), 201);
  await renameTo(first, `${slug}-old`);
  for (const api of [server, secondServer]) assert.equal(await createReport(api, first), 201, 'it leads to the game');
  // It is free once its reservation ends.
  await changed(server.ctx.db, sql`update former_slugs set reserved_until = ${new Date(now)} where slug = ${slug}`);
  await renameTo(second, slug);
  assert.deepEqual([await createReport(server, first), await createReport(server, second)], [403, 201]);
  now += 11 * SECOND;
  assert.deepEqual([await createReport(secondServer, first), await createReport(secondServer, second)], [403, 201]);
});
