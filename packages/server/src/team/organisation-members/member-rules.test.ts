import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROLE_NAMES } from '@chauffeur/contract/roles';
import { findLastOwnerObstacle, findRemovalObstacle } from './member-rules.ts';

test('admins change everyone but owners, and make no one an owner', () => {
  for (const role of ROLE_NAMES) {
    const isOwner = role === 'owner';
    assert.equal(
      findRemovalObstacle({ by: 'admin', from: role, to: 'viewer', owners: 2 })?.code,
      isOwner ? 4031 : undefined,
    );
    assert.equal(
      findRemovalObstacle({ by: 'admin', from: role, to: null, owners: 2 })?.code,
      isOwner ? 4031 : undefined,
    );
    assert.equal(
      findRemovalObstacle({ by: 'admin', from: 'viewer', to: role, owners: 1 })?.code,
      isOwner ? 4031 : undefined,
    );
  }
});

test('lower roles change no one', () => {
  for (const by of ['viewer', 'triager', 'developer'] as const)
    assert.equal(findRemovalObstacle({ by, from: 'viewer', to: 'viewer', owners: 1 })?.code, 4031);
});

test('the last owner stays an owner', () => {
  for (const to of ['admin', null] as const) {
    assert.equal(findRemovalObstacle({ by: 'owner', from: 'owner', to, owners: 1 })?.code, 4234);
    assert.equal(findRemovalObstacle({ by: 'owner', from: 'owner', to, owners: 2 }), null);
  }
  assert.equal(findLastOwnerObstacle({ from: 'owner', to: 'owner', owners: 1 }), null);
  assert.equal(findLastOwnerObstacle({ from: 'admin', to: null, owners: 1 }), null);
});
