import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLines } from './progress.ts';

const MIB = 1024 * 1024;

test('a log has a line every ten percent or ten seconds, with the speed and the time left', () => {
  const lines: string[] = [];
  let now = 0;
  const progress = createLines(
    'uploading',
    (line) => lines.push(line),
    () => now,
  );
  for (let done = 0; done <= 1000; done += 10, now += 100) progress.update(done * MIB, 1000 * MIB);
  assert.equal(lines.length, 10);
  assert.equal(lines[3], 'uploading: 40% (400 MiB of 1000 MiB, 100 MiB/s, 6 s left)');
  assert.equal(lines.at(-1), 'uploading: 100% (1000 MiB of 1000 MiB, 100 MiB/s)');
  progress.update(1000 * MIB, 1000 * MIB);
  assert.equal(lines.length, 10);
});

test('a slow upload still writes lines, and its speed ignores bytes that were uploaded earlier', () => {
  const lines: string[] = [];
  let now = 0;
  const progress = createLines(
    'uploading',
    (line) => lines.push(line),
    () => now,
  );
  progress.update(50 * MIB, 100 * MIB);
  now = 11_000;
  progress.update(51.1 * MIB, 100 * MIB);
  assert.deepEqual(lines, ['uploading: 51% (51.1 MiB of 100 MiB, 102 KiB/s, 8 min 9 s left)']);
});
