import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareRates } from '../health/rate-difference.ts';
import { checkGuard, compareShares, MIN_AFFECTED, quantileFor, type SideCounts } from './guards.ts';

const LIMITS = { minDevices: 100, tolerance: 0 };
const NONE: SideCounts = { devices: 0, crashed: 0, started: 0, booted: 0, crashed_on_boot: 0, new_group_devices: 0 };
const side = (fields: Partial<SideCounts>): SideCounts => ({
  ...NONE,
  devices: 1000,
  started: 1000,
  booted: 1000,
  ...fields,
});
const base = side({ devices: 20_000, started: 20_000, booted: 19_900, crashed: 200, crashed_on_boot: 100 });

describe('a guard', () => {
  it('waits while either side has too few devices', () => {
    for (const [devices, baseDevices] of [
      [0, 0],
      [99, 20_000],
      [1000, 99],
    ] as const) {
      const { verdict, needed } = compareShares(
        { part: 0, total: devices },
        { part: baseDevices, total: baseDevices },
        LIMITS,
      );
      assert.deepEqual([verdict, needed], ['waiting', 100]);
    }
  });

  it('finds a version worse that crashes more, boots less, crashes on boot more, or has new crash groups', () => {
    const worse = {
      crash_free: side({ crashed: 60 }),
      crash_on_boot: side({ crashed_on_boot: 60 }),
      boot: side({ booted: 900 }),
      new_groups: side({ new_group_devices: 40 }),
    };
    for (const guard of ['crash_free', 'crash_on_boot', 'boot', 'new_groups'] as const) {
      assert.equal(checkGuard(guard, { side: worse[guard], base }, LIMITS).verdict, 'worse', guard);
      const good = side({ crashed: 8, crashed_on_boot: 4, booted: 996 });
      assert.equal(checkGuard(guard, { side: good, base }, LIMITS).verdict, 'ok', guard);
    }
  });

  it('tolerates a version that is worse by less than the tolerance', () => {
    const sides = { side: side({ crashed: 60 }), base };
    assert.equal(checkGuard('crash_free', sides, { ...LIMITS, tolerance: 10 }).verdict, 'ok');
  });

  it('never decides on a handful of affected devices', () => {
    const few = { part: 100 - (MIN_AFFECTED - 1), total: 100 };
    assert.equal(compareShares(few, { part: 1_000_000, total: 1_000_000 }, LIMITS).verdict, 'ok');
    const enough = { part: 100 - MIN_AFFECTED, total: 100 };
    assert.equal(compareShares(enough, { part: 1_000_000, total: 1_000_000 }, LIMITS).verdict, 'worse');
  });

  it('uses a wider interval than one that is looked at once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 1e6 }), fc.integer({ min: 20, max: 1e6 }), (devices, others) => {
        assert.ok(quantileFor(devices, others, 100) > 3);
        const [one, other] = [
          { part: devices - 1, total: devices },
          { part: others - 1, total: others },
        ];
        const once = compareRates(one, other);
        const always = compareShares(one, other, LIMITS);
        assert.ok(always.low! <= once.low! && always.high! >= once.high!);
      }),
    );
  });

  it('handles counts of devices whose numbers contradict each other', () => {
    const { good, verdict } = checkGuard('crash_free', { side: side({ crashed: 5000 }), base }, LIMITS);
    assert.deepEqual([good, verdict], [0, 'worse']);
  });
});
