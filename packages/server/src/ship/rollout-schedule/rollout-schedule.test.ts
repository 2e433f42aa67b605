import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR } from '../../kernel/clock.ts';
import { isStalled, stepEndOf, stepOfShare } from './rollout-schedule.ts';

const STEPS = [{ share: 5, hours: 4 }, { share: 25, hours: 24 }, { share: 100 }];
const START = new Date('2026-11-30T12:00:00Z');
const rollout = { state: 'running', steps: STEPS, step: 0, step_since: START, paused_ms: 0 };
const after = (hours: number) => new Date(START.getTime() + hours * HOUR);

test('a step ends after its time, without the time that the rollout was paused', () => {
  assert.deepEqual(stepEndOf(rollout), after(4));
  assert.deepEqual(stepEndOf({ ...rollout, paused_ms: 2 * HOUR }), after(6));
  assert.equal(stepEndOf({ ...rollout, state: 'paused' }), null);
  assert.equal(stepEndOf({ ...rollout, step: 2 }), null);
});

test('a step is stalled once it has waited three times its time', () => {
  assert.equal(isStalled(rollout, after(11.9)), false);
  assert.equal(isStalled(rollout, after(12)), true);
  assert.equal(isStalled({ ...rollout, step: 2 }, after(1000)), false);
});

test('a share that a person chose skips the steps with smaller shares', () => {
  assert.equal(stepOfShare(STEPS, 0, 10), 0);
  assert.equal(stepOfShare(STEPS, 0, 25), 1);
  assert.equal(stepOfShare(STEPS, 0, 60), 1);
  assert.equal(stepOfShare(STEPS, 1, 3), 1);
});
