import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findEntries } from './find-entries.ts';

const entries = [
  { path: 'Game/Binaries/game.exe', sha256: 'ab12' },
  { path: 'Game/readme.txt', sha256: 'cd34' },
  { path: 'Game/', sha256: null },
];
const pathsOf = (text: string) => findEntries(entries, text).map(({ path }) => path);

it('finds entries by a part of the path in either case', () => {
  assert.deepEqual(pathsOf('BINARIES/game'), ['Game/Binaries/game.exe']);
  assert.deepEqual(pathsOf(' readme '), ['Game/readme.txt']);
  assert.deepEqual(pathsOf('nothing'), []);
});

it('finds the entry of a checksum by its beginning', () => {
  assert.deepEqual(pathsOf('CD3'), ['Game/readme.txt']);
  assert.deepEqual(pathsOf('d34'), []);
});

it('has all of them when nothing is asked for', () => {
  assert.equal(findEntries(entries, ' '), entries);
});
