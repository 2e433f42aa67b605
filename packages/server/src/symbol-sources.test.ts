import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

test('symbol servers have a kind, an address and perhaps a password, and are separated by spaces or commas', () => {
  const read = (value: string, others = {}) => readConfig({ CHAUFFEUR_SYMBOL_SOURCES: value, ...others }).symbolSources;
  assert.equal(readConfig({}).symbolSources, undefined);
  assert.deepEqual(read('breakpad+https://a.example, Breakpad+https://us%40er:p%3Aw@b.example/files'), [
    { kind: 'breakpad', url: 'https://a.example/', authorization: undefined },
    { kind: 'breakpad', url: 'https://b.example/files/', authorization: `Basic ${btoa('us@er:p:w')}` },
  ]);
  assert.deepEqual(
    read('debuginfod+https://a.example microsoft+https://a.example')?.map(({ kind }) => kind),
    ['debuginfod', 'microsoft'],
  );
  assert.equal(
    read('breakpad+http://a.example', { CHAUFFEUR_SYMBOL_PRIVATE_HOSTS: '1' })?.[0]?.url,
    'http://a.example/',
  );
});

test('symbol servers that cannot be used are refused without their passwords', () => {
  for (const [value, problem] of [
    ['https://user:s3cret@a.example', /use addresses such as breakpad\+https/],
    ['breakpad+user:s3cret', /use addresses such as/],
    ['breakpad+ftp://user:s3cret@a.example', /use addresses such as/],
    ['apple+https://user:s3cret@a.example', /use addresses such as/],
    ['breakpad+https://user:s3cret@a.example/?key=1', /without a query/],
    ['breakpad+https://a.example breakpad+https://user:s3cret@a.example/', /each address once/],
    ['breakpad+http://user:s3cret@a.example', /use https, or set CHAUFFEUR_SYMBOL_PRIVATE_HOSTS/],
    [Array.from({ length: 17 }, (_, no) => `breakpad+https://user:s3cret@a${no}.example`).join(' '), /at most 16/],
    ['breakpad+https://%:s3cret@a.example', /percent-encode/],
  ] as const)
    assert.throws(
      () => readConfig({ CHAUFFEUR_SYMBOL_SOURCES: value }),
      ({ message }: Error) => problem.test(message) && !message.includes('s3cret'),
      value,
    );
});
