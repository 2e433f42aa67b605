// `chauffeur symbols` with native files and the real service: what it pairs, converts, uploads and warns about.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { changedWasm, customSection, sampleWasm } from '../../debug-symbols/test/sample-wasm.ts';
import type { TestGame, TestServer } from './setup/server.ts';
import { symbolsOf, symText, untilCompiled } from './setup/symbols.ts';
import { type SymbolsCommand, startSymbolsCommand } from './setup/symbols-command.ts';
import { register } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

const CORPUS = join(import.meta.dirname, '../../../../shared/symbols-corpus');
const options = { skip: existsSync(CORPUS) ? false : 'skipped: corpus not found' };

let command: SymbolsCommand;
let server: TestServer;
let game: TestGame;
before(async () => {
  command = await startSymbolsCommand();
  ({ server, game } = command);
});
after(() => command.stop());

const put = (path: string, content: Uint8Array) => command.put(path, content);

/** The contents of a file of the corpus. */
async function corpus(path: string): Promise<Buffer> {
  const file = join(CORPUS, path);
  return existsSync(file) ? readFile(file) : gunzipSync(await readFile(`${file}.gz`));
}

type Row = { debug_file: string; cpu: string; functions: number; lines: number | null; unwind: boolean; state: string };

async function run(args: readonly string[], isOnline = true) {
  const outcome = await command.run(args, { isOnline });
  const { output } = outcome;
  const rows: Row[] = output.modules ?? [];
  const shown = rows.map(({ debug_file: name, cpu, unwind, state }) => `${name} ${cpu} ${unwind} ${state}`).sort();
  return { ...outcome, rows, shown, warnings: (output.warnings ?? []) as string[] };
}

test('WebAssembly is uploaded if it has debug information', async () => {
  const id = Buffer.from('31d2a7c4b0f94e6f8a1c5e2d7b3f9a04', 'hex');
  const section = customSection('build_id', id);
  await put(
    'web/game.wasm',
    changedWasm(({ name }) => !name.startsWith('.debug'), section),
  );
  await put(
    'web/game.debug.wasm',
    changedWasm(() => true, section),
  );
  await put('web/cut.wasm', sampleWasm().subarray(0, 60));
  const buildId = await register(server, game, { version: 'web', os: 'web', arch: 'wasm32' });
  const first = await run(['--build-id', buildId, 'web']);
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(first.shown, ['game.debug.wasm wasm32 false uploaded']);
  assert.match(first.warnings.join('\n'), /^cut\.wasm is left out because it can't be read: [^\n]+$/);
  const [symbol] = await untilCompiled(server, game, buildId);
  assert.deepEqual([symbol?.code_id, symbol?.has_lines, symbol?.problem], [id.toString('hex'), true, null]);
  const second = await run(['--build-id', buildId, 'web']);
  assert.match(second.shown.join(), /^game\.debug\.wasm wasm32 \w+ (?!uploaded)/);
});

test('a build of all formats is paired across folders and archives, converted and uploaded once', options, async () => {
  await put('all/bin/engine.exe', await corpus('pdb-x86_64-clang-O2/engine.exe'));
  await put('all/obj/engine.pdb', await corpus('pdb-x86_64-clang-O2/engine.pdb'));
  await put('all/linux/app', await corpus('elf-x86_64-gcc-debuglink/app'));
  await put('all/debug/app.debug', await corpus('elf-x86_64-gcc-debuglink/app.debug'));
  await put('all/split/game', await corpus('elf-x86_64-clang-split-dwarf5-dwp/app'));
  await put('all/split/packages/game.dwp', await corpus('elf-x86_64-clang-split-dwarf5-dwp/app.dwp'));
  await put('all/notes.txt', Buffer.from('not sent'));
  const dsym = await corpus('macho-fat-O2/engine.dSYM/Contents/Resources/DWARF/engine');
  const mac = [
    { name: 'Game.app/Contents/MacOS/engine', data: await corpus('macho-fat-O2/engine'), method: 8 },
    { name: 'Game.dSYM/Contents/Resources/DWARF/engine', data: dsym, method: 8 },
    { name: 'Game.app/Contents/Info.plist', data: '<plist/>' },
  ];
  await put('all/mac.zip', buildZip(mac));
  const buildId = await register(server, game, { version: 'all' });
  const expected = ['app x86_64', 'engine arm64', 'engine x86_64', 'engine.pdb x86_64', 'game x86_64'];
  const first = await run(['--build-id', buildId, 'all']);
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(
    first.shown,
    expected.map((name) => `${name} true uploaded`),
  );
  assert.ok(
    first.rows.every(({ functions, lines }) => functions > 15 && lines! > 100),
    JSON.stringify(first.rows),
  );
  assert.deepEqual(first.warnings, []);
  const stored = await untilCompiled(server, game, buildId);
  assert.ok(stored.every(({ state, problem }) => state === 'compiled' && problem === null));

  // Nothing is converted again, so lines are not counted.
  const second = await run(['--build-id', buildId, 'all']);
  assert.deepEqual([second.code, second.output.symbols, second.output.skipped], [0, [], 5]);
  assert.deepEqual(
    second.rows.map(({ state, lines, unwind }) => [state, lines, unwind]),
    expected.map(() => ['present', null, true]),
  );
  assert.equal((await symbolsOf(server, game, buildId)).length, 5);
});

test('a program that is added later completes the symbols of its PDB', options, async () => {
  await put('late/engine.pdb', await corpus('pdb-x86_64-clang-O2/engine.pdb'));
  const buildId = await register(server, game, { version: 'late' });
  const before = await run(['--build-id', buildId, 'late']);
  assert.deepEqual(before.shown, ['engine.pdb x86_64 false uploaded']);
  assert.match(
    before.warnings.join(),
    /^engine\.pdb: its program is missing, so there is no unwind data.* Add the \.exe/,
  );
  await untilCompiled(server, game, buildId);
  await put('late/engine.exe', await corpus('pdb-x86_64-clang-O2/engine.exe'));
  // A single path finds what is next to it.
  const after = await run(['--build-id', buildId, 'late/engine.pdb']);
  assert.deepEqual([after.shown, after.warnings], [['engine.pdb x86_64 true uploaded'], []]);
  assert.equal((await symbolsOf(server, game, buildId)).length, 1);
});

test('a debug file that is added later completes the symbols of a stripped program', options, async () => {
  await put('half/app', await corpus('elf-x86_64-gcc-debuglink/app'));
  const buildId = await register(server, game, { version: 'half' });
  const before = await run(['--build-id', buildId, 'half']);
  assert.deepEqual(before.shown, ['app x86_64 true uploaded']);
  const [stripped] = await untilCompiled(server, game, buildId);
  assert.deepEqual([stripped?.functions, stripped?.has_lines], [0, false]);
  await put('half/app.debug', await corpus('elf-x86_64-gcc-debuglink/app.debug'));
  const after = await run(['--build-id', buildId, 'half']);
  assert.deepEqual(after.shown, ['app x86_64 true uploaded'], after.stderr);
  const [full] = await untilCompiled(server, game, buildId);
  assert.equal(full?.has_lines, true);
  const again = await run(['--build-id', buildId, 'half/app']);
  assert.deepEqual([again.shown, again.warnings], [['app x86_64 true present'], []]);
});

test('--dry-run converts and warns about what is missing, without a server', options, async () => {
  await put('gaps/stripped/app', await corpus('elf-x86_64-gcc-debuglink/app'));
  await put('gaps/other/engine.exe', await corpus('pdb-x86_64-clang-O2/engine.exe'));
  await put('gaps/other/engine.pdb', await corpus('pdb-x86_64-clang-O0/engine.pdb'));
  await put('gaps/damaged/broken.pdb', (await corpus('pdb-x86_64-clang-O0/engine.pdb')).subarray(0, 20_000));
  await put('gaps/object.o', await corpus('macho-arm64-object/physics-arm64.o'));
  const { code, shown, warnings, stderr } = await run(['--dry-run', 'gaps'], false);
  assert.equal(code, 0, stderr);
  assert.deepEqual(shown, [
    'app x86_64 true not_sent',
    'engine.pdb x86_64 false not_sent',
    'engine.pdb x86_64 true not_sent',
  ]);
  const [damaged, ...missing] = warnings;
  assert.match(damaged ?? '', /^damaged\/broken\.pdb is left out because it can't be read: /);
  assert.ok(
    missing.some((line) =>
      /^stripped\/app has no debug information.*before it was stripped, or its debug file/.test(line),
    ),
    warnings.join('\n'),
  );
  assert.ok(
    missing.some((line) =>
      /^other\/engine\.pdb belongs to another build than other\/engine\.exe: its id is/.test(line),
    ),
    warnings.join('\n'),
  );
});

test('symbol files are found by their content, compressed, and next to other files of an archive', async () => {
  const files = [
    { name: 'LICENSE', data: 'text' },
    { name: 'breakpad_symbols/one/1/one.sym', data: symText({ file: 'one' }), method: 8 },
    { name: 'version', data: '1.2.3' },
  ];
  await put('found/electron-symbols.zip', buildZip(files));
  await put('found/two.sym.gz', gzipSync(symText({ file: 'two' })));
  await put('found/three', symText({ file: 'three' }));
  await put('found/image.gz', gzipSync('an image'));
  await put('found/broken.zip', Buffer.from('PK\x03\x04 and no more'));
  const buildId = await register(server, game, { version: 'found' });
  const { code, shown, warnings, stderr } = await run(['--build-id', buildId, 'found']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    shown,
    ['one', 'three', 'two'].map((name) => `${name} x86_64 false uploaded`),
  );
  assert.match(warnings.join(), /^broken\.zip cannot be unpacked: .*truncated\. Check/);
  assert.equal((await symbolsOf(server, game, buildId)).length, 3);
  const named = await run(['--build-id', buildId, 'found/broken.zip']);
  assert.deepEqual([named.code, named.output.error.code], [1, 'usage']);
});

test('files of other kinds with the extension of symbol files are left out next to native ones', options, async () => {
  await put('unreal/game', await corpus('elf-x86_64-gcc-debuglink/app'));
  await put('unreal/game.debug', await corpus('elf-x86_64-gcc-debuglink/app.debug'));
  await put('unreal/game.sym', Buffer.from('\0\0\0\x10 of another kind'));
  const { code, shown, warnings } = await run(['--dry-run', 'unreal'], false);
  assert.deepEqual([code, shown], [0, ['game x86_64 true not_sent']]);
  assert.match(warnings.join(), /^game\.sym is not a Breakpad symbol file: .* It is left out\.$/);
});

test('a symbol file is used instead of the native files of its module', options, async () => {
  const reference = await corpus('elf-x86_64-gcc-debuglink/reference.sym');
  await put('both/app.sym', reference);
  await put('both/app', await corpus('elf-x86_64-gcc-debuglink/app'));
  await cp(join(CORPUS, 'elf-x86_64-gcc-debuglink/app.debug'), join(command.folder, 'both/app.debug'));
  const { rows, warnings } = await run(['--dry-run', 'both'], false);
  assert.deepEqual([rows.length, warnings], [1, []]);
});
