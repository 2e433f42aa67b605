import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InlineeLines, readAnnotations } from './inlinees.ts';

const FIRST = { file: 8, line: 100 };

function read(annotations: number[], chunks = [0x1000], end = 0x2000): string[] {
  return readAnnotations(Uint8Array.from(annotations), chunks, FIRST, end).map(
    ({ start, end: stop, line, file }) => `${start.toString(16)}-${stop.toString(16)} ${file}:${line}`,
  );
}

test('ends a range where the next one begins, and continues after a length', () => {
  // Offset +5; line +3; offset +4; length 2; offset +1, and length 6.
  assert.deepEqual(read([3, 5, 6, 6, 3, 4, 4, 2, 3, 1, 4, 6]), [
    '1005-1009 8:100',
    '1009-100b 8:103',
    '100c-1012 8:103',
  ]);
});

test('measures an offset from the start of a range that came with its length', () => {
  // MSVC writes it so: offset +16 with length 3, then offset +7 from that start, with length 1.
  assert.deepEqual(read([12, 3, 16, 12, 1, 7]), ['1010-1013 8:100', '1017-1018 8:100']);
});

test('reads line and offset from one number', () => {
  // Line -2 (coded as 5) and offset +3: 0x53; then a length.
  assert.deepEqual(read([11, 0x53, 4, 4]), ['1003-1007 8:98']);
});

test('reads numbers of two and four bytes', () => {
  assert.deepEqual(read([3, 0x81, 0x02, 4, 1]), ['1102-1103 8:100']);
  assert.deepEqual(read([3, 0xc0, 0, 1, 0, 4, 1], [0]), ['100-101 8:100']);
});

test('changes the file, and skips what is about columns', () => {
  assert.deepEqual(read([5, 24, 9, 7, 3, 1, 4, 1]), ['1001-1002 24:100']);
});

test('goes on in another part of the function', () => {
  assert.deepEqual(read([3, 1, 4, 2, 2, 1, 3, 4, 4, 2], [0x1000, 0x7000]), ['1001-1003 8:100', '7004-7006 8:100']);
});

test('ends a last range without a length with the function', () => {
  assert.deepEqual(read([3, 1]), ['1001-2000 8:100']);
});

test('stops at padding and at a cut', () => {
  assert.deepEqual(read([3, 1, 4, 2, 0, 3, 9]), ['1001-1003 8:100']);
  assert.deepEqual(read([3, 1, 4]), []);
});

test('finds the first line of a function, with and without extra files', () => {
  const words = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);
  const plain = new InlineeLines([{ kind: 0xf6, bytes: words(0, 0x1001, 24, 7, 0x1002, 48, 9) }]);
  assert.deepEqual(plain.find(0x1002), { file: 48, line: 9 });
  assert.equal(plain.find(0x1003), undefined);
  const extra = new InlineeLines([{ kind: 0xf6, bytes: words(1, 0x1001, 24, 7, 2, 0, 24, 0x1002, 48, 9, 0) }]);
  assert.deepEqual(extra.find(0x1002), { file: 48, line: 9 });
});
