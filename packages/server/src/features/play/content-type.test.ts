import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf } from './content-type.ts';

test('names what browsers insist on', () => {
  assert.equal(kindOf('game.wasm').contentType, 'application/wasm');
  assert.equal(kindOf('src/main.MJS').contentType, 'text/javascript; charset=utf-8');
  assert.equal(kindOf('index.html').contentType, 'text/html; charset=utf-8');
});

test('engines’ archives and what is not known are bytes', () => {
  for (const path of ['game.pck', 'game.data', 'constructor', 'a.__proto__', 'folder.html/file', 'noname', '.html.'])
    assert.equal(kindOf(path).contentType, 'application/octet-stream', path);
});

test('what an engine packed is unpacked by the browser, and is what it is without', () => {
  assert.deepEqual(kindOf('Build/walk.wasm.br'), { contentType: 'application/wasm', coding: 'br' });
  assert.deepEqual(kindOf('Build/walk.framework.js.GZ'), {
    contentType: 'text/javascript; charset=utf-8',
    coding: 'gzip',
  });
  assert.deepEqual(kindOf('Build/walk.data.gz'), { contentType: 'application/octet-stream', coding: 'gzip' });
});

test('what a game unpacks by itself reaches it as it is', () => {
  for (const path of ['levels/1.bin.gz', 'save.json.gz', 'archive.tar.gz', 'x.br'])
    assert.deepEqual(kindOf(path), { contentType: 'application/octet-stream', coding: null }, path);
});
