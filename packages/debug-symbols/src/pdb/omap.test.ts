import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Omap } from './omap.ts';

const PADDING = 0x80000000;

function table(...entries: [from: number, to: number][]): Uint8Array {
  return new Uint8Array(Uint32Array.from(entries.flat()).buffer);
}

function format(omap: Omap, linked: number, size: number): string {
  return omap
    .mapRange(linked, size)
    .map((range) => `${range.linked.toString(16)}>${range.address.toString(16)}+${range.size.toString(16)}`)
    .join(' ');
}

test('follows blocks that were exchanged', () => {
  const omap = new Omap(
    table([0x1000, 0x1020], [0x1010, 0x1000], [0x1030, PADDING]),
    table([0x1000, 0x1010], [0x1020, 0x1000], [0x1030, PADDING]),
  );
  assert.equal(omap.map(0x1004), 0x1024);
  assert.equal(omap.map(0x1018), 0x1008);
  assert.equal(format(omap, 0x1000, 0x30), '1010>1000+30');
  assert.equal(format(omap, 0x1008, 8), '1008>1028+8');
});

test('splits a range that came apart, and joins parts with only padding between them', () => {
  const omap = new Omap(
    table([0x1000, 0x1000], [0x1008, 0x2000], [0x1010, 0x1010], [0x1018, PADDING]),
    table(
      [0x1000, 0x1000],
      [0x1008, PADDING],
      [0x1010, 0x1010],
      [0x1018, PADDING],
      [0x2000, 0x1008],
      [0x2008, PADDING],
    ),
  );
  assert.equal(format(omap, 0x1000, 0x18), '1000>1000+18 1008>2000+8');
});

test('extends a range over the instructions that replaced its last one', () => {
  // Two bytes at 1004 became the five at 1004 and the two at 1009; unchanged code follows at 100b.
  const omap = new Omap(
    table([0x1000, 0x1000], [0x1004, 0x1004], [0x1005, 0x1004], [0x1006, PADDING]),
    table([0x1000, 0x1000], [0x1004, 0x1004], [0x1009, 0x1004], [0x1020, PADDING]),
  );
  assert.equal(format(omap, 0x1000, 6), '1000>1000+b');
  assert.equal(format(omap, 0x1006, 4), '1006>100b+4');
});

test('takes a jump that was added after a block for the code it leads to', () => {
  const omap = new Omap(
    table([0x1000, 0x3000], [0x1008, 0x2000], [0x1010, PADDING]),
    table([0x2000, 0x1008], [0x2008, PADDING], [0x3000, 0x1000], [0x3008, 0x1008], [0x300d, PADDING]),
  );
  assert.equal(format(omap, 0x1000, 0x10), '1008>2000+8 1000>3000+d');
});

test('has no address for code that was removed', () => {
  const omap = new Omap(table([0x1000, 0]), table([0x1000, PADDING]));
  assert.equal(omap.map(0x1000), undefined);
  assert.deepEqual(omap.mapRange(0x1000, 0x100), []);
});

test('uses the table from the old program alone if there is no other', () => {
  const omap = new Omap(table([0x1000, 0x5000], [0x1010, 0x4000], [0x1020, 0]), new Uint8Array());
  assert.equal(omap.map(0x1004), 0x5004);
  assert.equal(omap.map(0x1014), 0x4004);
});
