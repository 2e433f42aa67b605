// Native files as an attacker or a broken build sends them: of another build, with the id of another file, of another
// game, and cut anywhere. No request fails with 5xx, and what is stored is whole.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { reportCrash, untilDone } from '../../packages/server/test/setup/crash-dumps.ts';
import {
  makeGame,
  request,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
} from '../../packages/server/test/setup/server.ts';
import {
  NOTHING_STORED,
  sendSymbols,
  storedCountsOf,
  symbolsOf,
  untilCompiled,
} from '../../packages/server/test/setup/symbols.ts';
import { untilEqual } from '../../packages/server/test/setup/until.ts';
import { register } from '../../packages/server/test/setup/uploads.ts';
import { buildZip } from '../../packages/server/test/setup/zips.ts';
import {
  buildForWindows,
  hasCompilers,
  NO_COMPILERS,
  SOURCES,
  splitDebugFile,
  TOOLCHAINS,
} from '../setup/native-game.ts';
import { makeFolder } from '../setup/processes.ts';

const run = promisify(execFile);

describe('native files', () => {
  let server: TestServer;
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let canBuild: boolean;
  before(async () => {
    server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' } });
    [canBuild, work] = await Promise.all([hasCompilers(), makeFolder()]);
  });
  after(async () => {
    await server?.stop();
    await work?.remove();
  });

  async function openGame(os = 'linux') {
    const game = await makeGame(server);
    return { game, buildId: await register(server, game, { os }) };
  }

  /** All that is stored of symbols: each text has its compiled form, and no native file is left. */
  async function assertWhole(game: TestGame): Promise<void> {
    await untilEqual(async () => {
      const { texts, blobs } = await storedCountsOf(server, game);
      return blobs - 2 * texts;
    }, 0);
  }

  test('of another build are separate modules, and a stack never mixes them', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const [one, two] = await Promise.all(['one', 'two'].map((name) => buildForWindows(join(work.path, name))));
    const { game, buildId } = await openGame('windows');
    const zip = buildZip([
      { name: 'game.exe', data: await readFile(one!.program) },
      { name: 'game.pdb', data: await readFile(join(two!.folder, 'game.pdb')) },
    ]);
    assert.equal((await sendSymbols(server, game, buildId, zip, { filename: 'mixed.zip' })).status, 201);
    const symbols = await untilCompiled(server, game, buildId);
    assert.equal(new Set(symbols.map(({ debug_id: id }) => id)).size, 2);
    const report = await untilDone(server, await reportCrash(server, game, buildId, { dump: await one!.crash() }));
    assert.deepEqual(report.functions, []);
    assert.deepEqual(
      report.frames.slice(0, 4).map(({ trust }) => trust),
      ['context', 'cfi', 'cfi', 'cfi'],
    );
    await assertWhole(game);
  });

  test('with the id of another file are kept part by part, whichever comes first', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const files = await Promise.all(
      ['-O0', '-O2', '-O3'].map(async (level) => {
        const program = join(work.path, `same${level}`);
        const parts = ['main', 'knight', 'world'].map((part) => join(SOURCES, `${part}.cc`));
        const object = join(work.path, `recorder${level}.o`);
        await run('gcc', ['-c', join(SOURCES, 'crash-recorder.c'), '-o', object]);
        const flags = ['-std=c++17', '-g', level, `-Wl,--build-id=0x${'ab'.repeat(20)}`];
        await run('g++', [...flags, ...parts, object, '-o', program]);
        return readFile(program);
      }),
    );
    const { game, buildId } = await openGame();
    const other = await register(server, game, { version: '1.0.1' });
    const sent = await Promise.all(
      [0, 1, 2, 0, 1, 2].flatMap((index) =>
        [buildId, other].map((build) => sendSymbols(server, game, build, files[index]!, { filename: 'game' })),
      ),
    );
    assert.deepEqual([...new Set(sent.map(({ status }) => status))], [201]);
    for (const build of [buildId, other]) {
      const symbols = await untilCompiled(server, game, build);
      assert.ok(symbols.length >= 1 && symbols.length <= 2, JSON.stringify(symbols));
      for (const { debug_id: id, state } of symbols) assert.deepEqual([id.length, state], [33, 'compiled']);
    }
    // Sent again, each file is known or converted again, and the result is the same.
    const before = await symbolsOf(server, game, buildId);
    for (const file of files)
      assert.equal((await sendSymbols(server, game, buildId, file, { filename: 'game' })).status, 201);
    const after = await untilCompiled(server, game, buildId);
    assert.deepEqual(
      after.map(({ functions, unwind }) => [functions, unwind]),
      before.map(({ functions, unwind }) => [functions, unwind]),
    );
    await assertWhole(game);
  });

  test('of another game cannot be sent, listed or deleted', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const built = await TOOLCHAINS[0]!.build(join(work.path, 'owned'));
    const program = await readFile(built.program);
    const [mine, theirs] = [await openGame(), await openGame()];
    const sent = await sendSymbols(server, theirs.game, theirs.buildId, program);
    const uid = sent.body.data.symbols[0].symbol_uid;
    const [kept] = await untilCompiled(server, theirs.game, theirs.buildId);
    const refused = await sendSymbols(server, mine.game, theirs.buildId, program);
    assert.equal(refused.status, 404);
    const listed = await request(`${server.api}/tool/symbols?build_id=${theirs.buildId}`, {
      headers: mine.game.keyHeaders,
    });
    assert.equal(listed.status, 404);
    const headers = await signIn(server, mine.game.owner);
    for (const [game, build] of [
      [theirs.game, theirs.buildId],
      [mine.game, theirs.buildId],
      [mine.game, mine.buildId],
    ] as const) {
      const url = `${server.api}/games/${game.uid}/builds/${build}/symbols?symbol_uid=${kept?.symbol_uid ?? uid}`;
      assert.equal((await request(url, { method: 'DELETE', headers })).status, 404);
    }
    assert.deepEqual(await storedCountsOf(server, mine.game), NOTHING_STORED);
    assert.deepEqual(
      (await symbolsOf(server, theirs.game, theirs.buildId)).map(({ symbol_uid }) => symbol_uid),
      [kept?.symbol_uid],
    );
    // The crash of the other game has nothing from these symbols.
    const report = await untilDone(
      server,
      await reportCrash(server, mine.game, mine.buildId, { dump: await built.crash() }),
    );
    assert.deepEqual(
      report.functions.filter((name) => /Knight|World/.test(name)),
      [],
    );
  });

  test('that are cut anywhere are refused, unreadable or used as far as they go', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const [linux, , windows, mac] = await Promise.all(
      TOOLCHAINS.map(({ build }, index) => build(join(work.path, `cut-${index}`))),
    );
    const paths = [
      linux!.program,
      linux!.played,
      await splitDebugFile(linux!.program),
      windows!.program,
      join(windows!.folder, 'game.pdb'),
      mac!.program,
      join(`${mac!.program}.dSYM`, 'Contents/Resources/DWARF/game'),
    ];
    const { game, buildId } = await openGame();
    for (const path of paths) {
      const whole = await readFile(path);
      const lengths = [
        1,
        4,
        63,
        64,
        200,
        600,
        1000,
        ...[0.25, 0.5, 0.75, 0.95].map((part) => Math.floor(whole.length * part)),
        whole.length - 1,
      ];
      for (const length of lengths) {
        const { status, body } = await sendSymbols(server, game, buildId, whole.subarray(0, length), {
          filename: basename(path),
        });
        assert.ok(status === 201 || status === 400, `${basename(path)} of ${length} bytes: ${JSON.stringify(body)}`);
      }
    }
    for (const { state, problem } of await untilCompiled(server, game, buildId)) {
      assert.ok(state === 'compiled' || problem !== null);
      assert.doesNotMatch(problem ?? '', / at .*:\d+:\d+|node_modules|undefined|\/tmp/);
    }
    await assertWhole(game);
  });
});
