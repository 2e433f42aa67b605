import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConsentRequest, scopesOf, stateOf } from './reach.ts';

const request = (more: Record<string, string> = {}) =>
  new URLSearchParams({
    client_id: 'c1',
    scope: 'mcp:read mcp:write offline_access',
    redirect_uri: 'http://127.0.0.1:3118/callback',
    sig: 's',
    ...more,
  }).toString();

describe('readConsentRequest', () => {
  test('reads the request and keeps it unchanged', () => {
    const text = request();
    assert.deepEqual(readConsentRequest(text), {
      query: text,
      clientId: 'c1',
      asksToWrite: true,
      site: null,
      scheme: null,
    });
  });

  test('returns the host or the URL scheme that receives the access', () => {
    assert.equal(
      readConsentRequest(request({ redirect_uri: 'https://agents.example:8443/back' }))?.site,
      'agents.example:8443',
    );
    assert.equal(
      readConsentRequest(request({ redirect_uri: 'https://localhost.example/back' }))?.site,
      'localhost.example',
    );
    assert.equal(
      readConsentRequest(request({ redirect_uri: 'com.example.agent:/back' }))?.scheme,
      'com.example.agent:',
    );
  });

  test('returns null without a client or a redirect URL', () => {
    assert.equal(readConsentRequest(''), null);
    assert.equal(readConsentRequest('client_id=c1&redirect_uri=nowhere'), null);
  });
});

test('scopesOf keeps only the scopes that the person allows', () => {
  const consent = readConsentRequest(request())!;
  assert.equal(scopesOf(consent, true), 'mcp:read mcp:write offline_access');
  assert.equal(scopesOf(consent, false), 'mcp:read offline_access');
});

test('a key is active until it is revoked or expires', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  assert.equal(stateOf({ revoked_at: null, expires_at: null }, now), 'active');
  assert.equal(stateOf({ revoked_at: null, expires_at: '2026-11-21T10:00:00Z' }, now), 'expired');
  assert.equal(stateOf({ revoked_at: '2026-11-20T10:00:00Z', expires_at: '2027-01-01T00:00:00Z' }, now), 'revoked');
});
