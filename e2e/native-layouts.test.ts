// The folders and archives that engines and tools leave behind, made by hand of a game's real files: `chauffeur symbols`
// takes each as it is. What is missing is named.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  hasCompilers,
  type NativeGame,
  NO_COMPILERS,
  SOURCES,
  splitDebugFile,
  TOOLCHAINS,
} from './setup/native-game.ts';
import { makeFolder, runCommand } from './setup/processes.ts';

const run = promisify(execFile);

type Module = { debug_file: string; functions: number; lines: number; unwind: boolean };
type Sent = { modules: Module[]; warnings?: string[] };

/** The functions of the game that are not inlined, and at least as many. */
const FUNCTIONS = 4;

describe('chauffeur symbols', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let canBuild: boolean;
  let games: { linux: NativeGame; windows: NativeGame; mac: NativeGame };
  let debugFile: string;
  let count = 0;

  before(async () => {
    [canBuild, work] = await Promise.all([hasCompilers(), makeFolder()]);
    if (!canBuild) return;
    const [linux, , windows, mac] = await Promise.all(
      TOOLCHAINS.map(({ build }, index) => build(join(work.path, `${index}`))),
    );
    games = { linux: linux!, windows: windows!, mac: mac! };
    debugFile = await splitDebugFile(linux!.program);
  });
  after(() => work.remove());

  /** Puts files, or the text of files, at these paths of a new folder. */
  async function layOut(files: Readonly<Record<string, string | { text: string }>>): Promise<string> {
    const folder = join(work.path, `layout-${count++}`);
    for (const [path, from] of Object.entries(files)) {
      const to = join(folder, path);
      await mkdir(dirname(to), { recursive: true });
      if (typeof from === 'string') await cp(from, to, { recursive: true });
      else await writeFile(to, from.text);
    }
    return folder;
  }

  async function zipOf(folder: string, name: string): Promise<string> {
    const path = join(work.path, name);
    await run('zip', ['-q', '-r', path, '.'], { cwd: folder });
    await rm(folder, { recursive: true });
    return path;
  }

  async function read(...paths: string[]): Promise<Sent> {
    const args = ['symbols', '--dry-run', '--json', ...paths];
    const { code, stdout, stderr } = await runCommand(args, { environment: {}, folder: work.path });
    assert.equal(code, 0, `${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  async function buildWithMinGw(program: string): Promise<void> {
    const sources = ['knight', 'main', 'world'].map((part) => join(SOURCES, `${part}.cc`));
    const flags = ['--target=x86_64-w64-mingw32', '-std=c++17', '-g', '-O2', '-nostdinc++', '-funwind-tables'];
    const freestanding = ['-ffreestanding', '-fno-exceptions', '-fno-rtti', '-nostdlib', '-fuse-ld=lld'];
    await run('clang++', [...flags, ...freestanding, '-Wl,--entry=entry_point', ...sources, '-o', program]);
  }

  async function changeTimestamp(program: string): Promise<void> {
    const bytes = await readFile(program);
    const at = bytes.readUInt32LE(60) + 8;
    bytes.writeUInt32LE(bytes.readUInt32LE(at) ^ 1, at);
    await writeFile(program, bytes);
  }

  /** There is one module, with everything that a stack needs. */
  function assertWhole({ modules, warnings = [] }: Sent, name: string): void {
    assert.deepEqual(
      modules.map(({ debug_file, unwind }) => [debug_file, unwind]),
      [[name, true]],
    );
    const [module] = modules;
    assert.ok(module!.functions >= FUNCTIONS && module!.lines > 20, JSON.stringify(module));
    assert.deepEqual(warnings, []);
  }

  test('takes an archive of Xcode, as a folder and as a zip', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const archive = 'Knights.xcarchive';
    const dsym = `${archive}/dSYMs/Knights.app.dSYM/Contents`;
    const folder = await layOut({
      [`${archive}/Info.plist`]: { text: '<plist/>' },
      [`${archive}/Products/Applications/Knights.app/Contents/Info.plist`]: { text: '<plist/>' },
      [`${archive}/Products/Applications/Knights.app/Contents/MacOS/Knights`]: games.mac.program,
      [`${dsym}/Info.plist`]: { text: '<plist/>' },
      [`${dsym}/Resources/DWARF/Knights`]: `${games.mac.program}.dSYM/Contents/Resources/DWARF/game`,
    });
    assertWhole(await read(folder), 'Knights');
    assertWhole(await read(await zipOf(folder, 'Knights.xcarchive.zip')), 'Knights');
  });

  test('takes a packaged game of Unreal Engine, and names the symbol file that it cannot read', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const name = 'Knights-Win64-Shipping';
    const windows = await layOut({
      'Windows/Knights.exe': { text: 'MZ' },
      'Windows/Knights/Content/Paks/Knights.pak': { text: 'a pak' },
      [`Windows/Knights/Binaries/Win64/${name}.exe`]: games.windows.program,
      [`Windows/Knights/Binaries/Win64/${name}.pdb`]: join(games.windows.folder, 'game.pdb'),
    });
    const { modules } = await read(windows);
    assert.deepEqual(
      modules.map(({ functions, unwind }) => [functions >= FUNCTIONS, unwind]),
      [[true, true]],
    );
    const linux = await layOut({
      'Linux/Knights/Binaries/Linux/Knights-Linux-Shipping': games.linux.played,
      'Linux/Knights/Binaries/Linux/Knights-Linux-Shipping.debug': debugFile,
      'Linux/Knights/Binaries/Linux/Knights-Linux-Shipping.sym': { text: 'records of another format' },
    });
    const { warnings, ...sent } = await read(linux);
    assertWhole(sent, 'Knights-Linux-Shipping');
    assert.match(warnings?.join('\n') ?? '', /Knights-Linux-Shipping\.sym.* is left out/);
  });

  test('takes a template of Godot with its debug file', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const name = 'godot.linuxbsd.template_release.x86_64';
    const folder = await layOut({ [name]: games.linux.played, [`${name}.debugsymbols`]: debugFile });
    assertWhole(await read(folder), name);
  });

  test('takes a template of Godot for Windows, built with MinGW, with its debug file', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const name = 'godot.windows.template_release.x86_64.exe';
    const folder = await layOut({ 'README.txt': { text: 'a template' } });
    const program = join(folder, name);
    await buildWithMinGw(program);
    const debug = await splitDebugFile(program);
    const symbols = `${program}.debugsymbols`;
    await rename(debug, symbols);
    await run('strip', ['--strip-debug', '--strip-unneeded', program]);
    await run('objcopy', [`--add-gnu-debuglink=${symbols}`, program]);
    assertWhole(await read(folder), name);
    // Alone, it has the names.
    const { modules, warnings } = await read(symbols);
    assert.deepEqual(
      modules.map(({ functions, unwind }) => [functions >= FUNCTIONS, unwind]),
      [[true, false]],
    );
    assert.match(warnings?.join('\n') ?? '', /its program is missing/);
  });

  test('knows the debug file of MinGW that was split off later by its checksum or code', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    for (const link of [true, false]) {
      const folder = await layOut({ 'README.txt': { text: link ? 'with a link' : 'without a link' } });
      const program = join(folder, 'game.exe');
      await buildWithMinGw(program);
      const debug = await splitDebugFile(program);
      await run('strip', ['--strip-debug', program]);
      if (link) await run('objcopy', [`--add-gnu-debuglink=${debug}`, program]);
      // `strip` does so when the program was linked earlier.
      await changeTimestamp(program);
      assertWhole(await read(program, debug), 'game.exe');
      await appendFile(debug, Buffer.alloc(16));
      if (link) await assert.rejects(read(program, debug), /are not of the same build/);
    }
  });

  test('takes the symbols of Unity for Android with the APK, and asks for it', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const symbols = await layOut({ 'arm64-v8a/libil2cpp.dbg.so': debugFile });
    const zip = await zipOf(symbols, 'knights-1.0-v1-IL2CPP.symbols.zip');
    const apk = await zipOf(await layOut({ 'lib/arm64-v8a/libil2cpp.so': games.linux.played }), 'knights.apk');
    assertWhole(await read(zip, apk), 'libil2cpp.so');
    const { modules, warnings } = await read(zip);
    assert.deepEqual(
      modules.map(({ functions, unwind }) => [functions >= FUNCTIONS, unwind]),
      [[true, false]],
    );
    assert.match(warnings?.join('\n') ?? '', /its program is missing, so there is no unwind data/);
  });

  test('takes the folder that Unity keeps next to a build for Windows, with the build', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const folder = await layOut({
      'Knights.exe': { text: 'MZ' },
      'GameAssembly.dll': games.windows.program,
      'Knights_BackUpThisFolder_ButDontShipItWithYourGame/GameAssembly.pdb': join(games.windows.folder, 'game.pdb'),
      'Knights_BackUpThisFolder_ButDontShipItWithYourGame/il2cppOutput/Knights.cpp': { text: 'int x;' },
    });
    const { modules } = await read(folder);
    assert.deepEqual(
      modules.map(({ functions, unwind }) => [functions >= FUNCTIONS, unwind]),
      [[true, true]],
    );
  });

  test('takes the archive of symbols that Electron publishes', async (t) => {
    if (!canBuild) return t.skip(NO_COMPILERS);
    const converter = join(import.meta.dirname, '..', 'packages/debug-symbols/src/main.ts');
    const sym = join(work.path, 'electron.sym');
    await run(process.execPath, [converter, games.linux.program, '-o', sym]);
    const folder = await layOut({
      LICENSE: { text: 'a licence' },
      version: { text: '40.0.0' },
      'breakpad_symbols/game/0123456789ABCDEF0123456789ABCDEF0/game.sym': sym,
    });
    assertWhole(await read(await zipOf(folder, 'electron-v40.0.0-linux-x64-symbols.zip')), 'game');
  });
});
