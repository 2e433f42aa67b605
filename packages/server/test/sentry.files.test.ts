// Files that sentry-cli uploads in chunks, in the form of its requests: what is kept, what becomes of it, and what is
// refused.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { formatDsn } from '@chauffeur/sentry/dsn/dsn';
import { sql } from 'kysely';
import { changedWasm, customSection } from '../../debug-symbols/test/sample-wasm.ts';
import { assembleFile } from '../src/crash/sentry/files/assemble.job.ts';
import { sweepSentryFiles } from '../src/crash/sentry/files/chunks.ts';
import { HOUR, MINUTE } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { callApi, makeOwnedGame } from './setup/api-calls.ts';
import { makeDsn } from './setup/dsns.ts';
import { beginRequest, filePart, multipartOf } from './setup/raw.ts';
import { callAsSentryCli, chunkForm, sendChunks, sha1, tokenOf } from './setup/sentry-cli.ts';
import { startServer, type TestGame, type TestServer } from './setup/server.ts';
import { debugIdOf, symbolBlobsOf, symText } from './setup/symbols.ts';
import { until, untilEqual } from './setup/until.ts';
import { buildZip } from './setup/zips.ts';

let now = Date.now();
let server: TestServer;
let game: TestGame;
let owner: { cookie: string };

before(async () => {
  server = await startServer({
    clock: { now: () => new Date(now) },
    env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0', CHAUFFEUR_LIMIT_CHUNKS: '0' },
  });
  ({ game, owner } = await makeOwnedGame(server));
});
after(() => server.stop());

type Wanted = { name?: string; debug_id?: string; chunks?: readonly string[] };
const assemble = (files: Record<string, unknown>, of = game, project = of.slug) =>
  callAsSentryCli(server, tokenOf(of), 'POST', `/projects/studio/${project}/files/difs/assemble/`, files);
const wantedOf = (file: Uint8Array, more: Wanted = {}) => ({
  [sha1(file)]: { name: 'game.sym', chunks: [sha1(file)], ...more },
});
/** Uploads a file as one chunk, and waits until it is neither pending nor missing. */
async function upload(file: Uint8Array, more: Wanted = {}, of = game) {
  assert.equal((await sendChunks(server, tokenOf(of), chunkForm([file]))).status, 200);
  return settled(file, more, of);
}
const settled = (file: Uint8Array, more: Wanted = {}, of = game) =>
  until(async () => {
    const { status, body } = await assemble(wantedOf(file, more), of);
    assert.equal(status, 200, JSON.stringify(body));
    const answer = body[sha1(file)];
    return ['ok', 'error', 'not_found'].includes(answer.state) && answer;
  });
const chunksOf = async (of = game) =>
  (await rows(server.ctx.db, sql<{ sha1: string }>`select sha1 from sentry_chunks where game_id = ${of.uid}`)).map(
    (chunk) => chunk.sha1,
  );
const listed = async () =>
  (await callApi(server, owner, 'GET', `/games/${game.uid}/symbols?limit=100`)).body.data.symbols;
const dashed = (id: string) =>
  id
    .slice(0, 32)
    .toLowerCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

test('the client learns what is accepted and how', async () => {
  const { status, body } = await callAsSentryCli(server, tokenOf(game), 'GET', '/organizations/a%20b/chunk-upload/');
  assert.equal(status, 200);
  assert.equal(body.url, `${server.ctx.publicUrl}/api/0/organizations/a%20b/chunk-upload/`);
  assert.equal(body.hashAlgorithm, 'sha1');
  assert.deepEqual(body.compression, ['gzip']);
  for (const unused of ['sources', 'bcsymbolmaps', 'portablepdbs', 'dartsymbolmap'])
    assert.ok(!body.accept.includes(unused), unused);
});

describe('a file', () => {
  test('is missing, then pending, then used by all builds with its debug id, and never sent again', async () => {
    const file = symText({ file: 'first.so' });
    const debug_id = dashed(debugIdOf('first.so'));
    const missing = await assemble(wantedOf(file, { debug_id }));
    assert.deepEqual(missing.body[sha1(file)], { state: 'not_found', missingChunks: [sha1(file)], detail: null });
    await sendChunks(server, tokenOf(game), chunkForm([file]));
    const pending = await assemble(wantedOf(file, { debug_id }));
    assert.ok(['created', 'assembling'].includes(pending.body[sha1(file)].state));
    const { state, dif } = await settled(file, { debug_id });
    assert.equal(state, 'ok');
    assert.deepEqual([dif.debugId, dif.cpuName, dif.objectName], [debug_id, 'x86_64', 'game.sym']);
    const [symbol] = (await listed()).filter(({ debug_file }: { debug_file: string }) => debug_file === 'first.so');
    assert.deepEqual([symbol.state, symbol.functions, symbol.build_id], ['compiled', 1, undefined]);
    assert.equal((await assemble(wantedOf(file))).body[sha1(file)].state, 'ok');
    const log = await callApi(server, owner, 'GET', `/games/${game.uid}/audit`);
    const entries = log.body.data.entries.filter(
      (entry: { operation: string }) => entry.operation === 'symbols.upload',
    );
    assert.deepEqual(entries[0].changes.files.after, ['game.sym']);
  });

  test('of WebAssembly with its debug information is converted', async () => {
    const id = Buffer.from('5f2c8d11a0b14e908b7e55d2a9c0f411', 'hex');
    const file = Buffer.from(changedWasm(() => true, customSection('build_id', Buffer.concat([Buffer.of(16), id]))));
    const { state, detail } = await upload(file, { name: 'game.debug.wasm' });
    assert.equal(state, 'ok', detail);
    const symbol = (await listed()).find(({ code_id: codeId }: { code_id: string }) => codeId === id.toString('hex'));
    assert.deepEqual([symbol.os, symbol.cpu, symbol.state, symbol.has_lines], ['web', 'wasm32', 'compiled', true]);
  });

  test('of several chunks is put together in their order, in which one can occur twice', async () => {
    const line = Buffer.from('STACK CFI INIT 10 8 .cfa: $rsp 8 +\n');
    const parts = [symText({ file: 'parts.so' }), line, line];
    const file = Buffer.concat(parts);
    assert.equal((await sendChunks(server, tokenOf(game), chunkForm(parts.slice(0, 1)))).status, 200);
    const wanted = { [sha1(file)]: { name: 'parts.sym', chunks: parts.map(sha1) } };
    const { body } = await assemble(wanted);
    assert.deepEqual(body[sha1(file)].missingChunks, [sha1(line)]);
    await sendChunks(server, tokenOf(game), chunkForm([line]));
    const answer = await until(async () => {
      const found = (await assemble(wanted)).body[sha1(file)];
      return !['created', 'assembling'].includes(found.state) && found;
    });
    assert.equal(answer.state, 'ok', answer.detail);
  });

  test('that is never used is an error with a reason, and nothing of it is kept', async () => {
    const before = await listed();
    const files = {
      sources: Buffer.from('SYSB\x02\0\0\0PK'),
      'portable PDB': Buffer.from('BSJB\x01\0\x01\0'),
      map: Buffer.from('BCSymbolMap Version: 2.0\n_a\n'),
      plist: Buffer.from('<?xml version="1.0"?>\n<!DOCTYPE plist PUBLIC "x">\n<plist/>'),
      wasm: Buffer.from('\0asm\x01\0\0\0'),
      text: Buffer.from('hello, player'),
      'cut PE': Buffer.from('MZ'),
      'symbols without an id': Buffer.from('MODULE Linux x86_64 000000000000000000000000000000000 libgame.so\n'),
    };
    for (const [name, file] of Object.entries(files)) {
      const { state, detail } = await upload(file, { name });
      assert.equal(state, 'error', name);
      assert.ok(detail.length > 10, name);
    }
    assert.deepEqual(await listed(), before);
    // A minute later, it can be tried again.
    now += 2 * MINUTE;
    await sql`delete from sentry_chunks where game_id = ${game.uid}`.execute(server.ctx.db);
    assert.equal((await settled(files.wasm)).state, 'not_found');
  });

  test('whose chunks are not its own is an error', async () => {
    const chunk = symText({ file: 'other.so' });
    await sendChunks(server, tokenOf(game), chunkForm([chunk]));
    const wrong = sha1(Buffer.from('something else'));
    const answer = await until(async () => {
      const { body } = await assemble({ [wrong]: { name: 'a.sym', chunks: [sha1(chunk)] } });
      return body[wrong].state === 'error' && body[wrong];
    });
    assert.match(answer.detail, /SHA-1/);
    const none = await assemble({ [wrong.replace(/^./, '0')]: { name: 'a.sym', chunks: [] } });
    assert.deepEqual(
      Object.values(none.body).map((file) => (file as { state: string }).state),
      ['error'],
    );
  });

  test('is stored once by calls and jobs at the same time', async () => {
    const file = symText({ file: 'race.so' });
    const forms = await Promise.all(
      Array.from({ length: 6 }, () => sendChunks(server, tokenOf(game), chunkForm([file, file]))),
    );
    assert.deepEqual([...new Set(forms.map(({ status }) => status))], [200]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => assemble(wantedOf(file))));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const attempt = { number: 1, last: false, signal: new AbortController().signal };
    await Promise.all(
      Array.from({ length: 3 }, () => assembleFile(server.ctx, { gameId: game.uid, sha1: sha1(file) }, attempt)),
    );
    assert.equal((await settled(file)).state, 'ok');
    assert.equal(
      (await listed()).filter(({ debug_file }: { debug_file: string }) => debug_file === 'race.so').length,
      1,
    );
  });

  test('is sent again after its symbols were deleted', async () => {
    const file = symText({ file: 'deleted.so' });
    assert.equal((await upload(file)).state, 'ok');
    const all = await callApi(server, owner, 'DELETE', `/games/${game.uid}/symbols`);
    assert.ok(all.body.data.deleted > 0);
    now += 2 * MINUTE;
    await sql`delete from sentry_chunks where game_id = ${game.uid}`.execute(server.ctx.db);
    assert.equal((await settled(file)).state, 'not_found');
    assert.equal((await upload(file)).state, 'ok');
  });

  test('of another game is not found, nor are its chunks', async () => {
    const { game: other } = await makeOwnedGame(server);
    const file = symText({ file: 'own.so' });
    assert.equal((await upload(file)).state, 'ok');
    assert.equal((await assemble(wantedOf(file), other)).body[sha1(file)].state, 'not_found');
    assert.equal((await assemble(wantedOf(file), other, game.slug)).status, 404);
    assert.equal((await assemble(wantedOf(file), { ...game, ...{ keyHeaders: other.keyHeaders } })).status, 404);
  });
});

describe('a bundle of scripts', () => {
  const bundleOf = (files: Record<string, string>, manifest?: unknown) =>
    buildZip(
      Object.entries({ ...files, ...(manifest !== undefined && { 'manifest.json': JSON.stringify(manifest) }) }).map(
        ([name, data]) => ({ name, data }),
      ),
    );
  const manifestOf = (type: unknown, name = 'files/_/_/game.js.map') => ({
    files: { [name]: { type, url: '~/game.js.map', headers: { 'debug-id': randomUUID() } } },
  });
  const assembleBundle = async (bundle: Buffer, of: TestGame, more = {}) => {
    const body = {
      checksum: sha1(bundle),
      chunks: [sha1(bundle)],
      projects: [of.slug],
      version: 'owls@1.0.0',
      ...more,
    };
    return callAsSentryCli(server, tokenOf(of), 'POST', '/organizations/x/artifactbundle/assemble/', body);
  };
  const sendBundle = async (bundle: Buffer, of: TestGame) => {
    await sendChunks(server, tokenOf(of), chunkForm([bundle]));
    return until(async () => {
      const { status, body } = await assembleBundle(bundle, of);
      assert.equal(status, 200, JSON.stringify(body));
      return ['ok', 'error'].includes(body.state) && body;
    });
  };
  const map = JSON.stringify({ version: 3, sources: ['game.ts'], names: [], mappings: 'AAAA' });

  test('is used by its release, whichever files the manifest lists besides', async () => {
    const { game: own, owner: person } = await makeOwnedGame(server);
    const bundle = bundleOf({ 'files/_/_/game.js.map': map, other: 'x' }, manifestOf('source_map'));
    assert.deepEqual((await assembleBundle(bundle, own)).body, {
      state: 'not_found',
      missingChunks: [sha1(bundle)],
      detail: null,
    });
    assert.deepEqual(await sendBundle(bundle, own), { state: 'ok', missingChunks: [], detail: null });
    const { body } = await callApi(server, person, 'GET', `/games/${own.uid}/symbols`);
    assert.deepEqual(
      body.data.symbols.map(({ kind, debug_file }: { kind: string; debug_file: string }) => [kind, debug_file]),
      [['source_map', '~/game.js.map']],
    );
  });

  test('says where the map of a script is that does not say it itself', async () => {
    const { game: own } = await makeOwnedGame(server);
    const script = (url: string, headers: object) => ({ type: 'minified_source', url, headers });
    const files = {
      'a.js': script('~/js/a.js', { Sourcemap: '../maps/a.js.map' }),
      'b.js': script('~/js/b.js', { 'x-sourcemap': 'https://maps.example.com/maps/b.js.map' }),
      'c.js': script('~/js/c.js', { sourcemap: 'wrong.map' }),
      'd.js': script('~/js/d.js', { sourcemap: 7 }),
      'a.js.map': { type: 'source_map', url: '~/maps/a.js.map' },
    };
    const comment = '//# sourceMappingURL=c.js.map\n';
    const texts = { 'a.js': 'a()', 'b.js': 'b()', 'c.js': `c()\n${comment}`, 'd.js': 'd()', 'a.js.map': map };
    assert.equal((await sendBundle(bundleOf(texts, { files }), own)).state, 'ok');
    const ofScripts = sql<{ map_url: string }>`select map_url from mappings
      where game_id = ${own.uid} and kind = 'script' order by url`;
    assert.deepEqual(
      (await rows(server.ctx.db, ofScripts)).map(({ map_url }) => map_url),
      ['~/maps/a.js.map', '~/maps/b.js.map', '~/js/c.js.map', ''],
    );
  });

  test('that nothing can be made of is an error, and nothing but its chunks is kept', async () => {
    const { game: own, owner: person } = await makeOwnedGame(server);
    const good = bundleOf({ 'files/_/_/game.js.map': map }, manifestOf('source_map'));
    const wrong = {
      'no zip': Buffer.from('SYSB\x02\0\0\0nothing'),
      'a cut zip': good.subarray(0, good.length - 30),
      'no manifest': bundleOf({ 'a.js': 'x' }),
      'a manifest of another form': bundleOf({ 'a.js': 'x' }, []),
      'files of another form': bundleOf({ 'a.js': 'x' }, { files: { 'a.js': 1, b: null } }),
      'an unknown type': bundleOf({ 'files/_/_/game.js.map': map }, manifestOf('__proto__')),
      'a type of another form': bundleOf({ 'files/_/_/game.js.map': map }, manifestOf({})),
      'a file that is missing': bundleOf({ 'a.js': 'x' }, manifestOf('source_map')),
    };
    for (const [name, bundle] of Object.entries(wrong)) {
      const { state, detail } = await sendBundle(bundle, own);
      assert.equal(state, 'error', name);
      assert.ok(detail.length > 10, name);
    }
    assert.deepEqual((await callApi(server, person, 'GET', `/games/${own.uid}/symbols`)).body.data.symbols, []);
    assert.equal((await symbolBlobsOf(server, own)).length, (await chunksOf(own)).length);
  });

  test('with a damaged source map is an error that says so', async () => {
    const { game: own } = await makeOwnedGame(server);
    const broken = bundleOf({ 'files/_/_/game.js.map': '{"version":3' }, manifestOf('source_map'));
    const { state, detail } = await sendBundle(broken, own);
    assert.equal(state, 'error');
    assert.match(detail, /can't be used/);
  });

  test('of another game or a wrong form is refused', async () => {
    const { game: other } = await makeOwnedGame(server);
    const bundle = bundleOf({});
    assert.equal((await assembleBundle(bundle, game, { projects: [other.slug] })).status, 404);
    for (const more of [{ checksum: 1 }, { chunks: {} }, { chunks: ['x'] }, { version: {} }, { dist: 'x'.repeat(251) }])
      assert.equal((await assembleBundle(bundle, game, more)).status, 400);
  });
});

describe('chunks', () => {
  test('are refused with another hash, a wrong name or too many bytes, and then none of the form is kept', async () => {
    const { game: own } = await makeOwnedGame(server);
    const good = Buffer.from('good');
    const large = Buffer.alloc(LIMITS.sentryChunkBytes + 1);
    const plain = (content: Uint8Array, name = 'file', filename = sha1(content)) =>
      filePart(content, { name, filename });
    const gzipped = (content: Uint8Array, sent: Uint8Array) =>
      filePart(sent, { name: 'file_gzip', filename: sha1(content) });
    const wrong = {
      'another hash': [plain(good), plain(Buffer.from('bad'), 'file', sha1(good).replace(/^./, '0'))],
      'upper case': [plain(good), plain(good, 'file', sha1(good).toUpperCase())],
      'no name': [plain(good), plain(good, 'file', '')],
      'another part': [plain(good), plain(good, 'chunk')],
      'too large': [plain(good), plain(large)],
      'a bomb': [plain(good), gzipped(large, gzipSync(Buffer.alloc(64 * MIB)))],
      'no gzip': [plain(good), gzipped(good, good)],
      'a cut gzip': [plain(good), gzipped(good, gzipSync(randomBytes(100)).subarray(0, 50))],
      'too many': Array.from({ length: LIMITS.sentryChunksOfRequest + 1 }, (_, index) =>
        plain(Buffer.from(`${index}`)),
      ),
    };
    for (const [name, parts] of Object.entries(wrong)) {
      const { status, body } = await sendChunks(server, tokenOf(own), multipartOf(parts));
      assert.equal(status, 400, `${name}: ${JSON.stringify(body)}`);
      assert.deepEqual(await symbolBlobsOf(server, own), [], name);
    }
    assert.deepEqual(await chunksOf(own), []);
    assert.equal((await sendChunks(server, tokenOf(own), multipartOf([plain(good)]))).status, 200);
    assert.deepEqual(await chunksOf(own), [sha1(good)]);
  });

  test('of a form that is cut off are not kept', async () => {
    const { game: own } = await makeOwnedGame(server);
    const form = chunkForm([randomBytes(1000), randomBytes(200_000)]);
    const socket = await beginRequest(server, {
      method: 'POST',
      path: '/api/0/organizations/x/chunk-upload/',
      headers: [
        ['authorization', `Bearer ${tokenOf(own)}`],
        ['content-type', 'multipart/form-data; boundary=B'],
        ['content-length', String(form.length)],
      ],
      body: form.subarray(0, form.length - 1000),
    });
    await until(async () => (await symbolBlobsOf(server, own)).length > 0);
    socket.destroy();
    await untilEqual(async () => (await symbolBlobsOf(server, own)).length, 0);
    assert.deepEqual(await chunksOf(own), []);
  });

  test('are bounded for each game', async () => {
    const { game: own } = await makeOwnedGame(server);
    await sql`insert into sentry_chunks (game_id, sha1, size, blob_key, used_at)
      select ${own.uid}::uuid, no::text, ${2 ** 30}, 'x' || no, now() from generate_series(1, 16) as no`.execute(
      server.ctx.db,
    );
    const { status, body } = await sendChunks(server, tokenOf(own), chunkForm([Buffer.from('more')]));
    assert.equal(status, 403, JSON.stringify(body));
    await sql`delete from sentry_chunks where game_id = ${own.uid}`.execute(server.ctx.db);
  });

  test('are deleted an hour after their last use, but not those of a queued file', async () => {
    const { game: own } = await makeOwnedGame(server);
    const [old, asked, queued] = [1, 2, 3].map((seed) => Buffer.from(`chunk ${seed}`)) as [Buffer, Buffer, Buffer];
    await sendChunks(server, tokenOf(own), chunkForm([old, asked, queued]));
    await sql`insert into sentry_files (game_id, sha1, name, debug_id, release, dist, chunks, state, key_ref, created_at, asked_at)
      values (${own.uid}, 'x', 'x', '', '', '', ${[sha1(queued)]}::text[], 'queued', 'x', now(), now())`.execute(
      server.ctx.db,
    );
    now += HOUR - MINUTE;
    await assemble({ [sha1(old)]: { name: 'a', chunks: [sha1(asked), sha1(Buffer.from('none'))] } }, own);
    now += 2 * MINUTE;
    await sweepSentryFiles(server.ctx);
    assert.deepEqual((await chunksOf(own)).toSorted(), [sha1(asked), sha1(queued)].toSorted());
    assert.equal((await symbolBlobsOf(server, own)).length, 2);
    await sweepSentryFiles(server.ctx);
  });
});

test('a call of a wrong form is refused, however many chunks it names', async () => {
  const id = 'a'.repeat(40);
  const many = (count: number) => Array.from({ length: count }, () => id);
  const wrong: unknown[] = [
    [],
    'x',
    { x: { name: 'a', chunks: [] } },
    { [id]: null },
    { [id]: {} },
    { [id]: { name: 1, chunks: [] } },
    { [id]: { name: 'a\0', chunks: [] } },
    { [id]: { name: 'a', chunks: {} } },
    { [id]: { name: 'a', chunks: [1] } },
    { [id]: { name: 'a', chunks: ['A'.repeat(40)] } },
    { [id]: { name: 'a', chunks: many(LIMITS.sentryFileChunks + 1) } },
    { [id]: { name: 'a', debug_id: 1, chunks: [] } },
    { [id]: { name: 'a', chunks: many(1_000_000) } },
    Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`${index}`.padStart(40, '0'), { name: 'a', chunks: many(1000) }]),
    ),
    Object.fromEntries(
      Array.from({ length: LIMITS.sentryFiles + 1 }, (_, index) => [
        `${index}`.padStart(40, '0'),
        { name: 'a', chunks: [] },
      ]),
    ),
  ];
  for (const body of wrong) {
    const { status } = await assemble(body as Record<string, unknown>);
    assert.equal(status, 400, JSON.stringify(body).slice(0, 100));
  }
});

const RECORDED = join(import.meta.dirname, '../../../../shared/sentry');

test('the recorded requests of sentry-cli are answered', async (t) => {
  if (!existsSync(RECORDED)) return t.skip('skipped: recorded requests not found');
  const { game: own, owner: person } = await makeOwnedGame(server);
  assert.equal((await callApi(server, person, 'PATCH', `/games/${own.uid}`, { slug: 'game' })).status, 200);
  const { key, projectNo } = await makeDsn(server, own);
  const dsn = formatDsn({ key, project: String(projectNo), origin: server.url });
  const names = ['00059-cli-dif', '00060-cli-dif', '00061-cli-dif'].map((name) =>
    join(RECORDED, 'requests', `${name}.req`),
  );
  const { stdout } = await promisify(execFile)('python3', [
    join(RECORDED, 'replay.py'),
    dsn,
    ...names,
    '--token',
    tokenOf(own),
  ]);
  const [first = '', second = '', third = ''] = stdout.split('\n');
  assert.match(first, /: 200 .*not_found/);
  assert.match(second, /: 200 $/);
  assert.match(third, /: 200 .*(created|assembling|ok)/);
  const symbols = await until(async () => {
    const { body } = await callApi(server, person, 'GET', `/games/${own.uid}/symbols?limit=100`);
    const found = body.data.symbols as { state: string; debug_id: string }[];
    return found.length >= 3 && found.every(({ state }) => state !== 'stored') && found;
  });
  assert.deepEqual([...new Set(symbols.map(({ debug_id }) => debug_id))].toSorted(), [
    '4C4C44F955553144A150AFB93134DCE00',
    '9F7853FBFB3BBE584C4C44205044422E1',
    'A04B5717345282868373613152DF02E30',
  ]);
  const [last = ''] = names.slice(-1);
  const { stdout: again } = await promisify(execFile)('python3', [
    join(RECORDED, 'replay.py'),
    dsn,
    last,
    '--token',
    tokenOf(own),
  ]);
  assert.match(again, /: 200 .*"ok"/);
});
