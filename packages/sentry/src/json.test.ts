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

  it('refuses an object with more fields than any event has', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, no) => `"${no}":[1,2]`).join();
    assert.equal(Object.keys(parse(`{${fields(100_000)}}`) as object).length, 100_000);
    assert.equal(parse(`{"a":[],${fields(160_000)}}`), undefined);
    assert.equal((parse(`[${'1,'.repeat(400_000)}1]`) as unknown[]).length, 400_001);
  });

  it('reads neither deeper nor more wrong JSON than clients write', () => {
    assert.equal(parse('{"a":'.repeat(400_000) + 1 + '}'.repeat(400_000)), undefined);
    assert.deepEqual(parse(`{"a":"${'\n'.repeat(40_000)}"}`), { a: '\n'.repeat(40_000) });
    assert.equal(parse(`{"a":"${'\n'.repeat(60_000)}"}`), undefined);
  });

  it('takes no longer for hostile JSON than for any other of its size', () => {
    const size = 8 * 1024 * 1024;
    const measure = (text: string) => {
      const start = process.cpuUsage();
      parse(text);
      return process.cpuUsage(start).user / 1000;
    };
    const usual = measure(`{"a":[${'{"function":"f","lineno":1,"filename":"a.py"},'.repeat(size / 46)}0]}`);
    for (const text of [
      `{"a":"${'\u0001'.repeat(size)}"}`,
      `{"a":"${'\\q'.repeat(size / 2)}"}`,
      `{${Array.from({ length: 700_000 }, (_, no) => `"k${no}":1`).join()}}`,
      `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`,
    ])
      assert.ok(measure(text) < 3 * usual + 100, text.slice(0, 30));
  });

  it('returns in time for any megabytes', () => {
    const start = process.cpuUsage();
    for (const piece of ['"', '\\', '{"a":', '[', 'NaN,', '\n', '"\\x', '-', '"a":"\\', 'n'])
      parse(`{"x":"\\q${piece.repeat(4_000_000 / piece.length)}`);
    assert.ok(process.cpuUsage(start).user < 8_000_000);
  });
});
