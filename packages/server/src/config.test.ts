import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

test('addresses that everyone sees may not have credentials or a query', () => {
  for (const name of ['CHAUFFEUR_PUBLIC_URL', 'CHAUFFEUR_DOWNLOAD_URL']) {
    for (const value of ['https://user:secret@cdn.example', 'https://cdn.example/?a=b', 'https://cdn.example/#a'])
      assert.throws(() => readConfig({ [name]: value }), new RegExp(`${name}.*without a name, password or query`));
    assert.throws(() => readConfig({ [name]: 'ftp://cdn.example' }), /starts with http/);
  }
  assert.equal(
    readConfig({ CHAUFFEUR_DOWNLOAD_URL: 'https://cdn.example/games' }).downloadUrl,
    'https://cdn.example/games',
  );
});
