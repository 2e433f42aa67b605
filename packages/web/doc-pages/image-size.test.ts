import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readImageSize } from './image-size.ts';

const IMAGES = new URL('../../../docs/images/', import.meta.url);

test('the size of a WebP image is read from its first bytes, without the scale', () => {
  const bytes = Buffer.alloc(30);
  bytes.write('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
  bytes.writeUInt16LE(1280 | 0x4000, 26);
  bytes.writeUInt16LE(715, 28);
  assert.deepEqual(readImageSize(bytes), { width: 1280, height: 715 });
});

test('the size of an SVG is its view box', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 840 440" font-size="12"><path d=""/></svg>';
  assert.deepEqual(readImageSize(Buffer.from(svg)), { width: 840, height: 440 });
});

test('other images are refused', () => {
  for (const text of ['', 'RIFF\0\0\0\0WEBPVP8 ', 'RIFF\0\0\0\0WEBPVP8X'.padEnd(40, '\0'), '<svg></svg>', 'GIF89a'])
    assert.throws(() => readImageSize(Buffer.from(text, 'latin1')), /not a lossy WebP or SVG image/);
});

test('every image of the documentation has a size', async () => {
  const names = await readdir(IMAGES);
  assert.ok(names.length > 0);
  for (const name of names) {
    const { width, height } = readImageSize(await readFile(new URL(name, IMAGES)));
    assert.ok(width >= 600 && height >= 400, `${name}: ${width} × ${height}`);
  }
});
