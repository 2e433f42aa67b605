import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAccess, formatGames, scopesOf } from './token-access.ts';

test('what is chosen for each part becomes one scope', () => {
  assert.deepEqual(scopesOf({ builds: 'write', bugs: 'none', crashes: 'read' }), ['builds:write', 'crashes:read']);
  assert.deepEqual(scopesOf({}), []);
});

test('scopes are said in words, and reading what can be changed is not said twice', () => {
  assert.equal(
    formatAccess(['bugs:write', 'builds:write', 'builds:read', 'crashes:read']),
    'Can change builds and bugs. Can read crashes.',
  );
  assert.equal(formatAccess(['games:read', 'builds:read', 'team:read']), 'Can read games, builds, and team.');
  assert.equal(formatAccess([]), '');
});

test('a token names its games', () => {
  const game = (name: string) => ({ game_uid: name, slug: name, name });
  assert.equal(formatGames({ games: null }), 'All games');
  assert.equal(formatGames({ games: [game('Lantern'), game('Owls')] }), 'Lantern, Owls');
  assert.equal(formatGames({ games: [] }), 'None, they were deleted');
});
