import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressMap } from './address-map.ts';
import { ModuleLines } from './lines.ts';

const ADDRESSES = new AddressMap([{ address: 0x1000, size: 0x1000, executable: true }], undefined);

type Block = { file: number; lines: [offset: number, line: number][] };

/** Builds one subsection: the lines of a piece of code in section 1. */
function subsection(offset: number, size: number, blocks: Block[], columns = false): number[] {
  const words = [offset, 1 | (columns ? 0x10000 : 0), size];
  for (const { file, lines } of blocks) {
    words.push(file, lines.length, 12 + lines.length * (columns ? 12 : 8));
    for (const [at, line] of lines) words.push(at, line);
    if (columns) words.push(...lines.map(() => 0));
  }
  return [...new Uint8Array(Uint32Array.from(words).buffer)];
}

function read(subsections: number[][], start: number, end: number): string[] {
  const bytes: number[] = [];
  const places: number[] = [];
  for (const content of subsections) {
    places.push(bytes.length, bytes.length + content.length);
    bytes.push(...content);
  }
  const found: string[] = [];
  new ModuleLines({ bytes: Uint8Array.from(bytes), places }, ADDRESSES).visit(start, end, (from, to, line, file) => {
    found.push(`${from.toString(16)}-${to.toString(16)} ${file}:${line}`);
  });
  return found;
}

test('orders the lines of a function in several files', () => {
  const content = subsection(0x100, 0x20, [
    { file: 0, lines: [[0, 5], [0x10, 6]] }, // biome-ignore format: pairs
    { file: 24, lines: [[8, 70]] },
  ]);
  assert.deepEqual(read([content], 0x1100, 0x1120), ['1100-1108 0:5', '1108-1110 24:70', '1110-1120 0:6']);
});

test('ends the last line with the code, and reads only what is inside of the function', () => {
  const first = subsection(0x100, 0x10, [{ file: 0, lines: [[0, 5]] }]);
  const second = subsection(0x200, 0x10, [{ file: 0, lines: [[0, 9]] }]);
  assert.deepEqual(read([second, first], 0x1100, 0x1180), ['1100-1110 0:5']);
  assert.deepEqual(read([second, first], 0x1200, 0x1208), ['1200-1208 0:9']);
});

test('skips columns and hidden lines', () => {
  const content = subsection(0, 0x10, [{ file: 0, lines: [[0, 5], [4, 0xfeefee], [8, 0xf00f00], [12, 7]] }], true); // biome-ignore format: pairs
  assert.deepEqual(read([content, subsection(0x10, 4, [{ file: 0, lines: [[0, 8]] }])], 0x1000, 0x1014), [
    '1000-100c 0:5',
    '100c-1010 0:7',
    '1010-1014 0:8',
  ]);
});

test('takes the first lines of code that the linker folded', () => {
  const lines = (line: number) => subsection(0, 0x10, [{ file: 0, lines: [[0, line]] }]);
  assert.deepEqual(read([lines(5), lines(9)], 0x1000, 0x1010), ['1000-1010 0:5']);
});

test('ignores counts and places that are impossible', () => {
  const content = subsection(0, 0x10, [{ file: 0, lines: [[0, 5]] }]);
  const huge = content.with(16, 0xff).with(17, 0xff);
  assert.deepEqual(read([huge], 0x1000, 0x1010), ['1000-1010 0:5']);
  const far = subsection(0x5000, 0x10, [{ file: 0, lines: [[0, 5]] }]);
  assert.deepEqual(read([far, [1, 2, 3]], 0, 0xffff), []);
  const empty = subsection(0, 0x10, [{ file: 0, lines: [[0, 5]] }]).fill(0, 20, 24);
  assert.deepEqual(read([empty], 0x1000, 0x1010), []);
});
