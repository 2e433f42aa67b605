import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatOf, moved } from './image-facts.ts';

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe('formatOf', () => {
  it('detects each format by its first bytes', () => {
    assert.equal(formatOf(bytes('\x89PNG\r\n\x1a\n....')), 'png');
    assert.equal(formatOf(bytes('\xff\xd8\xff\xe0........')), 'jpeg');
    assert.equal(formatOf(bytes('GIF89a......')), 'gif');
    assert.equal(formatOf(bytes('RIFF\n\0\0\0WEBPVP8 ')), 'webp');
  });

  it('returns null for anything else', () => {
    for (const text of ['', 'RIFF....WAVE', '<svg xmlns=', 'PNG', '\xff\xd8'])
      assert.equal(formatOf(bytes(text)), null);
  });
});

describe('moved', () => {
  it('moves one item and keeps the order of the others', () => {
    assert.deepEqual(moved(['a', 'b', 'c'], 0, 2), ['b', 'c', 'a']);
    assert.deepEqual(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b']);
  });

  it('changes nothing if an index does not exist', () => {
    for (const [from, to] of [
      [0, -1],
      [2, 3],
      [7, 0],
    ] as const)
      assert.deepEqual(moved(['a', 'b', 'c'], from, to), ['a', 'b', 'c']);
  });
});
