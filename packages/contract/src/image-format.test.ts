import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { detectImageFormat } from './image-format.ts';

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe('detectImageFormat', () => {
  it('detects each format by its first bytes', () => {
    assert.equal(detectImageFormat(bytes('\x89PNG\r\n\x1a\n')), 'png');
    assert.equal(detectImageFormat(bytes('\xff\xd8\xff\xe0........')), 'jpeg');
    assert.equal(detectImageFormat(bytes('GIF89a')), 'gif');
    assert.equal(detectImageFormat(bytes('RIFF\x10\n\0\0WEBPVP8 ')), 'webp');
  });

  it('returns null for anything else', () => {
    for (const text of ['', 'RIFF....WAVE', '<svg xmlns=', 'PNG', '\xff\xd8'])
      assert.equal(detectImageFormat(bytes(text)), null);
  });
});
