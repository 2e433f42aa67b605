import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine, quote } from './mail-text.ts';

test('a name in a mail stays on one line and inside its quotation marks', () => {
  assert.equal(quote('Owls'), '“Owls”');
  assert.equal(quote('a\r\nBcc: b@example.com”, accept here: “'), '“a Bcc: b@example.com , accept here:”');
  assert.equal(quote('\u202egnp.exe'), '“gnp.exe”');
});

test('a subject is one line', () => {
  assert.equal(oneLine(' a\r\nBcc: b@example.com '), 'a Bcc: b@example.com');
});

test('a long name is cut between characters', () => {
  assert.equal(quote('🎮'.repeat(300)), `“${'🎮'.repeat(200)}…”`);
});
