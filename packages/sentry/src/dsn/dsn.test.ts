import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type RequestHead, readCredentials } from './credentials.ts';
import { endpointOf, formatDsn, parseDsn } from './dsn.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const OTHER = 'ffffffffffffffffffffffffffffffff';

describe('parseDsn', () => {
  it('reads what formatDsn wrote', () => {
    for (const origin of ['https://games.example.com', 'http://localhost:8080', 'https://example.com/base/path']) {
      const dsn = { key: KEY, project: '42', origin };
      assert.deepEqual(parseDsn(formatDsn(dsn)), dsn);
    }
  });

  it('keeps the folder before the project in addresses of endpoints', () => {
    const dsn = parseDsn(`https://${KEY}:secret@example.com/base/path/42/`);
    assert.equal(dsn && endpointOf(dsn, 'envelope'), 'https://example.com/base/path/api/42/envelope/');
  });

  it('is null for anything else', () => {
    for (const text of [
      null,
      42,
      '',
      'https://example.com/42',
      `ftp://${KEY}@example.com/42`,
      `https://${KEY}@example.com/`,
    ])
      assert.equal(parseDsn(text), null);
    assert.equal(parseDsn(`https://${KEY}@example.com/game`), null);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseDsn(text) === null));
  });

  it('takes linear time', () => {
    const start = process.cpuUsage();
    for (const piece of ['https://', '@', ':', '/', 'a@', 'a:']) parseDsn(`https://${piece.repeat(1000)}`);
    assert.ok(process.cpuUsage(start).user < 200_000);
  });
});

function read(head: Partial<Omit<RequestHead, 'query'>> & { query?: string }) {
  const { key, project, client } = readCredentials({
    headers: {},
    project: '42',
    ...head,
    query: new URLSearchParams(head.query ?? ''),
  });
  return { key, project, client };
}

describe('readCredentials', () => {
  it('reads the header with any separators, order and case', () => {
    const forms = [
      `Sentry sentry_key=${KEY}, sentry_version=7, sentry_client=a/1`,
      `Sentry sentry_version=7,sentry_client=a/1,sentry_key=${KEY}`,
      `sentry sentry_timestamp=1.5; sentry_client="a/1"; SENTRY_KEY=${KEY}`,
      `sentry_key=${KEY}  sentry_client=a/1`,
    ];
    for (const header of forms)
      for (const name of ['x-sentry-auth', 'authorization'])
        assert.deepEqual(read({ headers: { [name]: header } }), { key: KEY, project: '42', client: 'a/1' });
  });

  it('reads the query, the path and the DSN of an envelope', () => {
    const query = `sentry_client=sentry.native/0.4.9&sentry_key=${KEY}&guid=1`;
    assert.deepEqual(read({ query }), { key: KEY, project: '42', client: 'sentry.native/0.4.9' });
    assert.equal(read({ pathKey: KEY }).key, KEY);
    const dsn = `http://${KEY}@games.example.com/42`;
    assert.deepEqual(read({ project: undefined, dsn }), { key: KEY, project: '42', client: '' });
    assert.equal(read({ headers: { authorization: `DSN ${dsn}` } }).key, KEY);
  });

  it('prefers the header, then the query, then the path', () => {
    const headers = { 'x-sentry-auth': `Sentry sentry_key=${KEY}` };
    assert.equal(read({ headers, query: `sentry_key=${OTHER}`, pathKey: OTHER }).key, KEY);
    assert.equal(read({ query: `sentry_key=${KEY}`, pathKey: OTHER }).key, KEY);
    assert.equal(read({ headers, dsn: `https://${OTHER}@example.com/42` }).key, KEY);
  });

  it('takes no token of another scheme for a key', () => {
    assert.throws(() => read({ headers: { authorization: `Bearer sentry_key=${KEY}` } }), { code: 'bad-credentials' });
  });

  it('refuses requests without a key or a project, and two projects', () => {
    const dsn = `https://${KEY}@example.com/43`;
    assert.throws(() => read({}), { code: 'bad-credentials' });
    assert.throws(() => read({ query: 'sentry_key=../x' }), { code: 'bad-credentials' });
    assert.throws(() => read({ project: undefined, query: `sentry_key=${KEY}` }), { code: 'bad-credentials' });
    assert.throws(() => read({ project: 'game', query: `sentry_key=${KEY}` }), { code: 'bad-credentials' });
    assert.throws(() => read({ query: `sentry_key=${KEY}`, dsn }), { code: 'bad-credentials' });
  });

  it('throws no other error for any header and query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (header, query) => {
        try {
          read({ headers: { 'x-sentry-auth': `Sentry ${header}`, authorization: header }, query });
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'bad-credentials');
        }
      }),
    );
  });
});
