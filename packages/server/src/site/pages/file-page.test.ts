import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findEntries } from './file-page.ts';

const entries = [
  { path: 'Game/Binaries/game.exe', sha256: 'ab12' },
  { path: 'Game/readme.txt', sha256: 'cd34' },
  { path: 'Game/', sha256: null },
];
const pathsOf = (text: string) => findEntries(entries, text).map(({ path }) => path);

it('finds entries by part of the path, ignoring case', () => {
  assert.deepEqual(pathsOf('BINARIES/game'), ['Game/Binaries/game.exe']);
  assert.deepEqual(pathsOf(' readme '), ['Game/readme.txt']);
  assert.deepEqual(pathsOf('nothing'), []);
});

it('finds an entry by the start of its checksum', () => {
  assert.deepEqual(pathsOf('CD3'), ['Game/readme.txt']);
  assert.deepEqual(pathsOf('d34'), []);
});

it('returns all entries for an empty search', () => {
  assert.equal(findEntries(entries, ' '), entries);
});
