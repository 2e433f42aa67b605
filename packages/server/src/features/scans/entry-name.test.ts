import assert from 'node:assert/strict';
import { it } from 'node:test';
import { showName } from './entry-name.ts';

it('shows a name as it is', () => {
  assert.equal(showName('data/größe 🎮.txt'), '“data/größe 🎮.txt”');
});

it('shows nothing that does not print or turns the text around', () => {
  assert.equal(showName('a\0b\nc\u202Ed\u2028e\uD800'), '“a?b?c?d?e?”');
});

it('shows both ends of a long name', () => {
  const shown = showName(`begin${'x'.repeat(70_000)}end.exe`);
  assert.match(shown, /^“beginx+…x+end\.exe”$/);
  assert.ok(shown.length <= 82);
});
