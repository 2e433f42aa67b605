import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Crowds } from './crowds.ts';

describe('a crowd', () => {
  it('is 16 requests of one key, until one of them was taken', async () => {
    const crowds = new Crowds();
    const ends: (() => void)[] = [];
    const start = (key: string) => crowds.count(key, () => new Promise<void>((resolve) => ends.push(resolve)));
    const started = Array.from({ length: 15 }, () => start('a'));
    started.push(start('b'));
    assert.deepEqual([crowds.isCrowded('a'), crowds.isAnyCrowded], [false, false]);
    started.push(start('a'));
    assert.deepEqual([crowds.isCrowded('a'), crowds.isCrowded('b'), crowds.isAnyCrowded], [true, false, true]);
    ends[0]!();
    await started[0];
    assert.deepEqual([crowds.isCrowded('a'), crowds.isAnyCrowded], [false, false]);
    for (const end of ends) end();
    await Promise.all(started);
  });

  it('ends with requests that fail', async () => {
    const crowds = new Crowds();
    const failing = Array.from({ length: 16 }, () => crowds.count('a', () => Promise.reject(new Error('away'))));
    assert.ok(crowds.isCrowded('a'));
    await Promise.allSettled(failing);
    assert.ok(!crowds.isCrowded('a') && !crowds.isAnyCrowded);
  });
});
