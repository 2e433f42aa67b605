import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { codingOf, entryKindOf } from './entry-bytes.ts';

test('file types that browsers require have their content type', () => {
  assert.equal(entryKindOf('game.wasm').contentType, 'application/wasm');
  assert.equal(entryKindOf('src/main.MJS').contentType, 'text/javascript; charset=utf-8');
  assert.equal(entryKindOf('index.html').contentType, 'text/html; charset=utf-8');
});

test('archives of engines and unknown files are sent as bytes', () => {
  for (const path of ['game.pck', 'game.data', 'constructor', 'a.__proto__', 'folder.html/file', 'noname', '.html.'])
    assert.equal(entryKindOf(path).contentType, 'application/octet-stream', path);
});

test('files compressed by an engine have a content encoding and the type of their content', () => {
  assert.deepEqual(entryKindOf('Build/walk.wasm.br'), { contentType: 'application/wasm', coding: 'br' });
  assert.deepEqual(entryKindOf('Build/walk.framework.js.GZ'), {
    contentType: 'text/javascript; charset=utf-8',
    coding: 'gzip',
  });
  assert.deepEqual(entryKindOf('Build/walk.data.gz'), { contentType: 'application/octet-stream', coding: 'gzip' });
});

test('files of Unity have an encoding that only their content shows', () => {
  assert.deepEqual(entryKindOf('Build/walk.wasm.unityweb'), { contentType: 'application/wasm', coding: 'by content' });
  assert.equal(entryKindOf('Build/walk.unityweb').coding, null);
  assert.equal(codingOf(gzipSync('x')), 'gzip');
  assert.equal(codingOf(Buffer.from('\x0bUnityWeb Compressed Content (brotli)')), 'br');
  for (const other of ['', 'x', 'UnityWeb']) assert.equal(codingOf(Buffer.from(other)), null);
});

test('files that a game unpacks itself are sent unchanged', () => {
  for (const path of ['levels/1.bin.gz', 'save.json.gz', 'archive.tar.gz', 'x.br'])
    assert.deepEqual(entryKindOf(path), { contentType: 'application/octet-stream', coding: null }, path);
});
