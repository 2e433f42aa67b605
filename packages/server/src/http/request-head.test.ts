import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findHeadProblem } from './request-head.ts';

function problemOf(lines: readonly string[], { url = '/health', httpVersion = '1.1' } = {}): string | null {
  const rawHeaders = lines.flatMap((line) => line.split(/: ?(.*)/s, 2));
  return findHeadProblem({ rawHeaders, url, httpVersion });
}

describe('the head of a request', () => {
  test('may name a host, an address or a name in a local network, with or without a port', () => {
    for (const host of [
      'games.example.com',
      'GAMES.example:443',
      'localhost:4000',
      '127.0.0.1:4000',
      '[::1]:4000',
      'my_app',
      'a.b.',
      'a:',
    ])
      assert.equal(problemOf([`Host: ${host}`]), null, host);
  });

  test('has a host that is only a host', () => {
    for (const host of [
      '',
      'user@games.example',
      'a b',
      'a,b',
      'a/b',
      'a#b',
      'a?b',
      'a\\b',
      '%61',
      '[::1',
      '[::g]',
      'a:x',
      'a:99999',
      'a:1:2',
      ':80',
      '-a',
      'ö',
      '*',
    ])
      assert.match(problemOf([`Host: ${host}`]) ?? '', /^Host: /, host);
  });

  test('has a host in HTTP/1.1', () => {
    assert.match(problemOf([]) ?? '', /^Host: missing/);
    assert.equal(problemOf([], { httpVersion: '1.0' }), null);
    assert.match(problemOf(['Host: a'], { httpVersion: '2.0' }) ?? '', /version of HTTP/);
  });

  test('has each header once that decides something, also with the same value', () => {
    for (const name of ['Host', 'host', 'Authorization', 'Origin', 'Content-Type', 'X-Secret-Key', 'Sec-Fetch-Site'])
      assert.match(problemOf(['Host: a', `${name}: a`, `${name.toUpperCase()}: a`]) ?? '', /sent twice/, name);
    assert.equal(
      problemOf(['Host: a', 'Cookie: a=b', 'Cookie: c=d', 'X-Forwarded-For: a', 'X-Forwarded-For: b']),
      null,
    );
  });

  test('has the same host in an absolute target', () => {
    assert.equal(problemOf(['Host: A:80'], { url: 'http://a:80/health' }), null);
    for (const url of ['http://b/health', 'http://a@b/', 'http://u:p@a:80/', 'https://a', 'http:///x', 'ftp://b/'])
      assert.match(problemOf(['Host: a:80'], { url }) ?? '', /requested URL/, url);
    assert.equal(problemOf(['Host: a'], { url: '//b/health' }), null, 'a path with two slashes');
    assert.equal(problemOf(['Host: a'], { url: '/?next=http://b/' }), null, 'a URL in the query');
  });

  test('has no encoding of the body but chunks', () => {
    const body = (encoding: string, httpVersion: string) =>
      problemOf(['Host: a', `Transfer-Encoding: ${encoding}`], { httpVersion });
    assert.equal(body('Chunked', '1.1'), null);
    for (const encoding of ['gzip, chunked', 'identity', 'chunked, chunked', ' '])
      assert.match(body(encoding, '1.1') ?? '', /only chunked/, encoding);
    assert.equal(body('chunked', '1.0'), null, 'crash reporters send this');
  });
});
