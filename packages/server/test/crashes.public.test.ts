// What the sender of a report may read of it on a real server: by its read token, or by the client's own id.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { changed, rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { type CrashSender, makeSender, onlyReportOf, report } from './setup/crashes.ts';
import { type ApiResponse, request, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

const FRAMES = [
  {
    function: 'Player::move',
    module: 'game',
    file: 'src/player.cpp',
    line: 12,
    offset: '0x10',
    trust: 'context',
    inlined: false,
  },
  { function: null, module: 'libc.so.6', file: null, line: null, offset: '0x29d90', trust: 'scan', inlined: false },
];
const STACK = 'SIGSEGV at 0x8\n\n 0  game!Player::move  src/player.cpp:12\n 1  libc.so.6!0x29d90  (guessed)\n';

async function process(reportId: string): Promise<void> {
  await changed(
    server.ctx.db,
    sql`update crash_reports set state = 'processed', reason = 'SIGSEGV', crash_address = '0x8', signature = 'Player::move',
      frames = ${JSON.stringify(FRAMES)}::jsonb where report_id = ${reportId}`,
  );
}

const get = (path: string, headers: Record<string, string> = {}): Promise<ApiResponse> =>
  request(`${server.api}/public/crashes/${path}`, { headers });

test('a read token allows reading the state, and later the reason and the stack', async () => {
  const sender = await makeSender(server);
  const { id, read_token } = (await report(sender, { has_dump: true, message: 'secret words', user_message: 'hello' }))
    .body.data;
  const waiting = await get(`${id}?read_token=${read_token}`);
  const ids = { id, app_id: sender.game.uid, build_id: sender.buildId };
  assert.deepEqual(waiting.body, { success: true, data: { ...ids, state: 'received', analysis: null } });
  assert.equal((await get(`${id}/stack?read_token=${read_token}`)).body.error?.code, 4090);
  await process(id);
  const done = await get(id, { 'x-read-token': read_token });
  assert.deepEqual(done.body.data, {
    ...ids,
    state: 'processed',
    analysis: { crash_reason: 'SIGSEGV', crash_address: '0x8' },
  });
  const stack = await fetch(`${server.api}/public/crashes/${id}/stack?read_token=${read_token}`);
  assert.match(stack.headers.get('content-type') ?? '', /^text\/plain/);
  assert.equal(await stack.text(), STACK);
});

test('a report cannot be read without its own token', async () => {
  const sender = await makeSender(server);
  const [one, two] = [(await report(sender)).body.data, (await report(sender)).body.data];
  const changedToken = `${one.read_token.slice(0, -1)}${one.read_token.endsWith('A') ? 'B' : 'A'}`;
  const upload = (await report(sender, { has_dump: true })).body.data.uploads.dump.url.split('/').at(-1);
  for (const path of [
    one.id,
    `${one.id}?read_token=`,
    `${one.id}?read_token=${two.read_token}`,
    `${one.id}?read_token=${changedToken}`,
    `${one.id}?read_token=${upload}`,
    `${newId()}?read_token=${one.read_token}`,
  ])
    for (const suffix of [path, path.replace(/\?|$/, '/stack$&')])
      assert.deepEqual([(await get(suffix)).status, suffix], [404, suffix]);
});

async function reportWithDumpNamed(sender: CrashSender, filename: string): Promise<void> {
  const form = new FormData();
  form.append('metadata', new Blob(['{}'], { type: 'application/json' }));
  form.append('dump', new Blob(['MDMP']), filename);
  const { status } = await fetch(`${server.api}/public/crashes?app_id=${sender.game.uid}&build_id=${sender.buildId}`, {
    method: 'POST',
    body: form,
  });
  assert.equal(status, 201);
}

test("an engine's reporter reads by its own id, and gets plain JSON and text", async () => {
  const sender = await makeSender(server);
  const own = randomUUID();
  await reportWithDumpNamed(sender, `${own}.dmp`);
  const ids = { id: own, app_id: sender.game.uid, build_id: sender.buildId };
  assert.deepEqual((await get(own)).body, { ...ids, state: 'queued', analysis: null });
  assert.equal((await get(`${own}/stack`)).status, 404);
  await process((await onlyReportOf(sender)).report_id);
  assert.deepEqual((await get(own.toUpperCase())).body, {
    ...ids,
    id: own.toUpperCase(),
    state: 'processed',
    analysis: { crash_reason: 'SIGSEGV', crash_address: '0x8' },
  });
  assert.equal(await (await fetch(`${server.api}/public/crashes/${own}/stack/`)).text(), STACK);
});

test('ids made by Breakpad on Linux are accepted, and a repeated report is stored once', async () => {
  const sender = await makeSender(server);
  const own = randomUUID().replace(/^(.{18})-(.{4})-(.{4})/, '$1-$2$3-');
  assert.match(own, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}-[0-9a-f]{8}$/);
  for (let round = 0; round < 2; round += 1) await reportWithDumpNamed(sender, `${own}.dmp`);
  await process((await onlyReportOf(sender)).report_id);
  const { status, body } = await get(own);
  assert.deepEqual([status, (body as unknown as { id: string }).id], [200, own]);
  assert.equal(await (await fetch(`${server.api}/public/crashes/${own}/stack`)).text(), STACK);
});

test('an id that can be guessed gives no access, and ids are only stored as hashes', async () => {
  const sender = await makeSender(server);
  await reportWithDumpNamed(sender, 'crash.dmp');
  assert.equal((await get('crash')).status, 404);
  const { report_id } = await onlyReportOf(sender);
  assert.equal((await get(report_id)).status, 404);
  const own = randomUUID();
  await reportWithDumpNamed(sender, `${own}.dmp`);
  const found = await rows(server.ctx.db, sql`select from crash_reports r where r::text like ${`%${own}%`}`);
  assert.equal(found.length, 0);
});
