import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionTokenOf } from './session-token.ts';

test('the token is found among the cookies, without its signature', () => {
  for (const [cookies, token] of [
    ['chauffeur.session_token=abc123.signed%3D', 'abc123'],
    ['a=b; __Secure-chauffeur.session_token=abc123%2E12; c=d', 'abc123'],
    ['other.session_token=abc', ''],
    ['chauffeur.session_token=%', '%'],
    ['', ''],
  ] as const)
    assert.equal(sessionTokenOf(cookies), token, cookies);
});
