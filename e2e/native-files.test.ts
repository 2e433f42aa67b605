// Native files of a game that really crashes: sent over HTTP one by one, and found at symbol servers.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { reportCrash, reportRow, untilDone } from '../packages/server/test/setup/crash-dumps.ts';
import { makeGame, startServer, type TestServer } from '../packages/server/test/setup/server.ts';
import { type SymbolServer, startSymbolServer } from '../packages/server/test/setup/symbol-server.ts';
import { sendSymbols, symbolsOf, untilCompiled } from '../packages/server/test/setup/symbols.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { register } from '../packages/server/test/setup/uploads.ts';
import {
  buildForLinux,
  buildForWindows,
  buildIdOf,
  hasCompilers,
  hasPrograms,
  NO_COMPILERS,
  shareDebugInformation,
  splitDebugFile,
} from './setup/native-game.ts';
import { makeFolder } from './setup/processes.ts';
import { readPeImage } from './setup/program-image.ts';

/** The calls of the crash, the innermost first. The words are those of the names that all compilers write. */
const CALLS = ['Item::wear', 'Pocket<Item>::use', 'Knight::swing', '', 'World::tick', 'play', 'main'];

let canBuild: boolean;
let work: Awaited<ReturnType<typeof makeFolder>>;
before(async () => {
  [canBuild, work] = await Promise.all([hasCompilers(), makeFolder()]);
});
after(() => work.remove());

const buildWithGcc = (name: string) => buildForLinux(join(work.path, name), 'g++');

async function openGame(server: TestServer, os: string) {
  const game = await makeGame(server);
  return { game, buildId: await register(server, game, { os }) };
}

/** Waits until the report has the calls of the game, and all of its own frames were found by unwind rules. */
function untilNamed(server: TestServer, reportId: string) {
  return until(async () => {
    const { frames } = await reportRow(server, reportId);
    const own = frames?.slice(0, CALLS.length) ?? [];
    const isNamed = CALLS.every((name, index) => own[index]?.function?.includes(name));
    return isNamed && own.every(({ trust }) => ['context', 'cfi'].includes(trust)) && frames;
  });
}

describe('a program whose debug information is in a separate file', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  test('has names from the debug file and unwind rules from the stripped program, in any order', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const built = await buildWithGcc('separate');
    const debug = await splitDebugFile(built.program);
    const dump = await built.crash();
    for (const [first, second] of [
      [debug, built.played],
      [built.played, debug],
    ] as const) {
      const { game, buildId } = await openGame(server, 'linux');
      const reportId = await reportCrash(server, game, buildId, { dump });
      assert.deepEqual((await untilDone(server, reportId)).functions, []);
      const send = async (path: string) => {
        const sent = await sendSymbols(server, game, buildId, await readFile(path), { filename: basename(path) });
        assert.equal(sent.status, 201, JSON.stringify(sent.body));
        return untilCompiled(server, game, buildId);
      };
      const [alone, ...others] = await send(first);
      assert.deepEqual(others, []);
      assert.equal(alone?.state, 'compiled');
      assert.match(alone?.problem ?? '', first === debug ? /^It has no unwind rules/ : /^It has no functions/);
      const both = await send(second);
      assert.deepEqual(
        both.map(({ state, problem, debug_id: id }) => [state, problem, id]),
        [alone, alone].map((symbol) => ['compiled', null, symbol?.debug_id]),
      );
      await untilNamed(server, reportId);
    }
  });
});

describe('a report without symbols', () => {
  let source: SymbolServer;
  let server: TestServer;
  before(async () => {
    source = await startSymbolServer();
    server = await startServer({
      env: {
        CHAUFFEUR_SYMBOL_SOURCES: `debuginfod+${source.url},microsoft+${source.url}/symbols`,
        CHAUFFEUR_SYMBOL_PRIVATE_HOSTS: '1',
      },
    });
  });
  after(async () => {
    await server?.stop();
    await source?.close();
  });

  test('gets those of its program and of libraries from debuginfod', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const built = await buildWithGcc('debuginfod');
    const folder = `/buildid/${await buildIdOf(built.played)}`;
    source.files.set(`${folder}/debuginfo`, await readFile(await splitDebugFile(built.program)));
    source.files.set(`${folder}/executable`, await readFile(built.played));
    const hasLibrary = await addDebianLibrary();
    const { game, buildId } = await openGame(server, 'linux');
    const reportId = await reportCrash(server, game, buildId, { dump: await built.crash() });
    const frames = await untilNamed(server, reportId);
    const [wear] = frames;
    assert.deepEqual([wear?.inlined, basename(wear?.file ?? '')], [true, 'items.h']);
    assert.deepEqual(await symbolsOf(server, game, buildId), []);
    if (!hasLibrary) return t.diagnostic('libc6-dbg is not installed: no library of the system was looked up');
    await until(async () => {
      const { functions } = await reportRow(server, reportId);
      return functions.some((name) => name.startsWith('__libc_start_main'));
    });
  });

  test('gets those in a file of dwz, to which the debug files of several programs refer', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    if (!(await hasPrograms(['dwz']))) return t.skip('skipped: dwz not found');
    // Other programs than that of the other test, whose symbols the server keeps.
    const [built, other] = await Promise.all(
      ['-O1', '-O3'].map((level) => buildForLinux(join(work.path, `dwz${level}`), 'g++', [level])),
    );
    const debugFiles = await Promise.all([built!, other!].map(({ program }) => splitDebugFile(program)));
    const common = await shareDebugInformation(debugFiles, join(work.path, 'common.debug'));
    const shared = `/buildid/${await buildIdOf(common)}/debuginfo`;
    source.files.set(shared, await readFile(common));
    const folder = `/buildid/${await buildIdOf(built!.played)}`;
    source.files.set(`${folder}/debuginfo`, await readFile(debugFiles[0]!));
    source.files.set(`${folder}/executable`, await readFile(built!.played));
    const { game, buildId } = await openGame(server, 'linux');
    await untilNamed(server, await reportCrash(server, game, buildId, { dump: await built!.crash() }));
    assert.ok(source.requests.includes(shared));
  });

  /** Puts Debian's C library and its debug file, which a separate package has, on the server. */
  async function addDebianLibrary(): Promise<boolean> {
    const library = '/lib/x86_64-linux-gnu/libc.so.6';
    const id = existsSync(library) ? await buildIdOf(library) : '';
    const debug = `/usr/lib/debug/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`;
    if (id === '' || !existsSync(debug)) return false;
    source.files.set(`/buildid/${id}/debuginfo`, await readFile(debug));
    source.files.set(`/buildid/${id}/executable`, await readFile(library));
    return true;
  }

  test('is walked with the unwind rules of a Windows program that has no PDB', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const built = await buildForWindows(join(work.path, 'microsoft'), { hasDebug: false });
    const program = await readFile(built.program);
    const { timestamp, size } = readPeImage(program);
    const time = timestamp.toString(16).toUpperCase().padStart(8, '0');
    // The server responds once the report was processed without the program.
    const { promise: isProcessed, resolve: respond } = Promise.withResolvers<void>();
    source.files.set(`/symbols/game.exe/${time}${size.toString(16)}/game.exe`, (_, response) => {
      isProcessed.then(() => response.end(program));
    });
    const dump = await built.crash();
    const { game, buildId } = await openGame(server, 'windows');
    const reportId = await reportCrash(server, game, buildId, { dump });
    const guessed = await untilDone(server, reportId);
    assert.equal(guessed.frames[1]?.trust, 'scan');
    assert.deepEqual(guessed.missing_symbols, [`game.exe/${timestamp.toString(16)}${size.toString(16)}`]);
    respond();
    const trusts = ['context', 'cfi', 'cfi', 'cfi'];
    await untilEqual(
      async () => (await reportRow(server, reportId)).frames.slice(0, 4).map(({ trust }) => trust),
      trusts,
    );
    assert.deepEqual((await reportRow(server, reportId)).missing_symbols, []);
  });
});
