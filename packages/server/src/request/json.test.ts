import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { UnreadableBodyError } from './body.ts';
import { hasMoreValues, parseJson } from './json.ts';

describe('parseJson', () => {
  it('returns the value, without a byte order mark', () => {
    assert.deepEqual(parseJson(Buffer.from('\ufeff{"a":[1,"ü"]}')), { a: [1, 'ü'] });
    assert.equal(parseJson(Buffer.alloc(0)), undefined);
  });

  it('refuses what is not UTF-8 or not JSON', () => {
    assert.throws(() => parseJson(Buffer.from('{"a":"\xff"}', 'latin1')), /not well-formed UTF-8/);
    assert.throws(() => parseJson(Buffer.from('{"a":')), /not well-formed JSON/);
  });

  it('says that a body is UTF-16 or UTF-32, with or without a byte order mark', () => {
    const utf16 = Buffer.from('{"a":1}', 'utf16le');
    const utf32 = Buffer.from([...'{}'].flatMap((char) => [char.charCodeAt(0), 0, 0, 0]));
    const marked = Buffer.from('\ufeff{"a":1}', 'utf16le');
    for (const bytes of [utf16, Buffer.from(utf16).swap16(), marked, Buffer.from(marked).swap16(), utf32])
      assert.throws(
        () => parseJson(bytes),
        /^UnreadableBodyError: body: not well-formed UTF-8, because it is UTF-16 or UTF-32\. Encode it as UTF-8\.$/,
      );
  });

  it('refuses more values than allowed before it parses them', () => {
    assert.throws(() => parseJson(Buffer.from('[{},{},{},'), 3), UnreadableBodyError);
    assert.throws(() => parseJson(Buffer.from('[{},{},{}]'), 3), /more than 3 values/);
  });
});

describe('hasMoreValues', () => {
  it('does not count what is in a text', () => {
    const text = Buffer.from(JSON.stringify({ text: '[{,"\\'.repeat(100) }));
    assert.equal(hasMoreValues(text, 2), false);
  });

  it('counts from one value less to twice as many', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = Buffer.from(JSON.stringify(value));
        const values = countValues(value);
        assert.equal(hasMoreValues(json, 2 * values), false);
        if (values > 1) assert.equal(hasMoreValues(json, values - 2), true);
      }),
    );
  });
});

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + countValues(item), 1);
}
