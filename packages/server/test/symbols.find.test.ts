// Finding the symbols of a module for the stackwalker, and compiling them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openSymbolCache } from '@chauffeur/minidump/symbols/cache/cache';
import { FileReader } from '@chauffeur/minidump/symbols/cache/range-reader';
import { sql } from 'kysely';
import { findSymbols, openCacheFile, type SymbolAnswer, type WantedModule } from '../src/crash/symbols/symbols.ts';
import { BlobMissingError } from '../src/kernel/blobs/store.ts';
import { changed } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { addSymbols, compileNow, debugIdOf, storedCountsOf, symbolsOf, symText, waitingJobs } from './setup/symbols.ts';
import { register, sha256 } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  // There is no worker: each test compiles texts itself.
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' }, role: 'api' });
});
after(() => server.stop());

const makeBuild = (game: TestGame) => register(server, game, { version: newId().slice(-20) });
const find = async (game: TestGame, buildId: string, debugFile: string, debugId: string): Promise<SymbolAnswer> => {
  const [symbol] = await findSymbols(server.ctx, game.uid, buildId, [{ debugFile, debugId }]);
  assert.ok(symbol !== undefined);
  return symbol;
};

async function addCompiled(game: TestGame, buildId: string, text: Buffer): Promise<void> {
  await addSymbols(server, game, buildId, text);
  await compileNow(server, game, sha256(text));
}

async function functionIn(answer: SymbolAnswer): Promise<string | undefined> {
  assert.ok(answer.state === 'compiled', answer.state);
  const cache = openSymbolCache(new FileReader(await openCacheFile(server.ctx, answer.cacheKey)));
  try {
    return cache.placeAt(0x12)?.function;
  } finally {
    cache.close();
  }
}

describe('finding symbols', () => {
  const file = 'game.pdb';
  const debugId = debugIdOf(file);

  test('returns results in the order of the modules', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    await addCompiled(game, buildId, symText({ file }));
    await addSymbols(server, game, buildId, symText({ file: 'late.so' }));
    const bad = Buffer.from(`MODULE Linux x86_64 ${debugIdOf('bad')} bad.so\n%%%\n`);
    await addCompiled(game, buildId, bad);
    const wanted = [
      { debugFile: 'nothing.so', debugId: debugIdOf('nothing') },
      { debugFile: 'late.so', debugId: debugIdOf('late.so') },
      { debugFile: file, debugId },
      { debugFile: file, debugId: debugIdOf('other') },
      { debugFile: 'bad.so', debugId: debugIdOf('bad') },
    ];
    const results = await findSymbols(server.ctx, game.uid, buildId, wanted);
    assert.deepEqual(
      results.map(({ state }) => state),
      ['missing', 'pending', 'compiled', 'missing', 'unreadable'],
    );
    assert.deepEqual(results[0], { state: 'missing', why: 'never_uploaded' });
    assert.deepEqual(results[3], { state: 'missing', why: 'wrong_debug_id', uploadedDebugId: debugId });
    assert.match((results[4] as { problem: string }).problem, /^Line 2: /);
    assert.equal(await functionIn(results[2]!), 'game::run()');
    assert.deepEqual(await findSymbols(server.ctx, game.uid, buildId, []), []);
  });

  test('accepts a path, and ignores the letter case of name and id', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    await addCompiled(game, buildId, symText({ file, debugId: `${'AB'.repeat(16)}1f` }));
    for (const name of ['C:\\out\\game.pdb', 'GAME.PDB', '/build/Game.pdb'])
      assert.equal((await find(game, buildId, name, `${'ab'.repeat(16)}1F`)).state, 'compiled', name);
  });

  test('treats impossible names, which a hostile dump may contain, as missing', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    for (const name of ['', '..', '\0', 'a\0b', 'nul', '\ud800', 'x'.repeat(5000), '/', "'; drop table symbols"])
      assert.deepEqual(await find(game, buildId, name, debugId), { state: 'missing', why: 'never_uploaded' });
    for (const id of ['', '\0', 'x', '0'.repeat(65)])
      assert.equal((await find(game, buildId, file, id)).state, 'missing');
  });

  test("prefers the symbols of the build, then those of any build of the game, and never uses another game's", async () => {
    const game = await makeGame(server);
    const [own, other, third] = [await makeBuild(game), await makeBuild(game), await makeBuild(game)];
    await addCompiled(game, own, symText({ file, f: 'own' }));
    await addCompiled(game, other, symText({ file, f: 'other' }));
    assert.equal(await functionIn(await find(game, own, file, debugId)), 'own');
    assert.equal(await functionIn(await find(game, third, file, debugId)), 'other');
    const foreign = await makeGame(server);
    const foreignBuild = await makeBuild(foreign);
    assert.equal((await find(foreign, foreignBuild, file, debugId)).state, 'missing');
  });

  test('skips unreadable symbols in favour of those of another build', async () => {
    const game = await makeGame(server);
    const [own, other] = [await makeBuild(game), await makeBuild(game)];
    await addCompiled(game, own, Buffer.from(`MODULE Linux x86_64 ${debugId} ${file}\n%%%\n`));
    assert.equal((await find(game, own, file, debugId)).state, 'unreadable');
    await addCompiled(game, other, symText({ file, f: 'other' }));
    assert.equal(await functionIn(await find(game, own, file, debugId)), 'other');
  });
});

describe('a module is identified', () => {
  const file = 'libgame.so';
  const debugId = debugIdOf(file);
  const zeros = '0'.repeat(33);
  const withCodeId = (text: Buffer, codeId: string) =>
    Buffer.from(text.toString().replace('\n', `\nINFO CODE_ID ${codeId}\n`));

  async function findModule(game: TestGame, buildId: string, module: WantedModule): Promise<SymbolAnswer> {
    const [answer] = await findSymbols(server.ctx, game.uid, buildId, [module]);
    assert.ok(answer !== undefined);
    return answer;
  }

  test('by its debug id, whatever its name is', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    await addCompiled(game, buildId, symText({ file }));
    const names = [
      '/data/app/x/split_config.arm64_v8a.apk',
      'base.apk!/lib/arm64-v8a/libgame.so',
      '/opt/libgame.so (deleted)',
    ];
    for (const name of [...names, 'libgame.so.0.5.0', 'Renamed.exe', '', '\0', 'a:b'])
      assert.equal(await functionIn(await find(game, buildId, name, debugId)), 'game::run()', name);
  });

  test('by nothing if its debug id is all zeros, even with the same name', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    await addCompiled(game, buildId, symText({ file, debugId: zeros }));
    for (const id of [zeros, `${'0'.repeat(32)}1`, ''])
      assert.deepEqual(await find(game, buildId, file, id), { state: 'missing', why: 'never_uploaded' }, id);
    assert.deepEqual(await find(game, buildId, file, debugId), { state: 'missing', why: 'never_uploaded' });
    const [symbol] = await symbolsOf(server, game, buildId);
    assert.match(symbol?.problem ?? '', /^It has neither a debug id nor a code id/);
  });

  test('by its code id if it has no debug id, as programs of MinGW', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    const program = symText({ file: 'godot.exe', debugId: zeros, os: 'windows' });
    await addCompiled(game, buildId, withCodeId(program, '0A35DA3E12000 godot.exe'));
    // Crashpad writes a debug id of zeros instead of the id that the linker wrote.
    const library = symText({ file: 'lib.dll', os: 'windows', f: 'lib()' });
    await addCompiled(game, buildId, withCodeId(library, '63CF138F21000 lib.dll'));
    for (const codeId of ['0a35da3e12000', '0A35DA3E12000', 'A35DA3E12000'])
      for (const id of ['', zeros])
        assert.equal(
          await functionIn(
            await findModule(game, buildId, { debugFile: '', debugId: id, codeFile: 'My Game.exe', codeId }),
          ),
          'game::run()',
        );
    const dll = {
      debugFile: 'C:\\Game\\lib.dll',
      debugId: zeros,
      codeFile: 'C:\\Game\\lib.dll',
      codeId: '63cf138f21000',
    };
    assert.equal(await functionIn(await findModule(game, buildId, dll)), 'lib()');
    assert.equal((await findModule(game, buildId, { ...dll, codeId: '63cf138f22000' })).state, 'missing');
    assert.equal((await findModule(game, buildId, { ...dll, codeId: '0000000021000' })).state, 'missing');
  });

  test('by its code id even if another build of it in the same upload has the same name', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    for (const no of [1, 2]) {
      const text = symText({ file: 'godot.exe', debugId: zeros, os: 'windows', f: `f${no}` });
      await addCompiled(game, buildId, withCodeId(text, `63CF138${no}21000 godot.exe`));
    }
    for (const no of [1, 2]) {
      const module = { debugFile: '', debugId: '', codeFile: 'godot.exe', codeId: `63cf138${no}21000` };
      assert.equal(await functionIn(await findModule(game, buildId, module)), `f${no}`);
    }
    assert.deepEqual(
      (await symbolsOf(server, game, buildId)).map(({ debug_id, code_id }) => [debug_id, code_id]),
      [1, 2].map((no) => [`63cf138${no}21000`, `63cf138${no}21000`]),
    );
  });

  test('and of several files with its id, that with the most detail is used, then that with its name', async () => {
    const game = await makeGame(server);
    const [buildId, other] = [await makeBuild(game), await makeBuild(game)];
    const stripped = Buffer.from(`MODULE Linux x86_64 ${debugId} app\nPUBLIC 10 0 public\n`);
    await addCompiled(game, buildId, stripped);
    assert.equal(await functionIn(await find(game, buildId, 'app', debugId)), 'public');
    await addCompiled(game, other, symText({ file: 'app.debug', debugId, f: 'debug' }));
    assert.equal(await functionIn(await find(game, buildId, 'app', debugId)), 'debug');
    await addCompiled(game, other, symText({ file: 'b.so', debugId, f: 'b' }));
    await addCompiled(game, other, symText({ file: 'a.so', debugId, f: 'a' }));
    for (const name of ['a', 'b'])
      assert.equal(await functionIn(await find(game, buildId, `${name}.so`, debugId)), name);
  });
});

describe('compiling', () => {
  test('notifies listeners that the symbols have arrived', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    const ofGame = async () =>
      (await waitingJobs(server, 'symbols:arrived')).filter(({ gameId }) => gameId === game.uid);
    const text = symText({ file: 'a.so' });
    await addSymbols(server, game, buildId, text);
    assert.deepEqual(await ofGame(), []);
    await compileNow(server, game, sha256(text));
    const arrived = { gameId: game.uid, debugFile: 'a.so', debugId: debugIdOf('a.so') };
    assert.deepEqual(await ofGame(), [arrived]);
  });

  test('notifies listeners again when another build gets symbols that are already compiled', async () => {
    const game = await makeGame(server);
    const text = symText({ file: 'a.so' });
    await addCompiled(game, await makeBuild(game), text);
    await changed(server.ctx.db, sql`delete from graphile_worker._private_jobs`);
    await addSymbols(server, game, await makeBuild(game), text);
    assert.equal((await waitingJobs(server, 'symbols:arrived')).length, 1);
    assert.equal((await waitingJobs(server, 'symbols:compile')).length, 0);
  });

  test('twice, even concurrently, leaves one cache file', async () => {
    const game = await makeGame(server);
    const text = symText();
    await addSymbols(server, game, await makeBuild(game), text);
    await Promise.all([1, 2, 3].map(() => compileNow(server, game, sha256(text))));
    await compileNow(server, game, sha256(text));
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
  });

  test('is repeated when a cache file of another version is needed', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    const text = symText();
    await addCompiled(game, buildId, text);
    await changed(server.ctx.db, sql`update symbol_texts set cache_version = 0 where game_id = ${game.uid}`);
    await changed(server.ctx.db, sql`delete from graphile_worker._private_jobs`);
    for (let i = 0; i < 3; i += 1)
      assert.deepEqual(await find(game, buildId, 'libgame.so', debugIdOf('libgame.so')), { state: 'pending' });
    assert.deepEqual(await waitingJobs(server, 'symbols:compile'), [{ gameId: game.uid, checksum: sha256(text) }]);
    await compileNow(server, game, sha256(text));
    assert.equal(await functionIn(await find(game, buildId, 'libgame.so', debugIdOf('libgame.so'))), 'game::run()');
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
  });

  test('a text whose blob is missing ends as unreadable, and succeeds after the text is sent again', async () => {
    const game = await makeGame(server);
    const buildId = await makeBuild(game);
    const text = symText();
    await addSymbols(server, game, buildId, text);
    for await (const { key } of server.ctx.blobs.list(`symbols/${game.uid}/`)) await server.ctx.blobs.delete(key);
    await compileNow(server, game, sha256(text));
    const problem = 'The stored file is missing. Upload it again.';
    assert.deepEqual(await find(game, buildId, 'libgame.so', debugIdOf('libgame.so')), {
      state: 'unreadable',
      problem,
    });
    await addCompiled(game, buildId, text);
    assert.equal((await find(game, buildId, 'libgame.so', debugIdOf('libgame.so'))).state, 'compiled');
    assert.deepEqual(await storedCountsOf(server, game), { texts: 1, symbols: 1, blobs: 2 });
  });
});

test('a deleted cache file is reported as missing', async () => {
  await assert.rejects(openCacheFile(server.ctx, `symbols/${newId()}/${newId()}.cache`), BlobMissingError);
});
