import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { decodeMsgpack } from './msgpack.ts';

describe('decodeMsgpack', () => {
  it('reads any values that follow each other', () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 6 }),
      fc.array(fc.integer(), { maxLength: 40 }),
      fc.string({ maxLength: 400 }),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (values) => {
        const bytes = Buffer.concat(values.map((each) => encode(each, { ignoreUndefined: true })));
        const plain = (sent: unknown) => JSON.stringify(sent).replaceAll('__proto__', '__proto');
        assert.equal(plain(decodeMsgpack(bytes)), plain(values));
      }),
    );
  });

  it('reads long lists, maps, texts and bytes', () => {
    const values = [
      Array(70_000).fill(7),
      Object.fromEntries(Array.from({ length: 20_000 }, (_, no) => [`k${no}`, no])),
      'x'.repeat(70_000),
      new Uint8Array(70_000),
      'y'.repeat(300),
      [1.5, -1, 2 ** 40, -(2 ** 40), new Date(0)],
    ];
    assert.deepEqual(decodeMsgpack(new Uint8Array(Buffer.concat(values.map((value) => encode(value))))), values);
  });

  const repeat = (bytes: readonly number[], times: number) => Buffer.concat(Array(times).fill(Buffer.from(bytes)));
  for (const [name, bytes] of [
    ['lists of 100,000 items in each other', repeat([0xdd, 0, 1, 0x86, 0xa0], 200_000)],
    ['lists of 60,000 items in each other', repeat([0xdc, 0xea, 0x60], 300_000)],
    ['maps of 100,000 items in each other', repeat([0xdf, 0, 1, 0x86, 0xa0, 0xa1, 0x61], 140_000)],
    ['a million empty maps', repeat([0x80], 1_000_000)],
    ['a million lists in each other', repeat([0x91], 1_000_000)],
    ['a list of four billion items', Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff, 0xc0])],
    ['a text of four billion bytes', Buffer.from([0xdb, 0xff, 0xff, 0xff, 0xff, 0xc0])],
    ['a map of 30,000 fields', Buffer.concat([Buffer.from([0xde, 0x75, 0x30]), repeat([0xa1, 0x61, 0xc0], 30_000)])],
    ['a cut length', Buffer.from([0xdd, 0xff])],
  ] as const)
    it(`takes little memory for ${name}`, () => {
      const before = process.memoryUsage();
      assert.deepEqual(decodeMsgpack(bytes), []);
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      assert.ok(heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers < 64 * 1024 * 1024);
    });
});
