// Private download links on a real server, with files and with S3: who can create them, what they contain, and when
// they expire.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { gzipSync, zstdDecompressSync } from 'node:zlib';
import { sql } from 'kysely';
import { bytesOfBuffer } from '../src/kernel/blobs/byte-source.ts';
import { HOUR, MINUTE } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { statusOf } from './setup/api-calls.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { S3_MISSING, type S3Server, startS3 } from './setup/s3.ts';
import { type ApiResponse, makePlayer, startServer, type TestServer } from './setup/server.ts';

const DUMP = Buffer.from('MDMP and some bytes that are not text \xff\x00', 'latin1');
const LOG = Buffer.from('<script>alert(1)</script>\nline 2 ünï');

let server: TestServer;
let stranger: Person;
let now = Date.now();
before(async () => {
  server = await startServer({ role: 'api', clock: { now: () => new Date(now) } });
  stranger = await makePlayer(server);
});
after(() => server.stop());

type Link = { url: string; expires_at: string; filename: string };

function ask(
  game: SharedGame,
  id: string,
  kind: string,
  person: Person | null = game.owner,
  on = server,
): Promise<ApiResponse> {
  return callAs(on, person, `/games/${game.uid}/crashes/${id}/downloads`, { method: 'POST', body: { kind } });
}

async function linkTo(game: SharedGame, id: string, kind: string, on = server): Promise<Link> {
  const { status, body } = await ask(game, id, kind, game.owner, on);
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

async function load(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

function codeIn(bytes: Buffer): number {
  return JSON.parse(bytes.toString()).error.code;
}

/** Stores the files of a report as older versions did, uncompressed. */
async function unpackFiles({ ctx }: TestServer, id: string): Promise<void> {
  for await (const { key } of ctx.blobs.list('crashes/')) {
    if (!key.includes(id)) continue;
    const bytes = zstdDecompressSync(await buffer(await ctx.blobs.read(key)));
    const former = key.replace(/\.zst$/, key.includes('.json') ? '.gz' : '');
    assert.notEqual(former, key);
    await ctx.blobs.put(former, bytesOfBuffer(key.includes('.json') ? gzipSync(bytes) : bytes));
    await ctx.blobs.delete(key);
    for (const column of ['dump_key', 'log_key', 'stack_key'])
      await changed(
        ctx.db,
        sql`update crash_reports set ${sql.ref(column)} = ${former} where report_id = ${id} and ${sql.ref(column)} = ${key}`,
      );
  }
}

/** A game with a report that has all files. */
async function makeReport(on = server): Promise<{ game: SharedGame; id: string }> {
  const game = await makeSharedGame(on);
  const buildId = await addBuild(on, game);
  return {
    game,
    id: await addReport(on.ctx, { game, buildId, stack: ['render::measure', 'main'], dump: DUMP, log: LOG }),
  };
}

describe('a download link', () => {
  test('returns dump and log unchanged, as downloads that browsers do not display', async () => {
    const { game, id } = await makeReport();
    for (const [kind, bytes, type, name] of [
      ['dump', DUMP, 'application/octet-stream', `crash-${id}.dmp`],
      ['log', LOG, 'text/plain; charset=utf-8', `crash-${id}.log`],
    ] as const) {
      const link = await linkTo(game, id, kind);
      assert.equal(link.filename, name);
      assert.equal(link.expires_at, new Date(now + HOUR).toISOString());
      const loaded = await load(link.url);
      assert.equal(loaded.status, 200);
      assert.deepEqual(loaded.bytes, bytes);
      assert.deepEqual(
        [
          'content-type',
          'content-disposition',
          'x-content-type-options',
          'content-security-policy',
          'cache-control',
          'referrer-policy',
        ].map((header) => loaded.headers.get(header)),
        [type, `attachment; filename="${name}"`, 'nosniff', "default-src 'none'; sandbox", 'no-store', 'no-referrer'],
      );
    }
  });

  test('returns the stack as text, the same each time', async () => {
    const { game, id } = await makeReport();
    const { url, filename } = await linkTo(game, id, 'stack');
    const [first, second] = [await load(url), await load(url)];
    assert.equal(first.status, 200);
    assert.match(first.bytes.toString(), /^ 1 {2}game!main \[layout\.cc : 14 \+ 0x8\]$/m);
    assert.match(first.bytes.toString(), /^Crash reason: {2}SIGSEGV \/ SEGV_MAPERR$/m);
    assert.deepEqual(first.bytes, second.bytes);
    assert.equal(first.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(first.headers.get('content-disposition'), `attachment; filename="${filename}"`);
    assert.equal(first.headers.get('content-security-policy'), "default-src 'none'; sandbox");
    assert.deepEqual((await load(url, { method: 'HEAD' })).bytes.length, 0);
  });

  test('returns old files that were stored uncompressed', async () => {
    const { game, id } = await makeReport();
    const stackLink = await linkTo(game, id, 'stack');
    const stack = (await load(stackLink.url)).bytes;
    await unpackFiles(server, id);
    for (const [kind, bytes] of [
      ['dump', DUMP],
      ['log', LOG],
    ] as const) {
      const { url } = await linkTo(game, id, kind);
      assert.deepEqual((await load(url)).bytes, bytes);
      assert.deepEqual((await load(url, { headers: { range: 'bytes=2-5' } })).bytes, bytes.subarray(2, 6));
    }
    assert.deepEqual((await load(stackLink.url)).bytes, stack);
    const page = await callAs(server, game.owner, `/games/${game.uid}/crashes/${id}/log`);
    assert.equal(page.body.data.text, LOG.toString());
  });

  test('supports ranges, and responds 304 to clients with the same content', async () => {
    const { game, id } = await makeReport();
    const { url } = await linkTo(game, id, 'dump');
    const part = await load(url, { headers: { range: 'bytes=0-3' } });
    assert.deepEqual(
      [part.status, part.bytes.toString(), part.headers.get('content-range')],
      [206, 'MDMP', `bytes 0-3/${DUMP.length}`],
    );
    const end = await load(url, { headers: { range: 'bytes=-5' } });
    assert.deepEqual([end.status, end.bytes], [206, DUMP.subarray(-5)]);
    const etag = (await load(url)).headers.get('etag') ?? '';
    assert.equal((await load(url, { headers: { 'if-none-match': etag } })).status, 304);
  });

  test('needs no session, and expires after an hour with 4040', async () => {
    const { game, id } = await makeReport();
    const { url } = await linkTo(game, id, 'dump');
    const start = now;
    try {
      now = start + 59 * MINUTE;
      assert.equal((await load(url)).status, 200);
      now = start + 60 * MINUTE;
      const late = await load(url);
      assert.deepEqual([late.status, codeIn(late.bytes)], [404, 4040]);
    } finally {
      now = start;
    }
  });

  test('is refused with 4040 if any character differs', async () => {
    const { game, id } = await makeReport();
    const { url } = await linkTo(game, id, 'dump');
    const at = url.lastIndexOf('/') + 1;
    for (let index = at; index < url.length; index += 7) {
      const other = url[index] === 'A' ? 'B' : 'A';
      const { status, bytes } = await load(url.slice(0, index) + other + url.slice(index + 1));
      assert.deepEqual([status, codeIn(bytes)], [404, 4040], `character ${index - at}`);
    }
    for (const token of ['x', url.slice(at, -1), `${url.slice(at)}A`])
      assert.equal((await load(url.slice(0, at) + token)).status, 404);
  });

  test('accepts only its own token: not one of an upload or of another kind of file', async () => {
    const { game, id } = await makeReport();
    const [dump, log] = [await linkTo(game, id, 'dump'), await linkTo(game, id, 'log')];
    assert.notEqual(dump.url, log.url);
    const upload = dump.url.replace('/crash-downloads/', '/public/crashes/uploads/');
    const response = await load(upload, { method: 'PUT', body: 'x' });
    assert.deepEqual([response.status, codeIn(response.bytes)], [404, 4040]);
  });

  test('is refused once the report is deleted', async () => {
    const { game, id } = await makeReport();
    const links = [await linkTo(game, id, 'dump'), await linkTo(game, id, 'stack')];
    await callAs(server, game.owner, `/games/${game.uid}/crashes/${id}`, { method: 'DELETE' });
    for (const { url } of links) assert.equal(codeIn((await load(url)).bytes), 4040);
    assert.deepEqual(statusOf(await ask(game, id, 'dump')), [404, 4040]);
  });

  test('is refused with 4090 for files that the report does not have or the store has lost', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const bare = await addReport(server.ctx, { game, buildId, message: 'x' });
    for (const kind of ['stack', 'log', 'dump']) assert.deepEqual(statusOf(await ask(game, bare, kind)), [409, 4090]);
    const { game: other, id } = await makeReport();
    const links = [await linkTo(other, id, 'log'), await linkTo(other, id, 'stack')];
    for await (const { key } of server.ctx.blobs.list('crashes/'))
      if (key.includes(id)) await server.ctx.blobs.delete(key);
    for (const { url } of links) {
      const { status, bytes, headers } = await load(url);
      assert.deepEqual([status, codeIn(bytes), headers.get('etag')], [409, 4090, null]);
    }
  });

  test('can only be created by members of the game', async () => {
    const { game, id } = await makeReport();
    const other = await makeSharedGame(server);
    assert.equal((await ask(game, id, 'stack', game.admin)).status, 201);
    for (const person of [stranger, other.owner])
      assert.deepEqual(statusOf(await ask(game, id, 'stack', person)), [404, 4040]);
    assert.deepEqual(statusOf(await ask(game, id, 'stack', null)), [401, 4011]);
    assert.deepEqual(statusOf(await ask(other, id, 'stack')), [404, 4040]);
    assert.deepEqual(statusOf(await ask(game, newId(), 'stack')), [404, 4040]);
    assert.deepEqual(statusOf(await ask(game, id, 'core')), [400, 4002]);
  });

  test('is logged without its token when it is created and when it is used', async () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => lines.push(line) });
    const other = await startServer({ shareWith: server, role: 'api', log });
    try {
      const { game, id } = await makeReport(other);
      const { url } = await linkTo(game, id, 'dump', other);
      await load(url);
      const linesWith = (text: string) => lines.filter((line) => line.includes(text) && line.includes(id));
      assert.match(linesWith('download link created').join(), new RegExp(`"user":"${game.owner.id}"`));
      assert.equal(linesWith('download link used').length, 1);
      assert.ok(!lines.join().includes(url.slice(url.lastIndexOf('/') + 1)));
    } finally {
      await other.stop();
    }
  });
});

describe('a download link on S3', () => {
  let s3: S3Server | null;
  before(async () => {
    s3 = await startS3();
    if (s3 !== null) Object.assign(process.env, s3.env);
  });
  after(() => s3?.stop());

  test('is served by the server itself, so it expires on time', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const onS3 = await startServer({ role: 'api', env: { CHAUFFEUR_BLOBS: s3.url } });
    try {
      const { game, id } = await makeReport(onS3);
      for (const [kind, bytes] of [
        ['dump', DUMP],
        ['log', LOG],
      ] as const) {
        const loaded = await load((await linkTo(game, id, kind, onS3)).url);
        assert.deepEqual([loaded.status, loaded.headers.get('location')], [200, null]);
        assert.deepEqual(loaded.bytes, bytes);
      }
      assert.match((await load((await linkTo(game, id, 'stack', onS3)).url)).bytes.toString(), /game!main/);
    } finally {
      await onS3.stop();
    }
  });
});
