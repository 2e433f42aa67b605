import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInnermostLines, type LineLayer } from './function-lines.ts';

/** A layer of `start-end:line`, in hexadecimal, of one file. */
function layer(depth: number, text: string): LineLayer {
  const ranges = text.split(' ').map((range) => {
    const [start, end, line] = range.split(/[-:]/).map((value) => Number.parseInt(value, 16));
    return { start: start!, end: end!, line: line!, file: depth };
  });
  return { depth, ranges };
}

function find(...layers: LineLayer[]): string {
  return findInnermostLines(layers)
    .map(({ start, end, line }) => `${start.toString(16)}-${end.toString(16)}:${line.toString(16)}`)
    .join(' ');
}

test('joins neighbours of the same line, but not across a gap', () => {
  assert.equal(find(layer(0, '0-4:1 4-8:1 8-c:2 d-e:2')), '0-8:1 8-c:2 d-e:2');
});

test('prefers the innermost call', () => {
  assert.equal(find(layer(0, '0-20:1'), layer(1, '4-10:2'), layer(2, '8-c:3')), '0-4:1 4-8:2 8-c:3 c-10:2 10-20:1');
});

test('gives every range of a call its line, even if the range before has the same one', () => {
  assert.equal(find(layer(0, '0-20:1'), layer(1, '4-8:2 10-14:2')), '0-4:1 4-8:2 8-10:1 10-14:2 14-20:1');
});

test('keeps lines of calls where the function has none', () => {
  assert.equal(find(layer(0, '0-4:1'), layer(1, '8-c:2')), '0-4:1 8-c:2');
});

test('is fast for many overlapping calls', () => {
  const layers = Array.from({ length: 20_000 }, (_, index) => layer(1, `${index.toString(16)}-30000:${index + 1}`));
  const start = process.threadCpuUsage();
  assert.equal(findInnermostLines([layer(0, '0-30000:1'), ...layers]).at(-1)!.end, 0x30000);
  assert.ok(process.threadCpuUsage(start).user < 2_000_000);
});
