import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { freshSeconds, isDocumentAddress, readAddress, readDocument } from './client-document-rules.ts';

const ADDRESS = 'https://agents.example/client.json';
const document = (more: object = {}) =>
  JSON.stringify({ client_id: ADDRESS, redirect_uris: ['http://127.0.0.1/callback'], ...more });

describe('the address of a document', () => {
  test('is an https URL with a path, with or without a port or query', () => {
    for (const address of [
      ADDRESS,
      'https://a.example:8443/x',
      'https://xn--bcher-kva.example/o?v=1',
      'https://a.example/a/',
    ])
      assert.equal(readAddress(address).href, address);
  });

  test('is no other kind of URL', () => {
    const invalid = [
      ...[
        'http://agents.example/x',
        'https://agents.example',
        'https://agents.example/',
        'https://agents.example/?x=1',
      ],
      ...[
        'https://u@agents.example/x',
        'https://u:p@agents.example/x',
        'https://agents.example/x#',
        'https://agents.example/x#y',
      ],
      ...[
        'https://agents.example/a/../x',
        'https://agents.example/./x',
        'https://agents.example/%2e%2e/x',
        'https:\\agents.example\\x',
      ],
      ...[
        'https://Agents.example/x',
        'HTTPS://agents.example/x',
        'https://agents.example:443/x',
        'https:agents.example/x',
        ' https://a.example/x',
      ],
      ...[
        'https://bücher.example/x',
        'https://127.0.0.1/x',
        'https://2130706433/x',
        'https://0x7f.1/x',
        'https://[::1]/x',
      ],
      ...[
        'https://localhost/x',
        'https://agents.example./x',
        'https:///x',
        'https://',
        `https://a.example/${'x'.repeat(2000)}`,
      ],
    ];
    for (const address of invalid) assert.throws(() => readAddress(address), { name: 'ClientDocumentError' }, address);
  });

  test('has one normalized host and path, however it was typed', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string()), (text) => {
        let url: URL;
        try {
          url = readAddress(text);
        } catch {
          return true;
        }
        const isPlain =
          url.hash === '' && url.username === '' && !url.pathname.split('/').some((part) => /^\.\.?$/.test(part));
        return url.href === text && url.protocol === 'https:' && url.pathname.length > 1 && isPlain;
      }),
    );
  });

  test('cannot be confused with an id issued here', () => {
    assert.equal(isDocumentAddress('aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeF'), false);
    assert.equal(isDocumentAddress('httpsAbCd'), false);
    // It is treated as a document address, so the error explains the refusal.
    assert.equal(isDocumentAddress('http://agents.example/x'), true);
  });
});

describe('a document', () => {
  test('provides a name, redirect addresses and requested scopes', () => {
    const text = document({ client_name: 'Night owl', logo_uri: 'https://agents.example/owl.png', software_id: 'owl' });
    assert.deepEqual(readDocument(ADDRESS, text), {
      name: 'Night owl',
      redirectUris: ['http://127.0.0.1/callback'],
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    const { grantTypes, name } = readDocument(ADDRESS, document({ grant_types: ['authorization_code', 'urn:device'] }));
    assert.deepEqual([grantTypes, name], [['authorization_code'], undefined]);
  });

  test('is refused if it names another address, contains secrets or has the wrong form', () => {
    const invalid = [
      ...['', 'null', '[]', '"x"', '{', '{}', '<html>'],
      document({ client_id: `${ADDRESS}/` }),
      document({ client_id: undefined }),
      document({ token_endpoint_auth_method: 'client_secret_post' }),
      document({ token_endpoint_auth_method: 'private_key_jwt' }),
      document({ token_endpoint_auth_method: null }),
      document({ client_secret: 'x' }),
      document({ redirect_uris: undefined }),
      document({ redirect_uris: [] }),
      document({ redirect_uris: 'http://127.0.0.1/callback' }),
      document({ redirect_uris: [{}] }),
      document({ redirect_uris: Array.from({ length: 21 }, (_, no) => `http://127.0.0.1/${no}`) }),
      document({ grant_types: ['client_credentials'] }),
      document({ client_name: 7 }),
      document({ client_name: 'x'.repeat(201) }),
    ];
    for (const text of invalid) assert.throws(() => readDocument(ADDRESS, text), { name: 'ClientDocumentError' }, text);
  });

  test('is parsed or refused, whatever JSON it contains', () => {
    const fields = fc.record(
      {
        client_id: fc.oneof(fc.constant(ADDRESS), fc.jsonValue()),
        redirect_uris: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
        client_name: fc.jsonValue(),
        grant_types: fc.jsonValue(),
        token_endpoint_auth_method: fc.oneof(fc.constant('none'), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (metadata) => {
        try {
          return readDocument(ADDRESS, JSON.stringify(metadata)).redirectUris.every((uri) => typeof uri === 'string');
        } catch (error) {
          return error instanceof Error && error.name === 'ClientDocumentError';
        }
      }),
    );
  });
});

test('a document is cached as long as it says, between five minutes and a day, and by default for an hour', () => {
  assert.equal(freshSeconds(undefined), 3600);
  assert.equal(freshSeconds('public'), 3600);
  assert.equal(freshSeconds('max-age=7200'), 7200);
  assert.equal(freshSeconds('Public, Max-Age="600", s-maxage=900'), 900);
  assert.equal(freshSeconds('max-age=1'), 300);
  assert.equal(freshSeconds('max-age=99999999999999999999'), 86_400);
  for (const header of ['no-store', 'no-cache, max-age=7200', 'max-age=7200,no-store'])
    assert.equal(freshSeconds(header), 300);
  fc.assert(fc.property(fc.string(), (header) => freshSeconds(header) >= 300 && freshSeconds(header) <= 86_400));
});
