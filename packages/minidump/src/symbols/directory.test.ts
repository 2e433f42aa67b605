// Tests finding symbols in folders, and creating, reusing, replacing and verifying their caches.
import assert from 'node:assert/strict';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { MinidumpError } from '../error.ts';
import { compileSymbolFile } from './compile-file.ts';
import { SymbolDirectory, type SymbolDirectoryOptions } from './directory.ts';

const ID = '0123456789ABCDEF0123456789ABCDEF0';
const GAME = { debugFile: 'game.pdb', debugId: ID, codeFile: 'game.exe', codeId: '' };
const textOf = (name: string) => `MODULE windows x86 ${ID} game.pdb\nFUNC 10 8 0 ${name}\n`;

describe('SymbolDirectory', () => {
  let root = '';
  let cacheFolder = '';
  let path = '';
  const open: SymbolDirectory[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'minidump-symbols-'));
    cacheFolder = join(root, 'cache');
    path = put(join(root, 'symbols', 'game.pdb', ID, 'game.sym'), textOf('f'));
  });
  afterEach(() => {
    for (const directory of open.splice(0)) directory.close();
    rmSync(root, { recursive: true, force: true });
  });

  const directory = (options: SymbolDirectoryOptions = { cacheFolder }, folders = [join(root, 'symbols')]) => {
    open.push(new SymbolDirectory(folders, options));
    return open.at(-1)!;
  };
  const findCache = () => {
    const [name, ...others] = globSync(join('game.pdb', ID, '*'), { cwd: cacheFolder });
    assert.deepEqual(others, []);
    return join(cacheFolder, name!);
  };
  const nameAt = (source: SymbolDirectory, module = GAME) => source.find(module)?.placeAt(0x10)?.function;

  it('finds a module by its debug id, under its name or any other', () => {
    assert.equal(nameAt(directory()), 'f');
    for (const debugFile of ['C:\\out\\game.pdb', 'other.pdb', 'base.apk!/lib/libgame.so', '..', ''])
      assert.equal(nameAt(directory(), { ...GAME, debugFile }), 'f', debugFile);
    assert.equal(directory().find({ ...GAME, debugId: `${ID}1` }), undefined);
  });

  it('prefers the name if several files have the id', () => {
    put(join(root, 'symbols', 'a.pdb', ID, 'a.sym'), textOf('a'));
    assert.equal(nameAt(directory()), 'f');
    assert.equal(nameAt(directory(), { ...GAME, debugFile: 'a.pdb' }), 'a');
  });

  it('finds a module without a debug id by the code id in the file, and none by an id of zeros', () => {
    const zeros = '0'.repeat(33);
    const text = `MODULE windows x86 ${zeros} godot.exe\nINFO CODE_ID 63CF138F21000 godot.exe\nFUNC 10 8 0 run\n`;
    put(join(root, 'symbols', 'godot.exe', zeros, 'godot.exe.sym'), text);
    const module = { debugFile: '', debugId: '', codeFile: 'my game.exe', codeId: '63cf138f21000' };
    assert.equal(nameAt(directory(), module), 'run');
    assert.equal(nameAt(directory(), { ...module, debugFile: 'godot.exe', debugId: zeros }), 'run');
    assert.equal(directory().find({ ...module, codeId: '63cf138f22000' }), undefined);
    assert.equal(directory().find({ ...module, debugFile: 'godot.exe', debugId: zeros, codeId: '' }), undefined);
  });

  it('finds a module whose name in the dump has a different case', () => {
    assert.equal(nameAt(directory(), { ...GAME, debugFile: 'GAME.pdb', debugId: ID.toLowerCase() }), 'f');
  });

  it('uses the first of several folders that has the symbols', () => {
    const other = put(join(root, 'more', 'game.pdb', ID, 'game.sym'), textOf('g'));
    assert.equal(
      nameAt(directory({ cacheFolder }, [join(root, 'none'), join(root, 'more'), join(root, 'symbols')])),
      'g',
    );
    rmSync(other);
    assert.equal(nameAt(directory({ cacheFolder }, [join(root, 'more'), join(root, 'symbols')])), 'f');
  });

  it('keeps the cache and no other files', () => {
    assert.equal(nameAt(directory()), 'f');
    const before = statSync(findCache()).ino;
    assert.equal(nameAt(directory()), 'f');
    assert.equal(statSync(findCache()).ino, before);
  });

  it('compiles again if the size of the file changed', () => {
    assert.equal(nameAt(directory()), 'f');
    put(path, textOf('longer'));
    assert.equal(nameAt(directory()), 'longer');
  });

  it('compiles again if the time of the file changed', () => {
    assert.equal(nameAt(directory()), 'f');
    put(path, textOf('g'));
    utimesSync(path, 1_000_000, 1_000_000);
    assert.equal(nameAt(directory()), 'g');
  });

  it('compiles again if the cache is cut off, has other content or another version', () => {
    assert.equal(nameAt(directory()), 'f');
    const cachePath = findCache();
    const whole = readFileSync(cachePath);
    const newer = Buffer.from(whole);
    newer[newer.length - 16]! += 1;
    for (const bytes of [whole.subarray(0, -1), Buffer.from('something else'), Buffer.alloc(0), newer]) {
      writeFileSync(cachePath, bytes);
      assert.equal(nameAt(directory()), 'f');
      assert.deepEqual(readFileSync(cachePath), whole);
    }
  });

  it('compiles again if a lookup finds a damaged page', () => {
    assert.equal(nameAt(directory()), 'f');
    const cachePath = findCache();
    const whole = readFileSync(cachePath);
    const damaged = Buffer.from(whole);
    damaged[20]! ^= 1;
    writeFileSync(cachePath, damaged);
    assert.equal(nameAt(directory()), 'f');
    assert.deepEqual(readFileSync(cachePath), whole);
  });

  it('compiles into memory if there is no cache folder or it cannot be created', () => {
    assert.equal(nameAt(directory({})), 'f');
    assert.equal(nameAt(directory({ cacheFolder: join(path, 'folder in a file') })), 'f');
  });

  it('ignores a folder with the name of a symbol file', () => {
    mkdirSync(join(root, 'symbols', 'dir', ID, 'dir.sym'), { recursive: true });
    assert.equal(directory().find({ ...GAME, debugFile: 'dir' }), undefined);
  });

  it('throws for unreadable symbols each time, and creates no cache for them', () => {
    put(path, 'not a symbol file\n');
    const source = directory();
    for (let time = 0; time < 2; time++) {
      assert.throws(
        () => source.find(GAME),
        (error) => error instanceof MinidumpError && error.code === 'bad-symbols',
      );
    }
    assert.deepEqual(globSync('**/game.sym*', { cwd: cacheFolder }), []);
  });

  it('throws a MinidumpError if a damaged cache cannot be compiled again because the symbol file is gone', () => {
    const symbols = directory({ cacheFolder, maxOpen: 1 }).find(GAME);
    const damaged = readFileSync(findCache());
    damaged[20]! ^= 1;
    writeFileSync(findCache(), damaged);
    rmSync(path);
    assert.throws(
      () => symbols?.placeAt(0x10),
      (error) => error instanceof MinidumpError && error.code === 'bad-symbols',
    );
  });

  it('remembers missing symbols until it is closed', () => {
    rmSync(path);
    const source = directory();
    assert.equal(source.find(GAME), undefined);
    put(path, textOf('f'));
    assert.equal(source.find(GAME), undefined);
    source.close();
    assert.equal(nameAt(source), 'f');
  });

  it('reopens symbols that it closed in order to open others', () => {
    const source = directory({ cacheFolder, maxOpen: 2 });
    const all = Array.from({ length: 6 }, (_, index) => {
      put(join(root, 'symbols', `m${index}`, ID, `m${index}.sym`), textOf(`f${index}`));
      return source.find({ ...GAME, debugFile: `m${index}` });
    });
    const names = () => all.map((symbols) => symbols?.placeAt(0x10)?.function);
    assert.deepEqual(names(), ['f0', 'f1', 'f2', 'f3', 'f4', 'f5']);
    source.close();
    assert.deepEqual(names(), ['f0', 'f1', 'f2', 'f3', 'f4', 'f5']);
  });
});

describe('compileSymbolFile', () => {
  it('returns the module and the problems', (context) => {
    const root = mkdtempSync(join(tmpdir(), 'minidump-compile-'));
    context.after(() => rmSync(root, { recursive: true, force: true }));
    const path = put(join(root, 'game.sym'), `${textOf('f')}damaged\n`);
    const { module, problems, problemCount } = compileSymbolFile(path, join(root, 'a', 'b', 'game.cache'));
    assert.deepEqual(module, { os: 'windows', cpu: 'x86', debugId: ID, name: 'game.pdb' });
    assert.equal(problems[0]?.line, 3);
    assert.equal(problemCount, 1);
  });

  it('keeps the old cache and leaves no temporary file if it fails', (context) => {
    const root = mkdtempSync(join(tmpdir(), 'minidump-compile-'));
    context.after(() => rmSync(root, { recursive: true, force: true }));
    const cachePath = put(join(root, 'game.cache'), 'old');
    const path = put(join(root, 'game.sym'), 'not one');
    assert.throws(() => compileSymbolFile(path, cachePath), MinidumpError);
    assert.throws(() => compileSymbolFile(join(root, 'missing'), cachePath), /ENOENT/);
    assert.equal(readFileSync(cachePath, 'utf8'), 'old');
    assert.deepEqual(globSync('*.part', { cwd: root }), []);
    assert.ok(existsSync(path));
  });
});

/** Writes a file and creates its folders. Returns its path. */
function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
