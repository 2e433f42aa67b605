import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isOwnOrigin } from './origins.ts';

describe('the origin of a page', () => {
  const cases: [publicUrl: string, origin: string, isOwn: boolean][] = [
    ['https://games.example.com', 'https://games.example.com', true],
    ['https://games.example.com/chauffeur', 'https://games.example.com', true],
    ['https://games.example.com:8443', 'https://games.example.com:8443', true],
    ['https://games.example.com', 'http://games.example.com', false],
    ['https://games.example.com', 'https://games.example.com:444', false],
    ['https://games.example.com', 'https://games.example.com.evil.example', false],
    ['https://games.example.com', 'https://evil.example', false],
    ['https://games.example.com', 'http://127.0.0.1:4000', false],
    ['https://games.example.com', 'null', false],
    ['https://games.example.com', '', false],
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000', true],
    ['http://127.0.0.1:4000', 'http://localhost:4000', true],
    ['http://127.0.0.1:4000', 'http://[::1]:4000', true],
    ['http://localhost:4000', 'http://127.0.0.1:4000', true],
    ['http://127.0.0.1:4000', 'http://localhost:4001', false],
    ['http://127.0.0.1:4000', 'https://localhost:4000', false],
    ['http://127.0.0.1:4000', 'http://localhost.evil.example:4000', false],
    ['http://127.0.0.1:4000', 'http://user@localhost:4000', false],
    ['http://127.0.0.1:4000', 'http://game.localhost:4000', false],
    ['http://localhost:4000', 'http://game.localhost:4000', false],
    ['http://site.localhost:4000', 'http://game.localhost:4000', false],
    ['http://127.0.0.1:4000', 'null', false],
  ];
  for (const [publicUrl, origin, isOwn] of cases)
    test(`${origin || '(empty)'} is ${isOwn ? '' : 'not '}the origin of ${publicUrl}`, () => {
      assert.equal(isOwnOrigin(publicUrl, origin), isOwn);
    });
});
