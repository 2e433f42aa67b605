// Tests writing and reading numbers and texts across page borders.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MinidumpError } from '../../error.ts';
import { ByteSink } from './byte-sink.ts';
import { PageReader } from './page-reader.ts';
import { PageWriter } from './page-writer.ts';
import { PAGE_DATA_SIZE, PAGE_SIZE } from './pages.ts';
import { MemoryRangeReader } from './range-reader.ts';

const NUMBERS = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 35 + 3, 2 ** 52 - 1, 2 ** 53 - 1];
const SIGNED = [0, -1, 1, -64, 64, -(2 ** 31), 2 ** 32, -(2 ** 52) + 1, 2 ** 52 - 1];

/** Writes `before` zero bytes and the content of the sink, and returns a reader for them. */
function paged(before: number, sink: ByteSink, maxPages?: number): PageReader {
  const pieces: Uint8Array[] = [];
  const writer = new PageWriter({ write: (bytes) => pieces.push(Uint8Array.from(bytes)) });
  writer.append(new Uint8Array(before));
  assert.equal(writer.append(sink.bytes, 0, sink.length), before);
  const count = writer.finish();
  const bytes = Buffer.concat(pieces);
  assert.equal(bytes.length, count * PAGE_SIZE);
  return new PageReader(new MemoryRangeReader(bytes), count, maxPages);
}

it('reads what was written, with a page border at any position', () => {
  const text = 'né 1234567890';
  for (let before = PAGE_DATA_SIZE - 120; before <= PAGE_DATA_SIZE; before++) {
    const sink = new ByteSink(1);
    for (const number of NUMBERS) sink.varint(number);
    for (const number of SIGNED) sink.signed(number);
    sink.u32(0xfedcba98);
    sink.u64(2 ** 53 - 1);
    sink.f64(-1.5e300);
    sink.text(Buffer.from(text));
    const cursor = paged(before, sink).cursor(before);
    for (const number of NUMBERS) assert.equal(cursor.varint(), number);
    for (const number of SIGNED) assert.equal(cursor.signed(), number);
    assert.equal(cursor.u32(), 0xfedcba98);
    assert.equal(cursor.u64(), 2 ** 53 - 1);
    assert.equal(cursor.f64(), -1.5e300);
    assert.equal(cursor.text(), text);
    assert.equal(cursor.position, before + sink.length);
  }
});

it('reads a text that spans many pages', () => {
  const sink = new ByteSink();
  const text = Array.from({ length: 3000 }, (_, index) => `${index} `).join('');
  sink.text(Buffer.from(text));
  assert.equal(paged(4000, sink).cursor(4000).text(), text);
});

it('keeps a limited number of pages, and a cursor stays valid after its page was dropped', () => {
  const sink = new ByteSink();
  for (let index = 0; index < 10 * PAGE_DATA_SIZE; index++) sink.varint(index % 100);
  const reader = paged(0, sink, 2);
  const cursor = reader.cursor(5);
  for (let page = 9; page > 0; page--)
    assert.equal(reader.cursor(page * PAGE_DATA_SIZE).u8(), (page * PAGE_DATA_SIZE) % 100);
  assert.equal(cursor.u8(), 5);
});

const DAMAGED: [string, (sink: ByteSink) => void, (reader: PageReader) => unknown][] = [
  ['an endless number', (sink) => sink.raw(new Uint8Array(20).fill(0xff)), (reader) => reader.cursor(0).varint()],
  ['a number above 2^53', (sink) => sink.raw(new Uint8Array(8).fill(0xff)), (reader) => reader.cursor(0).u64()],
  ['a text that is too long', (sink) => sink.varint(2 ** 40), (reader) => reader.cursor(0).text()],
  ['a text beyond the end', (sink) => sink.varint(100_000), (reader) => reader.cursor(0).text()],
  ['a position beyond the end', (sink) => sink.varint(1), (reader) => reader.cursor(PAGE_DATA_SIZE)],
  ['a position before the start', (sink) => sink.varint(1), (reader) => reader.cursor(-1)],
];
for (const [damage, fill, read] of DAMAGED) {
  it(`throws \`bad-cache\` for ${damage}`, () => {
    const sink = new ByteSink();
    fill(sink);
    const reader = paged(0, sink);
    assert.throws(
      () => read(reader),
      (error) => error instanceof MinidumpError && error.code === 'bad-cache',
    );
  });
}
