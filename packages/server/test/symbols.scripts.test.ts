// `chauffeur symbols` with the folder of a web game and with mappings: what it pairs, injects, uploads and warns about, and
// that reports of the game are resolved with it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildMinifiedGame, type MinifiedGame } from '../../sentry/test/minified-game.ts';
import { report } from './setup/crashes.ts';
import { request, signIn, type TestGame, type TestServer } from './setup/server.ts';
import { symbolsOf, untilCompiled } from './setup/symbols.ts';
import { type SymbolsCommand, startSymbolsCommand } from './setup/symbols-command.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

let command: SymbolsCommand;
let server: TestServer;
let game: TestGame;
let built: MinifiedGame;
before(async () => {
  [command, built] = await Promise.all([startSymbolsCommand(), buildMinifiedGame()]);
  ({ server, game } = command);
});
after(() => command.stop());

const put = (path: string, content: string) => command.put(path, Buffer.from(content));

type Row = { kind: string; debug_file: string; debug_id: string; state: string };

async function run(args: readonly string[]) {
  const { code, output, stderr } = await command.run(args);
  const rows: Row[] = output.modules ?? [];
  return { code, output, stderr, shown: rows.map(({ kind, debug_file: name, state }) => `${name} ${kind} ${state}`) };
}

const MAPPING = '# compiler: R8\ncom.example.Player -> a.b:\n    1:1:void hit(int):21 -> a\n';

test('the folder of a web game is uploaded with its maps, once, and resolves its reports', async () => {
  const buildId = await register(server, game, { version: '1.0.0', os: 'web', arch: 'wasm32' });
  await put('web/dist/assets/game.js', built.script);
  await put('web/dist/assets/game.js.map', built.map);
  await put('web/dist/vendor.js', 'vendor();');
  await put('web/dist/lost.js', 'lost();\n//# sourceMappingURL=maps/lost.js.map\n');
  await put('web/dist/index.html', '<script src="assets/game.js"></script>');
  const first = await run(['--build-id', buildId, 'web']);
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(first.shown, ['dist/assets/game.js script uploaded', 'dist/assets/game.js.map source_map uploaded']);
  assert.match(first.stderr, /lost\.js is left out because its source map is missing: maps\/lost\.js\.map/);
  const again = await run(['--build-id', buildId, 'web']);
  assert.deepEqual(
    again.shown.map((row) => row.split(' ').at(-1)),
    ['present', 'present'],
  );
  assert.deepEqual(
    (await untilCompiled(server, game, buildId)).map(({ debug_file: name, state }) => `${name} ${state}`),
    ['~/dist/assets/game.js compiled', '~/dist/assets/game.js.map compiled'],
  );
  const metadata = { stack: built.stackAt('https://a.example/play/assets/game.js').slice(0, 1000) };
  const sent = await report({ server, game, buildId }, { os: 'web', message: 'lost', metadata });
  const headers = await signIn(server, game.owner);
  await until(async () => {
    const { body } = await request(`${server.api}/games/${game.uid}/crashes/${sent.body.data.id}`, { headers });
    return body.data.stack[0]?.function === 'player.explodeLoudly';
  });
});

test('--inject gives a script and its map a debug id, which the service lists', async () => {
  const buildId = await register(server, game, { version: '1.1.0', os: 'web', arch: 'wasm32' });
  await put('inject/game.js', built.script);
  await put('inject/game.js.map', built.map);
  const { code, output, stderr } = await run(['--build-id', buildId, '--inject', 'inject']);
  assert.equal(code, 0, stderr);
  const ids = output.modules.map(({ debug_id: id }: Row) => id);
  assert.match(ids[0], /^[0-9A-F]{32}0$/);
  assert.equal(ids[0], ids[1]);
  const script = await readFile(join(command.folder, 'inject/game.js'), 'utf8');
  assert.match(script, /_sentryDebugIds[\s\S]*\n\/\/# debugId=[0-9a-f-]{36}\n\/\/# sourceMappingURL=game\.js\.map/);
  assert.deepEqual(
    (await symbolsOf(server, game, buildId)).map(({ debug_id: id }) => id),
    ids,
  );
  const again = await run(['--build-id', buildId, '--inject', 'inject']);
  assert.deepEqual(
    again.shown.map((row) => row.split(' ').at(-1)),
    ['present', 'present'],
  );
});

test('mappings of R8 and IL2CPP are recognized in folders and archives', async () => {
  const buildId = await register(server, game, { version: '1.2.0', os: 'android', arch: 'arm64' });
  await put('android/outputs/mapping.txt', MAPPING);
  await put('android/notes.txt', 'hello -> world\n');
  const lines = JSON.stringify({ 'a.cpp': { 'A.cs': { '12': 3 } } });
  await command.put('android/backup.zip', buildZip([{ name: 'il2cpp/LineNumberMappings.json', data: lines }]));
  const { code, shown, stderr } = await run(['--build-id', buildId, 'android']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(shown, ['il2cpp/LineNumberMappings.json il2cpp uploaded', 'outputs/mapping.txt proguard uploaded']);
});

test('errors say what is missing', async () => {
  const buildId = await register(server, game, { version: '1.3.0', os: 'web', arch: 'wasm32' });
  await put('scripts/a.js', 'run();');
  const scripts = await run(['--build-id', buildId, 'scripts']);
  assert.match(scripts.output.error.message, /scripts contains no \.sym files, programs, debug files or source maps/);
  await put('maps/a.js.map', built.map);
  const maps = await run(['--build-id', buildId, 'maps']);
  assert.deepEqual(maps.shown, ['a.js.map source_map uploaded']);
  assert.match(maps.stderr, /a\.js\.map has no script, so names of functions are guessed/);
  const both = await run(['--inject', '--dry-run', 'maps']);
  assert.match(both.output.error.message, /--inject changes files/);
  await command.put(
    'packed.zip',
    buildZip([
      { name: 'a.js', data: built.script.replace('game.js.map', 'a.js.map') },
      { name: 'a.js.map', data: built.map },
    ]),
  );
  const packed = await run(['--build-id', buildId, '--inject', 'packed.zip']);
  assert.match(packed.output.error.message, /a\.js is in an archive, which can't be changed/);
});
