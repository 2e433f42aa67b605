import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TextMemo } from './text-memo.ts';

describe('TextMemo', () => {
  it('reads a text once', () => {
    const memo = new TextMemo();
    let reads = 0;
    const read = (position: number) =>
      memo.get(position, () => {
        reads += 1;
        return `text ${position}`;
      });
    assert.deepEqual([read(1), read(2), read(1)], ['text 1', 'text 2', 'text 1']);
    assert.equal(reads, 2);
    memo.clear();
    assert.equal(read(1), 'text 1');
    assert.equal(reads, 3);
  });

  it('drops its texts when they become too large, for short and long texts', () => {
    for (const text of ['', 'x'.repeat(100), 'x'.repeat(250_000)]) {
      const memo = new TextMemo();
      memo.get(0, () => 'first');
      for (let position = 1; position < 20_000; position += 1) memo.get(position, () => text);
      assert.equal(
        memo.get(0, () => 'again'),
        'again',
      );
    }
  });

  it('does not remember a text that could not be read', () => {
    const memo = new TextMemo();
    assert.throws(() =>
      memo.get(1, () => {
        throw new Error('damaged');
      }),
    );
    assert.equal(
      memo.get(1, () => 'whole'),
      'whole',
    );
  });
});
