import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWindowsProblem, foldPath } from './file-names.ts';
import { hasHiddenCharacter } from './text.ts';

test('a name with control characters or characters that change the text direction is unsafe', () => {
  for (const code of [
    0x00, 0x07, 0x0a, 0x0d, 0x1b, 0x7f, 0x85, 0x061c, 0x200e, 0x200f, 0x2028, 0x202a, 0x202e, 0x2066, 0x2069,
  ])
    assert.ok(hasHiddenCharacter(`a${String.fromCharCode(code)}b`), code.toString(16));
  for (const name of ['größe 🎮.txt', 'שלום.png', 'a\u200Db', 'a\u00A0b', '日本語'])
    assert.ok(!hasHiddenCharacter(name), name);
});

test('Windows cannot create files named after devices, in any case, folder or with any extension', () => {
  for (const name of [
    'CON',
    'con',
    'nul.txt',
    'Aux.tar.gz',
    'com1',
    'LPT9.log',
    'COM¹',
    'lpt³.x',
    'a/prn/b',
    'con .txt',
    'CONIN$',
  ])
    assert.match(findWindowsProblem(name) ?? '', / is a device$/, name);
  for (const name of ['console', 'CON1', 'com10', 'com', 'a.con', 'xcon.txt', 'COM⁴', 'COM0'])
    assert.equal(findWindowsProblem(name), null, name);
});

test('Windows cannot create names that contain reserved characters, end in a dot or space, or are too long', () => {
  for (const name of ['a:b', 'dir/what?.txt', 'a*', 'a|b', '<a', 'b>', 'say "hi"'])
    assert.match(findWindowsProblem(name) ?? '', /contain/, name);
  for (const name of ['a.', 'a ', 'dir./b', 'dir /b', '...'])
    assert.match(findWindowsProblem(name) ?? '', /end in/, name);
  assert.match(findWindowsProblem(`a/${'x'.repeat(256)}`) ?? '', /longer/);
  for (const name of ['./a', 'a//b', 'a/', ' a', '.hidden', 'x'.repeat(255), 'a b.c', '$Recycle', '[x]{y}~#%&'])
    assert.equal(findWindowsProblem(name), null, name);
});

test("names are compared as the file system of the build's OS compares them", () => {
  assert.equal(foldPath('Data/Map', 'windows'), foldPath('data/MAP', 'windows'));
  assert.equal(foldPath('e\u0301', 'macos'), foldPath('É', 'macos'));
  assert.notEqual(foldPath('e\u0301', 'windows'), foldPath('é', 'windows'));
  for (const os of ['linux', 'web', undefined] as const) assert.equal(foldPath('Data', os), 'Data');
});
