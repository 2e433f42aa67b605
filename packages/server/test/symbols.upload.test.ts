// Uploading symbols: one file or a zip, replaced by module, shared by content, and nothing left after a refusal.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { ERRORS, type ErrorCode } from '@chauffeur/contract/errors';
import { newId } from '../src/kernel/secrets/ids.ts';
import {
  type ApiResponse,
  makeGame,
  request,
  signIn,
  startServer,
  stoppedClock,
  type TestGame,
  type TestServer,
} from './setup/server.ts';
import {
  addSymbols,
  debugIdOf,
  NOTHING_STORED,
  sendSymbols,
  storedCountsOf,
  symbolsOf,
  symText,
  untilCompiled,
} from './setup/symbols.ts';
import { register, sha256 } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' } });
});
after(() => server.stop());

async function makeBuild(game?: TestGame) {
  const owner = game ?? (await makeGame(server));
  return { game: owner, buildId: await register(server, owner, { version: newId().slice(-20) }) };
}

function assertRefusal(response: ApiResponse, code: ErrorCode, message: RegExp): void {
  assert.deepEqual(
    [response.status, response.body.error?.code],
    [ERRORS[code].status, code],
    String(response.body.error?.message),
  );
  assert.match(response.body.error?.message ?? '', message);
}

describe('an accepted upload', () => {
  test('of one symbol file is recorded with its module and compiled', async () => {
    const { game, buildId } = await makeBuild();
    const text = symText();
    const [sent, ...others] = await addSymbols(server, game, buildId, text);
    assert.deepEqual(others, []);
    assert.ok(sent !== undefined);
    const { symbol_uid, uploaded_at, ...rest } = sent;
    assert.deepEqual(rest, {
      build_id: buildId,
      kind: 'symbols',
      debug_file: 'libgame.so',
      debug_id: debugIdOf('libgame.so'),
      os: 'linux',
      cpu: 'x86_64',
      size: text.length,
      checksum: sha256(text),
      code_id: null,
      state: 'stored',
      problem: null,
      functions: 1,
      has_lines: true,
      unwind: 0,
      native_checksum: null,
      poorer_at: null,
    });
    assert.match(`${symbol_uid} ${uploaded_at}`, /^[0-9a-f-]{36} \d{4}-.*Z$/);
    assert.deepEqual(
      (await untilCompiled(server, game, buildId)).map(({ state }) => state),
      ['compiled'],
    );
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
  });

  test('of a compressed symbol file records its text, and refuses it if it is damaged or a bomb', async () => {
    for (const pack of [gzipSync, zstdCompressSync]) {
      const { game, buildId } = await makeBuild();
      const text = symText();
      const [sent] = await addSymbols(server, game, buildId, pack(text));
      assert.deepEqual([sent?.size, sent?.checksum], [text.length, sha256(text)]);
      const cut = await sendSymbols(server, game, buildId, pack(text).subarray(0, -9));
      assertRefusal(cut, 4049, /is compressed with .* can't be unpacked: it is damaged or cut off/);
      const bomb = pack(Buffer.concat([text, Buffer.alloc(100 * 1024 * 1024, '\n')]));
      assertRefusal(await sendSymbols(server, game, buildId, bomb), 4049, /more than 200 times its size/);
      assertRefusal(await sendSymbols(server, game, buildId, pack(Buffer.from('no symbols'))), 4049, /not a supported/);
      await untilCompiled(server, game, buildId);
      assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
    }
  });

  test('of a zip records its files, compressed or not, with or without folders', async () => {
    const { game, buildId } = await makeBuild();
    const zip = buildZip([
      { name: 'symbols/', mode: 0o040755 },
      { name: 'symbols/a.sym', data: symText({ file: 'a.so' }), method: 8 },
      { name: 'b.sym', data: symText({ file: 'B Game.pdb', os: 'windows' }) },
      { name: 'symbols/c.sym', data: symText({ file: 'c.so' }), method: 8, descriptor: true },
    ]);
    const sent = await addSymbols(server, game, buildId, zip);
    assert.deepEqual(
      sent.map(({ debug_file, os }) => [debug_file, os]),
      [
        ['a.so', 'linux'],
        ['B Game.pdb', 'windows'],
        ['c.so', 'linux'],
      ],
    );
    await untilCompiled(server, game, buildId);
    assert.deepEqual(await storedCountsOf(server, game), { texts: 3, symbols: 3, blobs: 6 });
  });

  test('accepts an uppercase or prefixed checksum, and fields after the file', async () => {
    const { game, buildId } = await makeBuild();
    const text = symText();
    const checksum = `SHA256:${sha256(text).toUpperCase()}`;
    const response = await sendSymbols(server, game, buildId, text, { fields: { checksum }, fileFirst: true });
    assert.equal(response.status, 201);
  });

  test('of a completely damaged text ends as unreadable, and is retried when sent again', async () => {
    const { game, buildId } = await makeBuild();
    const text = Buffer.from(`MODULE Linux x86_64 ${debugIdOf('x')} x.so\n%%%\n`);
    await addSymbols(server, game, buildId, text);
    const [unreadable] = await untilCompiled(server, game, buildId);
    assert.deepEqual([unreadable?.state, /^Line 2: /.test(unreadable?.problem ?? '')], ['unreadable', true]);
    assert.equal((await addSymbols(server, game, buildId, text))[0]?.state, 'stored');
    assert.equal((await untilCompiled(server, game, buildId))[0]?.state, 'unreadable');
  });

  test('of a text with a damaged line is compiled and reports the skipped line', async () => {
    const { game, buildId } = await makeBuild();
    await addSymbols(server, game, buildId, Buffer.concat([symText(), Buffer.from('FUNC zz 1 0 g\n')]));
    const [symbol] = await untilCompiled(server, game, buildId);
    assert.equal(symbol?.state, 'compiled');
    assert.match(symbol?.problem ?? '', /^1 line was skipped: line 5, /);
  });

  test('of files without functions warns about each, in the response and the list', async () => {
    const { game, buildId } = await makeBuild();
    const module = `MODULE Linux x86_64 ${debugIdOf('x')}`;
    const zip = buildZip([
      { name: 'a.sym', data: `${module} a.so\n` },
      { name: 'b.sym', data: `${module} b.so\nPUBLIC 10 0 main\n` },
      { name: 'c.sym', data: `${module} c.so\nFUNC 10 8 0 main\n` },
    ]);
    const expected = [
      /^It has no functions\. Create it from the unstripped/,
      /^It has no functions, only public names/,
      /^$/,
    ];
    for (const listed of [await addSymbols(server, game, buildId, zip), await untilCompiled(server, game, buildId)]) {
      for (const [no, pattern] of expected.entries()) assert.match(listed[no]?.problem ?? '', pattern);
      assert.deepEqual(
        listed.map(({ functions }) => functions),
        [0, 0, 1],
      );
    }
  });

  test('of a zip skips files that macOS and Windows add', async () => {
    const { game, buildId } = await makeBuild();
    const junk = ['__MACOSX/._a.sym', 'symbols/._a.sym', 'symbols/.DS_Store', 'Thumbs.db'];
    const zip = buildZip([...junk.map((name) => ({ name, data: 'x' })), { name: 'symbols/a.sym', data: symText() }]);
    assert.equal((await addSymbols(server, game, buildId, zip)).length, 1);
  });
});

describe('of two files of a module, a build keeps the richer', () => {
  const file = 'libgame.so';
  const module = `MODULE Linux x86_64 ${debugIdOf(file)} ${file}\n`;
  const full = symText({ file });
  /** Ordered from the richest to the poorest. */
  const files = [
    Buffer.from(`${full}STACK CFI INIT 10 8 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n`),
    full,
    Buffer.from(`${module}FUNC 10 8 0 f\nFUNC 20 8 0 g\n${'PUBLIC 40 0 p\n'.repeat(99)}`),
    Buffer.from(`${module}PUBLIC 10 0 p\nPUBLIC 20 0 q\n`),
    Buffer.from(`${module}FUNC 10 8 0 <unknown in ${file}>\nPUBLIC 10 0 p\n`),
    Buffer.from(module),
  ];
  const keptBy = async (game: TestGame, buildId: string) =>
    (await symbolsOf(server, game, buildId)).map(({ checksum, poorer_at }) => ({
      checksum,
      poorer: poorer_at !== null,
    }));

  test('whichever comes first, and says so in the response and the list', async () => {
    for (const [no, poorer] of files.slice(1).entries()) {
      const richer = files[no]!;
      const { game, buildId } = await makeBuild();
      const [kept] = await addSymbols(server, game, buildId, richer);
      const response = await sendSymbols(server, game, buildId, poorer, { filename: 'stripped.sym' });
      assert.deepEqual([response.status, response.body.data.count, response.body.data.symbols], [201, 0, []]);
      const [unused, ...others] = response.body.data.not_used;
      assert.deepEqual(others, []);
      assert.deepEqual(
        [unused.file, unused.debug_file, unused.debug_id, unused.kept_symbol_uid],
        ['stripped.sym', file, debugIdOf(file), kept?.symbol_uid],
      );
      assert.match(unused.reason, /^The build already has a richer file of this module, with .*so it is not used\./);
      assert.deepEqual(await keptBy(game, buildId), [{ checksum: sha256(richer), poorer: true }]);

      const second = await makeBuild();
      await addSymbols(server, second.game, second.buildId, poorer);
      await addSymbols(server, second.game, second.buildId, richer);
      assert.deepEqual(await keptBy(second.game, second.buildId), [{ checksum: sha256(richer), poorer: false }]);
    }
  });

  test('if both are sent at the same time', async () => {
    const { game, buildId } = await makeBuild();
    const statuses = await Promise.all(
      [...files, ...files.toReversed()].map(async (text) => (await sendSymbols(server, game, buildId, text)).status),
    );
    assert.deepEqual(statuses, Array(12).fill(201));
    assert.equal((await symbolsOf(server, game, buildId))[0]?.checksum, sha256(files[0]!));
    await untilCompiled(server, game, buildId);
  });

  test('until it is deleted', async () => {
    const { game, buildId } = await makeBuild();
    await addSymbols(server, game, buildId, full);
    const url = `${server.api}/games/${game.uid}/builds/${buildId}/symbols`;
    await request(url, { method: 'DELETE', headers: await signIn(server, game.owner) });
    await addSymbols(server, game, buildId, Buffer.from(module));
    assert.deepEqual(await keptBy(game, buildId), [{ checksum: sha256(Buffer.from(module)), poorer: false }]);
  });

  test('but replaces one that cannot be read', async () => {
    const { game, buildId } = await makeBuild();
    await addSymbols(server, game, buildId, Buffer.from(`${module}%%%\n${'%\n'.repeat(99)}`));
    await untilCompiled(server, game, buildId);
    await addSymbols(server, game, buildId, Buffer.from(module));
    assert.equal((await symbolsOf(server, game, buildId))[0]?.checksum, sha256(Buffer.from(module)));
  });
});

describe('symbols that already exist', () => {
  test('are replaced when the module is sent again, in any letter case of its name and id', async () => {
    const { game, buildId } = await makeBuild();
    const debugId = `${'AB'.repeat(16)}a`;
    const [before] = await addSymbols(server, game, buildId, symText({ file: 'Game.pdb', debugId, os: 'windows' }));
    const next = symText({ file: 'GAME.PDB', debugId: debugId.toLowerCase(), os: 'windows', f: 'g' });
    await addSymbols(server, game, buildId, next);
    const [now, ...others] = await symbolsOf(server, game, buildId);
    assert.deepEqual(others, []);
    assert.deepEqual([now?.symbol_uid, now?.checksum, now?.debug_id], [before?.symbol_uid, sha256(next), debugId]);
  });

  test('are stored once for two builds of a game, and separately for another game', async () => {
    const { game, buildId } = await makeBuild();
    const other = await makeBuild(game);
    const foreign = await makeBuild();
    const text = symText();
    for (const build of [{ game, buildId }, other, foreign]) {
      await addSymbols(server, build.game, build.buildId, text);
      await untilCompiled(server, build.game, build.buildId);
    }
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 2, blobs: 2 });
    assert.deepEqual(await storedCountsOf(server, foreign.game), { texts: 1, symbols: 1, blobs: 2 });
  });

  test('are stored once if sent many times concurrently', async () => {
    const { game, buildId } = await makeBuild();
    const other = await makeBuild(game);
    const pieces = Array.from({ length: 5 }, (_, i) => ({
      name: `${i}.sym`,
      data: symText({ file: `m${i}.so` }),
      method: 8,
    }));
    const zips = [buildZip(pieces), buildZip(pieces.toReversed())];
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        sendSymbols(server, game, i % 3 === 0 ? other.buildId : buildId, zips[i % 2]!),
      ),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      Array(8).fill(201),
    );
    await untilCompiled(server, game, buildId);
    assert.deepEqual(await storedCountsOf(server, game), { texts: 5, symbols: 10, blobs: 10 });
  });

  test('are counted once if a file is in a zip twice, unless the two differ', async () => {
    const { game, buildId } = await makeBuild();
    const twice = [
      { name: 'a.sym', data: symText() },
      { name: 'again/a.sym', data: symText() },
    ];
    assert.equal((await addSymbols(server, game, buildId, buildZip(twice))).length, 1);
    const differing = buildZip([
      { name: 'a.sym', data: symText() },
      { name: 'b.sym', data: symText({ f: 'g' }) },
    ]);
    const message = /^“a\.sym” and “b\.sym” are different symbol files for the same module/;
    assertRefusal(await sendSymbols(server, game, buildId, differing), 4049, message);
    await untilCompiled(server, game, buildId);
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
  });
});

describe('a refused upload leaves nothing', () => {
  const text = symText();
  const zip = buildZip([{ name: 'a.sym', data: text, method: 8 }]);
  const cases: [string, ErrorCode, RegExp, Uint8Array, Record<string, string | undefined>][] = [
    ['without a build', 4038, /^build_id: missing/, text, { build_id: undefined }],
    ['for a malformed build id', 4039, /^build_id: not a build id/, text, { build_id: 'x' }],
    ['for an unknown build', 4039, /^build_id: this game has no such build/, text, { build_id: newId() }],
    ['without a checksum', 4041, /^checksum/, text, { checksum: undefined }],
    ['with a wrong checksum', 4046, /^checksum: the received bytes/, text, { checksum: 'a'.repeat(64) }],
    ['of a zip with another checksum', 4046, /^checksum: the received bytes/, zip, { checksum: 'a'.repeat(64) }],
    ['of an executable', 4049, /^“game\.sym” is not a supported symbol file/, Buffer.from('\x7fELF'), {}],
    ['of an empty file', 4049, /is not a supported symbol file/, Buffer.alloc(0), {}],
    ['of symbols for an unsupported OS', 4049, /operating system/, symText({ os: 'solaris' }), {}],
    ['of a module without a valid file name', 4049, /module name/, symText({ file: 'a:b' }), {}],
  ];
  for (const [what, code, message, file, fields] of cases) {
    test(`${what}: ${code}`, async () => {
      const { game, buildId } = await makeBuild();
      assertRefusal(await sendSymbols(server, game, buildId, file, { fields }), code, message);
      assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
    });
  }

  test('without a file: 4037', async () => {
    const { game, buildId } = await makeBuild();
    const form = new FormData();
    form.append('build_id', buildId);
    const init = { method: 'POST', headers: game.keyHeaders, body: form };
    const response = await fetch(`${server.api}/tool/upload/symbols`, init);
    assert.equal(((await response.json()) as { error: { code: number } }).error.code, 4037);
  });

  test('for a build of another game: 4039', async () => {
    const { game } = await makeBuild();
    const foreign = await makeBuild();
    assertRefusal(await sendSymbols(server, game, foreign.buildId, text), 4039, /no such build/);
    assert.deepEqual(await storedCountsOf(server, foreign.game), NOTHING_STORED);
  });

  test("if the owner's email is not verified: 4096", async () => {
    const game = await makeGame(server, { verified: false });
    assertRefusal(await sendSymbols(server, game, await register(server, game), text), 4096, /verified/);
  });

  test('if the store fails: 5020, and the same upload succeeds afterwards', async () => {
    const { game, buildId } = await makeBuild();
    const obstacle = join(server.dataFolder, 'blobs', 'symbols', game.uid);
    await addSymbols(server, ...(Object.values(await makeBuild()) as [TestGame, string]), text);
    await writeFile(obstacle, '');
    for (const file of [text, zip])
      assertRefusal(await sendSymbols(server, game, buildId, file), 5020, /could not be stored/);
    await rm(obstacle);
    assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
    assert.equal((await sendSymbols(server, game, buildId, zip)).status, 201);
  });
});

test('uploads are limited per game and hour, and the response says when to retry', async () => {
  const limited = await startServer({
    shareWith: server,
    clock: stoppedClock(),
    env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '2' },
    role: 'api',
  });
  try {
    const { game, buildId } = await makeBuild();
    const send = () => sendSymbols(limited, game, buildId, symText());
    const statuses = [(await send()).status, (await send()).status];
    const refused = await send();
    assert.deepEqual(statuses, [201, 201]);
    assertRefusal(refused, 4290, /^This game has reached its limit of 2 symbol uploads an hour/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  } finally {
    await limited.stop();
  }
});
