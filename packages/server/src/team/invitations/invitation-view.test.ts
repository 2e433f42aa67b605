import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findDeclineObstacle, findObstacle } from './invitation-view.ts';

const NOW = new Date('2026-11-30T12:00:00Z');
const OPEN = { state: 'pending', email: 'ada@example.com', expires_at: new Date(NOW.getTime() + 1) } as const;
const ADA = { email: 'Ada@example.com', emailVerified: true };

describe('an invitation', () => {
  it('can be accepted by its recipient, in any letter case of the address', () => {
    assert.equal(findObstacle(OPEN, ADA, NOW), null);
  });

  it('cannot be accepted with another account, which does not learn its state', () => {
    const other = { ...ADA, email: 'bob@example.com' };
    for (const state of ['pending', 'accepted', 'declined', 'withdrawn'] as const)
      assert.equal(findObstacle({ ...OPEN, state }, other, NOW)?.code, 4231);
  });

  it('cannot be accepted twice, after it was declined or withdrawn, or after it expired', () => {
    for (const state of ['accepted', 'declined', 'withdrawn'] as const) {
      const obstacle = findObstacle({ ...OPEN, state }, ADA, NOW);
      assert.equal(obstacle?.code, 4230);
      assert.match(obstacle?.message ?? '', new RegExp(state));
    }
    assert.match(findObstacle({ ...OPEN, expires_at: NOW }, ADA, NOW)?.message ?? '', /expired/);
  });

  it('can be declined but not accepted with an unverified address', () => {
    const unverified = { ...ADA, emailVerified: false };
    assert.equal(findObstacle(OPEN, unverified, NOW)?.code, 4232);
    assert.equal(findDeclineObstacle(OPEN, unverified, NOW), null);
  });
});
