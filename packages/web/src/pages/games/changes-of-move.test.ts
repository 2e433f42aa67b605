import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOfMove } from './changes-of-move.ts';

const ada = { user_id: 'ada', name: 'Ada', role: 'owner', game_role: null } as const;
const ben = { user_id: 'ben', name: 'Ben', role: 'developer', game_role: null } as const;
const cy = { user_id: 'cy', name: 'Cy', role: 'admin', game_role: 'viewer' } as const;

test('names those who lose access, get it, or get another role', () => {
  const team = [
    { user_id: 'ada', name: 'Ada', role: 'owner' },
    { user_id: 'dee', name: 'Dee', role: 'triager' },
  ] as const;
  assert.deepEqual(changesOfMove([ada, ben, cy], team), [
    'Lose access immediately, with their agents: Ben.',
    'Get access: Dee (triager).',
    'Get another role: Cy (viewer).',
  ]);
});

test('says that nothing changes for the same people', () => {
  const sameBen = { user_id: 'ben', name: 'Ben', role: 'developer' } as const;
  const sameAda = { user_id: 'ada', name: 'Ada', role: 'owner' } as const;
  assert.deepEqual(changesOfMove([ada, ben], [sameBen, sameAda]), ['Everyone keeps their role on the game.']);
});
