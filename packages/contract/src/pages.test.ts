import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchPage } from './pages.ts';

test('a path matches the pattern of its page, with or without a trailing slash', () => {
  assert.deepEqual(matchPage('/'), { name: 'home', params: {} });
  assert.deepEqual(matchPage('/g/small-walk'), { name: 'game', params: { uid: 'small-walk' } });
  assert.deepEqual(matchPage('/g/small-walk/files/1/'), { name: 'file', params: { uid: 'small-walk', file_uid: '1' } });
});

test('other paths match no page', () => {
  for (const path of ['', '/g', '/g/', '/g//report', '/g/small-walk/files', '/no/such/page'])
    assert.equal(matchPage(path), undefined, path);
});
