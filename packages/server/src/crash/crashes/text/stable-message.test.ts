import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maskMessage } from './stable-message.ts';

const MESSAGES: readonly (readonly [message: string, masked: string])[] = [
  ['Could not open D:\\My Games\\Owls 2\\saves\\slot.dat: denied', 'Could not open slot.dat: denied'],
  ['No player_4711 in room8842', 'No player_<n> in room<n>'],
  ['Session a3f9c2d1 ended', 'Session <id> ended'],
  ['Bad value 12 at 0x7ffe1234', 'Bad value <n> at <addr>'],
  ["key 'sword2' is missing", "key 'sword<n>' is missing"],
  ["key 'The sword of Kim' is missing", "key '<text>' is missing"],
  ['GET https://example.com/a?b=1 failed', 'GET <url> failed'],
  ['No reply from kim@example.com', 'No reply from <email>'],
  ["can't find 'owl'", "can't find 'owl'"],
  ['first line 1\nsecond line', 'first line <n>'],
];

describe('maskMessage', () => {
  for (const [message, masked] of MESSAGES)
    it(`reduces ${JSON.stringify(message)} to what is the same on every device`, () =>
      assert.equal(maskMessage(message), masked));
});
