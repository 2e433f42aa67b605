import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from './address.ts';

test('the address of a game is read as players copy it', () => {
  const owls = { server: 'https://games.example.com', game: 'night-owls' };
  for (const text of [
    'https://games.example.com/g/night-owls',
    'games.example.com/g/night-owls',
    ' https://games.example.com/g/night-owls/?lang=de#downloads ',
    'https://games.example.com/g/night-owls/files/1',
  ])
    assert.deepEqual(parseAddress(text), owls, text);
  assert.deepEqual(parseAddress('night-owls'), { server: null, game: 'night-owls' });
  assert.deepEqual(parseAddress('localhost:4000/g/owls'), { server: 'http://localhost:4000', game: 'owls' });
  assert.deepEqual(parseAddress('http://10.0.0.1/games/g/owls')?.server, 'http://10.0.0.1/games');
});

test('other texts are not addresses', () => {
  for (const text of [
    '',
    'Night Owls',
    'games.example.com',
    'ftp://example.com/g/owls',
    'https://a:b@example.com/g/owls',
    '../g/x y',
  ])
    assert.equal(parseAddress(text), null, text);
});
