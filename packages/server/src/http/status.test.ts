import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { metricsAccess } from './status.ts';

const here = { remoteAddress: '127.0.0.1', headers: { host: '127.0.0.1:4000' } };

describe('/metrics without a token', () => {
  test('is available to programs on the same machine, by any of its names', () => {
    for (const remoteAddress of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
      for (const host of ['localhost', 'localhost:4000', '127.0.0.1:4000', '[::1]:4000'])
        assert.equal(
          metricsAccess(undefined, { remoteAddress, headers: { host } }),
          'open',
          `${remoteAddress} ${host}`,
        );
  });

  test('is not available to other machines', () => {
    for (const remoteAddress of ['192.168.1.5', '203.0.113.9', '::ffff:192.168.1.5', '2001:db8::1', '', undefined])
      assert.equal(metricsAccess(undefined, { ...here, remoteAddress }), 'closed', String(remoteAddress));
  });

  test('is not available through a proxy on the same machine', () => {
    const proxied: Record<string, string>[] = [
      { 'x-forwarded-for': '203.0.113.9' },
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-for': '' },
      { 'x-real-ip': '203.0.113.9' },
      { 'x-forwarded-proto': 'https' },
      { forwarded: 'for=203.0.113.9' },
      { via: '1.1 proxy' },
      { host: 'games.example.com' },
      { host: 'localhost.evil.example' },
      { host: '' },
    ];
    for (const headers of proxied)
      assert.equal(
        metricsAccess(undefined, { ...here, headers: { ...here.headers, ...headers } }),
        'closed',
        JSON.stringify(headers),
      );
    assert.equal(metricsAccess(undefined, { ...here, headers: {} }), 'closed');
  });
});

describe('/metrics with a token', () => {
  const from = (authorization?: string) =>
    metricsAccess('a token', {
      remoteAddress: '203.0.113.9',
      headers: authorization === undefined ? {} : { authorization },
    });

  test('is available with the token from anywhere', () => {
    assert.deepEqual([from('Bearer a token'), from('bearer a token')], ['open', 'open']);
  });

  test('is not available without the token, even on the same machine', () => {
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Bearer a toke',
      'Bearer a tokens',
      'Basic a token',
      'a token',
    ])
      assert.equal(from(authorization), 'token needed', String(authorization));
    assert.equal(metricsAccess('a token', here), 'token needed');
  });
});
