import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchPage } from './pages.ts';

test('a path is the page of its pattern, with or without a slash at its end', () => {
  assert.deepEqual(matchPage('/'), { name: 'home', params: {} });
  assert.deepEqual(matchPage('/g/small-walk'), { name: 'game', params: { uid: 'small-walk' } });
  assert.deepEqual(matchPage('/g/small-walk/files/1/'), { name: 'file', params: { uid: 'small-walk', file_uid: '1' } });
});

test('other paths have none', () => {
  for (const path of ['', '/g', '/g/', '/g//report', '/g/small-walk/files', '/no/such/page'])
    assert.equal(matchPage(path), undefined, path);
});
