import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAsked, scopesOf, stateOf } from './reach.ts';

const request = (more: Record<string, string> = {}) =>
  new URLSearchParams({
    client_id: 'c1',
    scope: 'mcp:read mcp:write offline_access',
    redirect_uri: 'http://127.0.0.1:3118/callback',
    sig: 's',
    ...more,
  }).toString();

describe('what a program asks for', () => {
  test('is read out of the request, which is kept as it came', () => {
    const text = request();
    assert.deepEqual(readAsked(text), { query: text, clientId: 'c1', asksToWrite: true, site: null, scheme: null });
  });

  test('names the site that the answer goes to, or the scheme of another program', () => {
    assert.equal(readAsked(request({ redirect_uri: 'https://agents.example:8443/back' }))?.site, 'agents.example:8443');
    assert.equal(readAsked(request({ redirect_uri: 'https://localhost.example/back' }))?.site, 'localhost.example');
    assert.equal(readAsked(request({ redirect_uri: 'com.example.agent:/back' }))?.scheme, 'com.example.agent:');
  });

  test('is nothing without a program or a place for the answer', () => {
    assert.equal(readAsked(''), null);
    assert.equal(readAsked('client_id=c1&redirect_uri=nowhere'), null);
  });

  test('shrinks to what the person allows', () => {
    const asked = readAsked(request())!;
    assert.equal(scopesOf(asked, true), 'mcp:read mcp:write offline_access');
    assert.equal(scopesOf(asked, false), 'mcp:read offline_access');
  });
});

test('a key works until it is revoked or its time is over', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  assert.equal(stateOf({ revoked_at: null, expires_at: null }, now), 'works');
  assert.equal(stateOf({ revoked_at: null, expires_at: '2026-11-21T10:00:00Z' }, now), 'expired');
  assert.equal(stateOf({ revoked_at: '2026-11-20T10:00:00Z', expires_at: '2027-01-01T00:00:00Z' }, now), 'revoked');
});
