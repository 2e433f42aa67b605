import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJson } from './json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(fc.property(fc.json(), (text) => assert.deepEqual(parse(text), JSON.parse(text))));
  });

  const cases: readonly (readonly [text: string, value: unknown])[] = [
    ['\ufeff{"a":1}', { a: 1 }],
    ['{"path":"C:\\Users\\x"}', { path: 'C:\\Users\\x' }],
    ['{"text":"two\nlines\u0001"}', { text: 'two\nlines\u0001' }],
    ['{"a":NaN,"b":-Infinity,"c":[nan,inf]}', { a: null, b: null, c: [null, null] }],
    ['{"a":"NaN \\" inf","b":"\\u0041\\u00"}', { a: 'NaN " inf', b: 'A\\u00' }],
    ['{"a":nano}', undefined],
    ['{"a":1', undefined],
    ['', undefined],
  ];
  for (const [text, value] of cases) it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(parse(text), value));

  it('replaces bytes that are not UTF-8', () => {
    assert.deepEqual(parseJson(Buffer.from([0x22, 0xff, 0x22])), '\ufffd');
  });

  it('refuses more values than allowed', () => {
    assert.equal(parseJson(Buffer.from(`[${'[],'.repeat(2000)}[]]`), 1000), undefined);
    assert.equal(parseJson(Buffer.from(JSON.stringify([','.repeat(5000)])), 1000) === undefined, false);
  });

  it('returns in time for any megabytes', () => {
    const start = process.cpuUsage();
    for (const piece of ['"', '\\', '{"a":', '[', 'NaN,', '\n', '"\\x', '-', '"a":"\\', 'n'])
      parse(`{"x":"\\q${piece.repeat(4_000_000 / piece.length)}`);
    assert.ok(process.cpuUsage(start).user < 8_000_000);
  });
});
