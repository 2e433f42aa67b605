import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageTypeOf, movedTo } from './images.ts';

test('the image type is detected by the first bytes', () => {
  const types = [
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff\xe0',
    'GIF89a',
    'RIFF\x10\n\x00\x00WEBP',
    'RIFF\x00\x00\x00\x00WAVE',
    '<svg',
    '',
  ];
  assert.deepEqual(
    types.map((head) => imageTypeOf(Buffer.from(head, 'latin1'))),
    ['image/png', 'image/jpeg', 'image/gif', 'image/webp', null, null, null],
  );
});

test('a screenshot moves to a position from 1', () => {
  assert.deepEqual(movedTo(['a', 'b', 'c'], 'c', 1), ['c', 'a', 'b']);
  assert.deepEqual(movedTo(['a', 'b', 'c'], 'a', 3), ['b', 'c', 'a']);
  assert.throws(() => movedTo(['a'], 'x', 1), /no screenshot/);
  for (const place of [0, 4, 1.5, Number.NaN])
    assert.throws(() => movedTo(['a', 'b', 'c'], 'a', place), /not a position in the gallery/);
});
