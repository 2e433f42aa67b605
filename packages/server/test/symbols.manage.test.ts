// Listing, deleting and sweeping symbols, and serving them to other stackwalkers.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createReadStream, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { sweepSymbols } from '../src/crash/symbols/sweep.job.ts';
import { bytesOf } from '../src/kernel/blobs/byte-source.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { readDumpFixture, readSymbolFixture } from './setup/crash-dumps.ts';
import { sendRaw } from './setup/raw.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import {
  addSymbols,
  compileNow,
  debugIdOf,
  NOTHING_STORED,
  storedCountsOf,
  symbolsOf,
  symText,
} from './setup/symbols.ts';
import { register, sha256 } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' }, role: 'api' });
});
after(() => server.stop());

const execute = promisify(execFile);
const STACKWALK = join(import.meta.dirname, '../../minidump/src/main.ts');

async function makeBuild() {
  const game = await makeGame(server);
  return { game, buildId: await register(server, game) };
}

const listUrl = (game: TestGame, buildId: string) => `${server.api}/games/${game.uid}/builds/${buildId}/symbols`;
const remove = (url: string, headers: Record<string, string>) => request(url, { method: 'DELETE', headers });

describe('developers', () => {
  test('list the symbols of a build like its deploy key', async () => {
    const { game, buildId } = await makeBuild();
    await addSymbols(server, game, buildId, symText({ file: 'b.so' }));
    await addSymbols(server, game, buildId, symText({ file: 'A.so' }));
    const { status, body } = await request(listUrl(game, buildId), { headers: await signIn(server, game.owner) });
    assert.equal(status, 200);
    assert.deepEqual(body.data.symbols, await symbolsOf(server, game, buildId));
    assert.deepEqual(
      body.data.symbols.map((symbol: { debug_file: string }) => symbol.debug_file),
      ['A.so', 'b.so'],
    );
  });

  test('page through a long list with any names, and see symbols that are added behind their cursor', async () => {
    const { game, buildId } = await makeBuild();
    const headers = await signIn(server, game.owner);
    const names = ['a b.so', 'A.so', 'b.so', 'ß—\u0085.so', 'ÄÖ.so', `${'x'.repeat(240)}.so`];
    for (const file of names) await addSymbols(server, game, buildId, symText({ file, debugId: debugIdOf(file) }));
    await addSymbols(server, game, buildId, symText({ file: 'B.so', debugId: debugIdOf('another') }));
    const whole = await symbolsOf(server, game, buildId);
    assert.equal(whole.length, names.length + 1);
    for (const [url, by] of [
      [`${listUrl(game, buildId)}?limit=2`, headers],
      [`${server.api}/tool/symbols?build_id=${buildId}&limit=1`, game.keyHeaders],
    ] as const) {
      const pages: unknown[] = [];
      for (let cursor = ''; ; ) {
        const { status, body } = await request(`${url}${cursor}`, { headers: by });
        assert.equal(status, 200, JSON.stringify(body));
        pages.push(...body.data.symbols);
        if (body.data.next_cursor === null) break;
        cursor = `&cursor=${body.data.next_cursor}`;
      }
      assert.deepEqual(pages, whole);
    }
    const first = await request(`${listUrl(game, buildId)}?limit=2`, { headers });
    await remove(`${listUrl(game, buildId)}?symbol_uid=${whole[1]?.symbol_uid}`, headers);
    const next = await request(`${listUrl(game, buildId)}?limit=100&cursor=${first.body.data.next_cursor}`, {
      headers,
    });
    assert.deepEqual([next.body.data.symbols, next.body.data.next_cursor], [whole.slice(2), null]);
  });

  test('get 4002 for a cursor of another build and for an invalid limit', async () => {
    const { game, buildId } = await makeBuild();
    const other = await register(server, game, { version: '2' });
    for (const file of ['a.so', 'b.so']) await addSymbols(server, game, buildId, symText({ file }));
    const url = (build: string) => `${server.api}/tool/symbols?build_id=${build}`;
    const { body } = await request(`${url(buildId)}&limit=1`, { headers: game.keyHeaders });
    for (const wrong of [
      `${url(other)}&cursor=${body.data.next_cursor}`,
      `${url(buildId)}&limit=101`,
      `${url(buildId)}&cursor=x`,
    ])
      assert.equal((await request(wrong, { headers: game.keyHeaders })).body.error?.code, 4002, wrong);
  });

  test('are the only ones who can list or delete them', async () => {
    const { game, buildId } = await makeBuild();
    await addSymbols(server, game, buildId, symText());
    const other = await makeBuild();
    const callers = [
      [{}, 4011],
      [(await makePlayer(server)).headers, 4040],
      [await signIn(server, other.game.owner), 4040],
      [game.keyHeaders, 4011],
    ] as const;
    for (const [headers, code] of callers) {
      assert.equal((await request(listUrl(game, buildId), { headers })).body.error?.code, code);
      assert.equal((await remove(listUrl(game, buildId), headers)).body.error?.code, code);
      const token = await request(`${server.api}/games/${game.uid}/symbol-token`, { method: 'POST', headers });
      assert.equal(token.body.error?.code, code);
    }
    const foreignKey = await request(`${server.api}/tool/symbols?build_id=${buildId}`, {
      headers: other.game.keyHeaders,
    });
    assert.equal(foreignKey.body.error?.code, 4039);
    assert.equal((await symbolsOf(server, game, buildId)).length, 1);
  });

  test('get an error for a build that the game does not have', async () => {
    const { game } = await makeBuild();
    const other = await makeBuild();
    const headers = await signIn(server, game.owner);
    for (const buildId of [newId(), other.buildId])
      assert.equal((await request(listUrl(game, buildId), { headers })).body.error?.code, 4006);
  });

  test('delete one symbol file by its uid, or all of the build', async () => {
    const { game, buildId } = await makeBuild();
    const headers = await signIn(server, game.owner);
    const [first] = await addSymbols(server, game, buildId, symText({ file: 'a.so' }));
    for (const file of ['b.so', 'c.so']) await addSymbols(server, game, buildId, symText({ file }));
    const url = listUrl(game, buildId);
    assert.deepEqual((await remove(`${url}?symbol_uid=${first?.symbol_uid}`, headers)).body.data, { deleted: 1 });
    assert.equal((await remove(`${url}?symbol_uid=${first?.symbol_uid}`, headers)).body.error?.code, 4040);
    assert.deepEqual((await remove(url, headers)).body.data, { deleted: 2 });
    assert.deepEqual((await remove(url, headers)).body.data, { deleted: 0 });
  });
});

describe('the sweeper', () => {
  const later = (hours: number) => ({ ...server.ctx, clock: { now: () => new Date(Date.now() + hours * HOUR) } });

  test('removes only texts that no build uses anymore, with their blobs', async () => {
    const { game, buildId } = await makeBuild();
    const other = await register(server, game, { version: '2' });
    const [shared, own] = [symText({ file: 'shared.so' }), symText({ file: 'own.so' })];
    for (const text of [shared, own]) {
      await addSymbols(server, game, buildId, text);
      await compileNow(server, game, sha256(text));
    }
    await addSymbols(server, game, other, shared);
    await remove(listUrl(game, buildId), await signIn(server, game.owner));
    assert.deepEqual(await storedCountsOf(server, game), { texts: 2, symbols: 1, blobs: 4 });
    await sweepSymbols(server.ctx);
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
    await changed(server.ctx.db, sql`delete from builds where game_id = ${game.uid}`);
    await sweepSymbols(server.ctx);
    assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
  });

  test('removes blobs left by a killed process after a day', async () => {
    const { game, buildId } = await makeBuild();
    const text = symText();
    await addSymbols(server, game, buildId, text);
    await compileNow(server, game, sha256(text));
    const orphans = [`symbols/${game.uid}/${newId()}.sym.gz`, `symbols/${game.uid}/${newId()}.cache`];
    await server.ctx.blobs.complete(await server.ctx.blobs.begin(orphans[0]!));
    await server.ctx.blobs.append(
      await server.ctx.blobs.begin(orphans[1]!),
      bytesOf(() => createReadStream(import.meta.filename)),
    );
    await sweepSymbols(later(23));
    assert.equal((await storedCountsOf(server, game)).blobs, 4);
    await sweepSymbols(later(25));
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
  });

  test('does not interfere with concurrent uploads', async () => {
    const { game, buildId } = await makeBuild();
    const headers = await signIn(server, game.owner);
    const text = symText();
    for (let round = 0; round < 10; round += 1) {
      await addSymbols(server, game, buildId, text);
      await remove(listUrl(game, buildId), headers);
      await Promise.all([addSymbols(server, game, buildId, text), sweepSymbols(server.ctx)]);
      assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 1 });
    }
    await compileNow(server, game, sha256(text));
    assert.equal((await symbolsOf(server, game, buildId))[0]?.state, 'compiled');
  });
});

describe('other stackwalkers', () => {
  async function openAddress(game: TestGame): Promise<string> {
    const headers = await signIn(server, game.owner);
    const { status, body } = await request(`${server.api}/games/${game.slug}/symbol-token`, {
      method: 'POST',
      headers,
    });
    assert.equal(status, 201);
    return body.data.symbols_url;
  }
  const debugId = `${'AB'.repeat(16)}1f`;
  const text = symText({ file: 'Game.pdb', debugId, os: 'windows' });
  const place = `/Game.pdb/${debugId}/Game.sym`;

  async function makeReadable() {
    const { game, buildId } = await makeBuild();
    await addSymbols(server, game, buildId, text);
    return { game, buildId, address: await openAddress(game) };
  }

  test('read a text at the standard path, even before it is compiled', async () => {
    const { address } = await makeReadable();
    for (const path of [
      place,
      `${place}?code_file=game.exe&code_id=ABC`,
      `/game.pdb/${debugId.toUpperCase()}/game.sym`,
    ]) {
      const response = await fetch(address + path, { headers: { 'accept-encoding': 'identity' } });
      assert.deepEqual([response.status, await response.text()], [200, text.toString()], path);
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
    }
  });

  test('such as minidump-stackwalk use them to walk a dump, and again from their own cache', async () => {
    const { game, buildId } = await makeBuild();
    await addSymbols(server, game, buildId, readSymbolFixture('null_deref_inline'));
    const address = await openAddress(game);
    const folder = mkdtempSync(join(tmpdir(), 'stackwalk-'));
    try {
      const dump = join(folder, 'crash.dmp');
      writeFileSync(dump, readDumpFixture('null_deref_inline'));
      const kept = ['--symbols-cache', join(folder, 'downloads'), '--cache', join(folder, 'compiled')];
      const walk = async (url: string) => {
        const { stdout, stderr } = await execute(process.execPath, [STACKWALK, dump, '--symbols-url', url, ...kept]);
        return { signature: /^Signature: +(.*)$/m.exec(stdout)?.[1], stderr };
      };
      assert.deepEqual(await walk(address), { signature: 'render::measure', stderr: '' });
      const deleted = await remove(listUrl(game, buildId), await signIn(server, game.owner));
      assert.equal(deleted.status, 200);
      assert.deepEqual(await walk(address), { signature: 'render::measure', stderr: '' });
      const secret = address.split('/').at(-1)!;
      assert.ok(readdirSync(folder, { recursive: true, encoding: 'utf8' }).every((name) => !name.includes(secret)));
      // For a game without these symbols, a missing module is not an error.
      const stranger = await openAddress((await makeBuild()).game);
      assert.deepEqual(await walk(stranger), { signature: 'null_deref_inline+0x2ce8', stderr: '' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('find a text by its id under another name, and by the code id of a module without a debug id', async () => {
    const { game, buildId, address } = await makeReadable();
    const zeros = '0'.repeat(33);
    const program = `MODULE windows x86 ${zeros} godot.exe\nINFO CODE_ID 63CF138F21000 godot.exe\n`;
    await addSymbols(server, game, buildId, Buffer.from(program));
    const bodyOf = async (path: string) => (await fetch(`${address}/${path}`)).text();
    assert.equal(await bodyOf(`split.apk/${debugId}/split.apk.sym`), text.toString());
    assert.equal(await bodyOf('My Game.exe/63cf138f21000/My Game.exe.sym'), program);
    assert.equal((await fetch(`${address}/godot.exe/${zeros}/godot.exe.sym`)).status, 404);
  });

  test('get gzip with its own ETag if they accept it', async () => {
    const { address } = await makeReadable();
    const path = new URL(address + place).pathname;
    const ask = (...headers: [string, string][]) => sendRaw(server, { method: 'GET', path, headers });
    const plain = await ask();
    const gzipped = await fetch(address + place);
    assert.equal(gzipped.headers.get('content-encoding'), 'gzip');
    assert.equal(gzipped.headers.get('vary'), 'Accept-Encoding');
    assert.equal(await gzipped.text(), text.toString());
    assert.deepEqual(
      [plain?.headers.get('content-encoding'), plain?.headers.get('etag'), gzipped.headers.get('etag')],
      [undefined, `"${sha256(text)}"`, `"${sha256(text)}-gzip"`],
    );
    assert.equal((await ask(['If-None-Match', `"${sha256(text)}"`]))?.status, 304);
    assert.equal((await ask(['If-None-Match', `"${sha256(text)}-gzip"`]))?.status, 200);
    const head = await fetch(address + place, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });

  test('get 404 for every kind of error', async () => {
    const { address, game } = await makeReadable();
    const other = await makeReadable();
    await changed(server.ctx.db, sql`delete from symbols where game_id = ${other.game.uid}`);
    const addresses = [
      `${address}/Game.pdb/${debugIdOf('other')}/Game.sym`,
      `${address}/Game.pdb/${debugId}/Game.pd_`,
      `${address}/Game.pdb/${debugId}/..%2f..%2fGame.sym`,
      `${address}/%00/${debugId}/%00.sym`,
      `${address}/Game.pdb/%00/Game.sym`,
      `${address}/Game.pdb/${'A'.repeat(70)}/Game.sym`,
      `${address.slice(0, -1)}${address.endsWith('x') ? 'y' : 'x'}${place}`,
      `${server.api}/symbols/${game.uid}${place}`,
      other.address + place,
    ];
    for (const url of addresses) {
      const { status, headers, body } = await request(url);
      assert.deepEqual([status, body.error?.code, headers.get('etag')], [404, 4040, null], url);
    }
  });

  test('get an uncached 404 when the blob is missing', async () => {
    const { address, game } = await makeReadable();
    for await (const { key } of server.ctx.blobs.list(`symbols/${game.uid}/`)) await server.ctx.blobs.delete(key);
    const response = await fetch(address + place);
    assert.deepEqual(
      [response.status, response.headers.get('etag'), response.headers.get('content-encoding')],
      [404, null, null],
    );
  });

  test('lose access when a new URL is issued, and its token is not in the database', async () => {
    const { address, game } = await makeReadable();
    const next = await openAddress(game);
    assert.deepEqual([(await fetch(address + place)).status, (await fetch(next + place)).status], [404, 200]);
    const stored = await sql<{ row: string }>`select to_jsonb(symbol_tokens)::text as row from symbol_tokens`.execute(
      server.ctx.db,
    );
    assert.ok(stored.rows.every(({ row }) => !row.includes(next.slice(-32))));
  });

  test('get the uploaded text byte for byte', async () => {
    const { game, buildId, address } = await makeReadable();
    const large = Buffer.concat([symText(), Buffer.alloc(700_000, 'PUBLIC 10 0 name\n')]);
    await addSymbols(server, game, buildId, large);
    const path = new URL(`${address}/libgame.so/${debugIdOf('libgame.so')}/libgame.so.sym`).pathname;
    const response = await fetch(server.url + path, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(sha256(Buffer.from(await response.arrayBuffer())), sha256(large));
    let stored: Buffer | undefined;
    for await (const { key } of server.ctx.blobs.list(`symbols/${game.uid}/`)) {
      const bytes = gunzipSync(Buffer.concat(await Array.fromAsync(await server.ctx.blobs.read(key))));
      if (bytes.length === large.length) stored = bytes;
    }
    assert.ok(stored?.equals(large));
  });
});
