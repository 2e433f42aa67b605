import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSecret, sealSecret } from './sealed.ts';
import { deriveKey } from './signed-token.ts';

const key = deriveKey('secret', 'tests');

test('a sealed secret is opened with its key for its owner', () => {
  for (const text of ['', 'ghp_1234', 'ü'.repeat(500)])
    assert.equal(openSecret(key, 'a', sealSecret(key, 'a', text)), text);
  assert.notDeepEqual(sealSecret(key, 'a', 'x'), sealSecret(key, 'a', 'x'));
});

test('a sealed secret is not opened with another key, for another owner, or after a change of any byte', () => {
  const sealed = sealSecret(key, 'a', 'ghp_1234');
  assert.equal(openSecret(deriveKey('other', 'tests'), 'a', sealed), null);
  assert.equal(openSecret(key, 'b', sealed), null);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    assert.equal(openSecret(key, 'a', changed), null);
    assert.equal(openSecret(key, 'a', sealed.subarray(0, at)), null);
  }
});
