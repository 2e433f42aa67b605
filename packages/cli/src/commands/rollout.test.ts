// Tests what the command says about a guard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCheck } from './rollout.ts';

const setting = { guard: 'crash_free', action: 'pause', tolerance: 0 } as const;
const counts = { guard: 'crash_free', good: 5, devices: 10, base_good: 30, base_devices: 30, needed: 20 } as const;

test('a guard that was overruled is shown as such', () => {
  const worse = { ...counts, verdict: 'worse' } as const;
  assert.equal(describeCheck(worse, [{ ...setting, overruled: false }]), 'Crash-free devices: worse');
  assert.equal(describeCheck(worse, [{ ...setting, overruled: true }]), 'Crash-free devices: worse, overruled');
});

test('a guard that waits says how many devices it has', () => {
  const waiting = { ...counts, verdict: 'waiting' } as const;
  assert.equal(describeCheck(waiting, []), 'Crash-free devices: too few devices (10 of 20)');
});
