// The real sentry-cli against a real server: what it prints, and what becomes of what it sends.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { formatDsn } from '@chauffeur/sentry/dsn/dsn';
import { changedWasm, customSection } from '../packages/debug-symbols/test/sample-wasm.ts';
import { callApi } from '../packages/server/test/setup/api-calls.ts';
import { makeDsn } from '../packages/server/test/setup/dsns.ts';
import { callAsSentryCli, tokenOf } from '../packages/server/test/setup/sentry-cli.ts';
import { reportEvent } from '../packages/server/test/setup/sentry-events.ts';
import {
  makeGame,
  request,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
} from '../packages/server/test/setup/server.ts';
import { until } from '../packages/server/test/setup/until.ts';
import { register } from '../packages/server/test/setup/uploads.ts';
import { hasCompilers, NO_COMPILERS } from './setup/native-game.ts';
import { makeFolder } from './setup/processes.ts';
import { findSentryCli, NO_SENTRY_CLI, runSentryCli, type SentryCliResult } from './setup/sentry-cli.ts';

let program: string | undefined;
let work: Awaited<ReturnType<typeof makeFolder>>;
let server: TestServer;
let game: TestGame;

before(async () => {
  [program, work, server] = await Promise.all([findSentryCli(), makeFolder(), startServer()]);
  game = await makeGame(server);
});
after(async () => {
  await server.stop();
  await work.remove();
});

const environment = () => ({
  SENTRY_URL: server.url,
  SENTRY_AUTH_TOKEN: tokenOf(game),
  SENTRY_ORG: 'studio',
  SENTRY_PROJECT: game.slug,
});

function run(args: readonly string[], env: Record<string, string> = {}): Promise<SentryCliResult> {
  return runSentryCli(program as string, args, { env: { ...environment(), ...env }, folder: work.path });
}

/** Fails with what the program printed unless it succeeds. Returns that. */
async function succeed(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await run(args, env);
  assert.equal(code, 0, `${args.join(' ')}:\n${stdout}\n${stderr}`);
  return stdout;
}

const call = (path: string) => callAsSentryCli(server, tokenOf(game), 'GET', path);
const releaseOf = async (version: string, rest = '') =>
  (await call(`/organizations/studio/releases/${encodeURIComponent(version)}/${rest}`)).body;

test('info shows whose token it is, and fails with a wrong one', async (t) => {
  if (program === undefined) return t.skip(NO_SENTRY_CLI);
  const shown = await succeed(['info']);
  assert.match(shown, new RegExp(`User: ${game.keyHeaders['x-access-token'].slice(0, 8)}`));
  assert.match(shown, /project:releases/);
  const { code, stderr } = await run(['info'], { SENTRY_AUTH_TOKEN: 'wrong.token' });
  assert.notEqual(code, 0);
  assert.match(stderr, /401/);
});

test('releases are created, listed, shown and finalized', async (t) => {
  if (program === undefined) return t.skip(NO_SENTRY_CLI);
  const version = 'owls@1.2.0';
  await register(server, game, { version: '0.9.0' });
  await succeed(['releases', 'new', version]);
  assert.equal((await releaseOf(version)).dateReleased, null);
  const list = await succeed(['releases', 'list']);
  assert.match(list, /owls@1\.2\.0/);
  assert.match(list, /0\.9\.0/);
  assert.match(await succeed(['releases', 'info', version, '--show-projects']), new RegExp(game.slug));
  assert.notEqual((await run(['releases', 'info', 'owls@9.9.9'])).code, 0);
  await succeed(['releases', 'finalize', version]);
  assert.notEqual((await releaseOf(version)).dateReleased, null);
  await succeed(['deploys', 'new', '-r', version, '-e', 'production']);
  assert.match(await succeed(['deploys', 'list', '-r', version]), /production/);
  await succeed(['releases', 'delete', version]);
  assert.notEqual((await run(['releases', 'info', version])).code, 0);
});

test('set-commits sends the commits of the folder', async (t) => {
  if (program === undefined) return t.skip(NO_SENTRY_CLI);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: work.path,
      encoding: 'utf8',
    }).trim();
  git('init', '-q');
  git('remote', 'add', 'origin', 'https://example.com/studio/game.git');
  for (const text of ['one', 'two']) {
    await writeFile(join(work.path, 'game.txt'), text);
    git('add', 'game.txt');
    git('commit', '-q', '-m', text);
  }
  await register(server, game, { version: '2.0.0' });
  const printed = await succeed(['releases', 'set-commits', '2.0.0', '--auto']);
  assert.match(printed, /Success! Set commits for release 2\.0\.0/);
  const [newest, oldest] = git('log', '--format=%H').split('\n');
  assert.deepEqual(await releaseOf('2.0.0', 'commits/'), [{ id: newest }, { id: oldest }]);
  assert.match(await succeed(['releases', 'info', '2.0.0', '--show-commits']), new RegExp(String(newest)));
});

test('WebAssembly with its debug information names the frames of a page', async (t) => {
  if (program === undefined) return t.skip(NO_SENTRY_CLI);
  const id = '5a4b3c2d1e0f40718293a4b5c6d7e8f9';
  const section = customSection('build_id', Buffer.from(id, 'hex'));
  const path = join(work.path, 'owls.wasm');
  await writeFile(
    path,
    changedWasm(() => true, section),
  );
  const checked = await succeed(['debug-files', 'check', path]);
  const debugId = /Debug ID: ([\w-]+)/.exec(checked)![1]!;
  assert.equal(debugId.replaceAll('-', ''), id);
  assert.match(await succeed(['debug-files', 'upload', '--wait', path]), /OK|UPLOADED/);
  const buildId = await register(server, game, { version: '7.0.0', os: 'web', arch: 'wasm32' });
  const frame = {
    ...{ platform: 'native', function: 'wasm-function[0]', filename: 'https://a.example/owls.wasm', in_app: true },
    ...{ instruction_addr: '0x53', addr_mode: 'rel:0' },
  };
  const event = {
    platform: 'javascript',
    exception: [{ type: 'RuntimeError', value: 'unreachable', stacktrace: { frames: [frame] } }],
    debug_meta: { images: [{ type: 'wasm', code_file: 'https://a.example/owls.wasm', debug_id: debugId }] },
  };
  const crash = await reportEvent(server, game, buildId, event);
  const headers = await signIn(server, game.owner);
  await until(async () => {
    const { body } = await request(`${server.api}/games/${game.uid}/crashes/${crash}`, { headers });
    return body.data.stack[0]?.function === 'twice(int)' && body.data.stack[1]?.function === 'Game::tick(int)';
  });
});

/** Programs and debug files of all kinds, which are not part of the repository. */
const CORPUS = join(import.meta.dirname, '../../shared/symbols-corpus');

type ListedSymbol = { kind: string; debug_file: string; debug_id: string; state: string; functions: number };

const symbolsOf = async (): Promise<ListedSymbol[]> => {
  const owner = await signIn(server, game.owner);
  return (await callApi(server, owner, 'GET', `/games/${game.uid}/symbols?limit=100`)).body.data.symbols;
};

describe('debug files', () => {
  test('of every kind are checked, uploaded once, and used', async (t) => {
    if (program === undefined) return t.skip(NO_SENTRY_CLI);
    if (!existsSync(CORPUS)) return t.skip('skipped: debug files not found');
    const folder = join(work.path, 'files');
    for (const name of ['pdb-x86_64-clang-O2', 'elf-x86_64-gcc-O2-dwarf4', 'macho-arm64-O2', 'macho-fat-O2'])
      await cp(join(CORPUS, name), join(folder, name), { recursive: true });
    assert.match(
      await succeed(['debug-files', 'check', join(folder, 'pdb-x86_64-clang-O2', 'engine.pdb')]),
      /Usable: yes/,
    );
    const printed = await succeed(['debug-files', 'upload', '--wait', folder]);
    assert.match(printed, /File processing complete/);
    assert.doesNotMatch(printed, /ERROR/);
    const symbols = await symbolsOf();
    assert.ok(symbols.length >= 4, JSON.stringify(symbols));
    assert.ok(symbols.every(({ state }) => state === 'compiled'));
    assert.match(await succeed(['debug-files', 'upload', '--wait', folder]), /Nothing to upload/);
  });
});

describe('source maps', () => {
  test('are injected, uploaded once, and listed with the scripts', async (t) => {
    if (program === undefined) return t.skip(NO_SENTRY_CLI);
    const folder = join(work.path, 'web');
    await mkdir(folder);
    await writeFile(join(folder, 'game.js'), 'function f(){throw Error("x")}f();\n//# sourceMappingURL=game.js.map\n');
    const map = {
      version: 3,
      file: 'game.js',
      sources: ['game.ts'],
      names: [],
      mappings: 'AAAA',
      sourcesContent: ['f();'],
    };
    await writeFile(join(folder, 'game.js.map'), JSON.stringify(map));
    await succeed(['sourcemaps', 'inject', folder]);
    const args = ['sourcemaps', 'upload', '--release', 'owls@1.2.0', '--wait', folder];
    assert.match(await succeed(args), /File processing complete/);
    const listed = (await symbolsOf()).filter(({ debug_file }) => debug_file.startsWith('~/game.js'));
    assert.deepEqual(listed.map(({ debug_file }) => debug_file).toSorted(), ['~/game.js', '~/game.js.map']);
    assert.equal(new Set(listed.map(({ debug_id }) => debug_id)).size, 1);
    assert.ok(listed.every(({ state, debug_id }) => state === 'compiled' && debug_id !== ''));
    assert.match(await succeed(args), /Nothing to upload/);
  });

  test('of ProGuard are uploaded once', async (t) => {
    if (program === undefined) return t.skip(NO_SENTRY_CLI);
    const path = join(work.path, 'mapping.txt');
    await writeFile(path, '# compiler: R8\ncom.example.Game -> a.a:\n    1:1:void run():10:10 -> a\n');
    await succeed(['upload-proguard', path]);
    const [mapping] = await until(async () => {
      const found = (await symbolsOf()).filter(({ kind }) => kind === 'proguard');
      return found[0]?.state === 'compiled' && found;
    });
    assert.match(mapping?.debug_id ?? '', /^[0-9A-F]{32}0$/);
    assert.match(await succeed(['upload-proguard', path]), /Nothing to upload/);
  });
});

describe('events', () => {
  test('arrive from send-event and send-envelope', async (t) => {
    if (program === undefined) return t.skip(NO_SENTRY_CLI);
    const { key, projectNo } = await makeDsn(server, game);
    const SENTRY_DSN = formatDsn({ key, project: String(projectNo), origin: server.url });
    assert.match(await succeed(['send-event', '-m', 'hello'], { SENTRY_DSN }), /Event/i);
    const path = join(work.path, 'event.envelope');
    const event = { event_id: 'f'.repeat(32), level: 'error', platform: 'native', message: 'boom' };
    await writeFile(path, `{"event_id":"${event.event_id}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`);
    assert.match(await succeed(['send-envelope', path], { SENTRY_DSN }), /Envelope/i);
  });
});

test('--il2cpp-mapping leads exceptions of Unity to the lines of C#', async (t) => {
  if (program === undefined) return t.skip(NO_SENTRY_CLI);
  if (!(await hasCompilers())) return t.skip(NO_COMPILERS);
  const folder = join(work.path, 'unity');
  await mkdir(folder);
  // IL2CPP notes the lines in comments of the code that it generates.
  const lines = [
    'extern "C" void il2cpp_codegen_raise_null_reference_exception();',
    '//<source_info:/game/Assets/Scripts/Player.cs:41>',
    '// health.Apply(damage);',
    'extern "C" __attribute__((noinline)) void Player_Hit_mA3F1D2C4(void* health) {',
    '  if (health == nullptr) il2cpp_codegen_raise_null_reference_exception();',
    '}',
    'extern "C" void il2cpp_codegen_raise_null_reference_exception() { __builtin_trap(); }',
  ];
  await writeFile(join(folder, 'Assembly-CSharp.cpp'), `${lines.join('\n')}\n`);
  const library = join(folder, 'GameAssembly.so');
  execFileSync('clang++', ['-g', '-O0', '-shared', '-fPIC', '-Wl,--build-id', '-o', library, 'Assembly-CSharp.cpp'], {
    cwd: folder,
  });
  const symbol = execFileSync('nm', [library])
    .toString()
    .match(/^([0-9a-f]+) T Player_Hit_mA3F1D2C4$/m)![1]!;
  const checked = await succeed(['debug-files', 'check', library]);
  const debugId = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/.exec(checked)![0];
  await succeed(['debug-files', 'upload', '--wait', '--il2cpp-mapping', library]);
  const buildId = await register(server, game, { version: '7.0.0' });
  const base = 0x7fffffffffffffffn;
  const frame = {
    function: 'Hit',
    module: 'Player',
    package: 'Assembly-CSharp',
    in_app: true,
    instruction_addr: `0x${(base + BigInt(`0x${symbol}`) + 12n).toString(16)}`,
  };
  const stacktrace = { frames: [frame], instruction_addr_adjustment: 'all' };
  const id = await reportEvent(server, game, buildId, {
    platform: 'csharp',
    exception: [{ type: 'NullReferenceException', value: 'no health', stacktrace }],
    debug_meta: {
      images: [{ type: 'elf', code_file: 'GameAssembly.so', debug_id: debugId, image_addr: `0x${base.toString(16)}` }],
    },
  });
  const headers = await signIn(server, game.owner);
  const shown = await until(async () => {
    const { body } = await request(`${server.api}/games/${game.uid}/crashes/${id}`, { headers });
    const [found] = body.data.event.exceptions[0].frames;
    return found.file?.endsWith('.cs') && found;
  });
  assert.deepEqual([shown.function, shown.file, shown.line], ['Player.Hit', 'Assets/Scripts/Player.cs', 41]);
});
