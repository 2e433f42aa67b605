import assert from 'node:assert/strict';
import { test } from 'node:test';
import { downloadNameOf } from './store-requests.ts';

const build = { version: '1.2.0', build_type: 'game', os: 'windows', arch: 'x86_64' };
const nameOf = (changes: Partial<typeof build>, uploaded = 'game.zip') =>
  downloadNameOf('night-owls', { ...build, ...changes }, uploaded);

test('the name of a download begins with the slug of the game', () => {
  assert.equal(nameOf({}), 'night-owls-1.2.0-windows-x86_64.zip');
  assert.equal(nameOf({ build_type: 'server' }), 'night-owls-server-1.2.0-windows-x86_64.zip');
  assert.equal(nameOf({}, 'night-owls-gold.zip'), 'night-owls-gold.zip');
});

test('a version becomes a part of a file name that every OS allows', () => {
  for (const [version, part] of [
    ['feature/boss: 2 "x"', 'feature-boss-2-x'],
    ['1.0-β', '1.0-β'],
    ['..\\..\\a', '..-..-a'],
    ['v1*', 'v1'],
    ['?', ''],
  ] as const)
    assert.equal(nameOf({ version }), `night-owls-${part}${part === '' ? '' : '-'}windows-x86_64.zip`);
});
