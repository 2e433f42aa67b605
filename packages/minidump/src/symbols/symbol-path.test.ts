// Tests that names from a dump become paths that never leave the symbol folder.
import assert from 'node:assert/strict';
import { isAbsolute, join, posix, win32 } from 'node:path';
import { it } from 'node:test';
import fc from 'fast-check';
import { isSafeName, symbolFileName, symbolPathsOf } from './symbol-path.ts';

const ID = '0123456789ABCDEF0123456789ABCDEF0';
const pathsOf = (debugFile: string, debugId = ID) =>
  symbolPathsOf({ debugFile, debugId, codeFile: '', codeId: '' }).map((parts) => parts.join('/'));

const valid: [string, string][] = [
  ['libgame.so', `libgame.so/${ID}/libgame.so.sym`],
  ['game.pdb', `game.pdb/${ID}/game.sym`],
  ['Game.PDB', `Game.PDB/${ID}/Game.sym`],
  ['C:\\build\\out\\game.pdb', `game.pdb/${ID}/game.sym`],
  ['/usr/lib/libc.so.6', `libc.so.6/${ID}/libc.so.6.sym`],
  ['../../etc/passwd', `passwd/${ID}/passwd.sym`],
  ['game.pdb.pdb', `game.pdb.pdb/${ID}/game.pdb.sym`],
  ['.pdb', `.pdb/${ID}/.pdb.sym`],
  ['name with spaces', `name with spaces/${ID}/name with spaces.sym`],
  ['console.pdb', `console.pdb/${ID}/console.sym`],
];
for (const [debugFile, expected] of valid)
  it(`${debugFile} has the path ${expected}`, () => assert.equal(pathsOf(debugFile)[0], expected));

it('tries the lower-case name after the original name, and the id in both cases', () => {
  assert.deepEqual(pathsOf('Game.pdb', 'aB0'), [
    'Game.pdb/aB0/Game.sym',
    'Game.pdb/AB0/Game.sym',
    'Game.pdb/ab0/Game.sym',
    'game.pdb/aB0/game.sym',
    'game.pdb/AB0/game.sym',
    'game.pdb/ab0/game.sym',
  ]);
});

const invalid = [
  '',
  '.',
  '..',
  '...',
  '/',
  '\\',
  'a/..',
  'C:\\..',
  'a\0b',
  'a\nb',
  'c:',
  'file:stream',
  'NUL',
  'nul.pdb',
  'Con',
  'aux.so',
  'COM1',
  'lpt9.x',
  'COM¹',
  'con .pdb',
  'CONIN$',
  'a.',
  'a ',
  '.. ',
  'a?',
  'a*',
  'a|b',
  'x'.repeat(252),
  '\ud800',
];
for (const debugFile of invalid) {
  it(`${JSON.stringify(debugFile.slice(0, 20))} has no path`, () => assert.deepEqual(pathsOf(debugFile), []));
}

it('omits a lower-case name that would be too long', () => {
  const name = 'İ'.repeat(120);
  assert.deepEqual([...new Set(pathsOf(name).map((path) => path.split('/')[0]))], [name]);
});

for (const debugId of ['', '..', '../x', 'A/B', 'A\0', 'A.B', 'A'.repeat(65), 'Ä']) {
  it(`the id ${JSON.stringify(debugId.slice(0, 20))} has no path`, () =>
    assert.deepEqual(pathsOf('game', debugId), []));
}

it('keeps every path of any name below the root on every operating system', () => {
  const name = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[./\\:a \0]{0,12}$/));
  fc.assert(
    fc.property(name, name, (debugFile, debugId) => {
      for (const parts of symbolPathsOf({ debugFile, debugId, codeFile: '', codeId: '' })) {
        for (const part of parts) {
          assert.ok(isSafeName(part) && !isAbsolute(part));
          assert.equal(win32.normalize(part), part);
          assert.equal(posix.normalize(part), part);
        }
        assert.ok(join('/root', ...parts).startsWith('/root/'));
      }
    }),
  );
});

it('returns the symbol file name of a debug file', () => assert.equal(symbolFileName('game.pdb'), 'game.sym'));
