import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine, plainName, quote } from './html-email.ts';

test('a name in an email stays on one line and inside its quotation marks', () => {
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

test('a name for strangers has nothing that email programs make a link of', () => {
  for (const [name, plain] of [
    ['Night Owls', 'Night Owls'],
    ['Owls 2: Return, vol. 3…', 'Owls 2: Return, vol. 3…'],
    ['Win at http://evil.example/x', 'Win at http: //evil. example/x'],
    ['evil.example', 'evil. example'],
    ['evil\u3002example', 'evil\u3002 example'],
    ['www.10.0.0.1', 'www. 10. 0. 0. 1'],
    ['me@evil.example', 'me@ evil. example'],
    ['mailto:me tel:123', 'mailto: me tel: 123'],
    ['a\r\nb', 'a b'],
  ] as const)
    assert.equal(plainName(name), plain);
});
