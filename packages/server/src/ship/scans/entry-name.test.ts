import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatEntryName } from './zip-rules.ts';

it('keeps an ordinary name', () => {
  assert.equal(formatEntryName('data/größe 🎮.txt'), '“data/größe 🎮.txt”');
});

it('replaces unprintable characters and direction marks', () => {
  assert.equal(formatEntryName('a\0b\nc\u202Ed\u2028e\uD800'), '“a?b?c?d?e?”');
});

it('keeps both ends of a long name', () => {
  const shown = formatEntryName(`begin${'x'.repeat(70_000)}end.exe`);
  assert.match(shown, /^“beginx+…x+end\.exe”$/);
  assert.ok(shown.length <= 82);
});
