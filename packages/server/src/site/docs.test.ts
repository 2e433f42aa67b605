// Tests of the address in examples of the documentation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeAddress } from './docs.ts';

const CASES: readonly (readonly [text: string, local: string, own: string])[] = [
  [
    'curl https://games.example.com/cli/install.sh',
    'curl http://localhost:4000/cli/install.sh',
    'curl https://play.studio.example/cli/install.sh',
  ],
  [
    '"https://$KEY@games.example.com/api"',
    '"http://$KEY@localhost:4000/api"',
    '"https://$KEY@play.studio.example/api"',
  ],
  ['-connect games.example.com:443 <', '-connect localhost:4000 <', '-connect play.studio.example:443 <'],
  ['`games.example.com,.internal`', '`localhost:4000,.internal`', '`play.studio.example,.internal`'],
  ['games.example.com responds.', 'localhost:4000 responds.', 'play.studio.example responds.'],
  ['https://login.example.com', 'https://login.example.com', 'https://login.example.com'],
];

test('examples have the address of the server, in each form that they use', () => {
  for (const [text, local, own] of CASES) {
    assert.equal(placeAddress(text, 'http://localhost:4000'), local);
    assert.equal(placeAddress(text, 'https://play.studio.example'), own);
  }
});
