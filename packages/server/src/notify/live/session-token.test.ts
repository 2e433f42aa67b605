import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionTokenOf } from './session-token.ts';

test('the token is found among the cookies, without its signature', () => {
  for (const [cookies, token] of [
    ['chauffeur.session_token=abc123.signed%3D', 'abc123'],
    ['a=b; chauffeur.session_token=abc123%2E12; c=d', 'abc123'],
    ['other.session_token=x; __Secure-chauffeur.session_token=y', ''],
    ['other.session_token=abc', ''],
    ['chauffeur.session_token=%', '%'],
    ['', ''],
  ] as const)
    assert.equal(sessionTokenOf(cookies, 'chauffeur.session_token'), token, cookies);
});

test('a cookie of another name, which another host could have set, is not the session', () => {
  const cookies = 'chauffeur.session_token=set.x; __Host-chauffeur.session_token=own.x';
  assert.equal(sessionTokenOf(cookies, '__Host-chauffeur.session_token'), 'own');
});
