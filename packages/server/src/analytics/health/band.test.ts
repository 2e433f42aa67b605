import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BANDS } from '@chauffeur/contract/operations/health';
import fc from 'fast-check';
import { bandOf } from './band.ts';

const bandFor = (devices: number, booted: number, crashed: number) => bandOf({ devices, booted, crashed });

describe('the band of a build', () => {
  it('is unrated with fewer than 20 devices', () => {
    assert.equal(bandFor(0, 0, 0), 'unrated');
    assert.equal(bandFor(19, 19, 0), 'unrated');
    assert.equal(bandFor(20, 20, 0), 'excellent');
  });

  it('changes exactly at the limits of booted devices', () => {
    const bands = [1000, 980, 979, 930, 929, 800, 799, 0].map((booted) => bandFor(1000, booted, 0));
    assert.deepEqual(bands, [
      'excellent',
      'excellent',
      'healthy',
      'healthy',
      'mixed',
      'mixed',
      'problematic',
      'problematic',
    ]);
  });

  it('changes exactly at the limits of crashed devices', () => {
    const bands = [0, 10, 11, 30, 31, 100, 101, 1000].map((crashed) => bandFor(1000, 1000, crashed));
    assert.deepEqual(bands, [
      'excellent',
      'excellent',
      'healthy',
      'healthy',
      'mixed',
      'mixed',
      'problematic',
      'problematic',
    ]);
  });

  it('is exact: 49 of 50 is 98%, 29 of 30 is less', () => {
    assert.deepEqual(
      [bandFor(50, 49, 0), bandFor(30, 29, 0), bandFor(100, 98, 1), bandFor(99, 97, 0)],
      ['excellent', 'healthy', 'excellent', 'healthy'],
    );
  });

  it('is never better with fewer boots or more crashes', () => {
    const counts = fc.nat(500).chain((devices) => fc.tuple(fc.constant(devices), fc.nat(devices), fc.nat(devices)));
    fc.assert(
      fc.property(counts, ([devices, booted, crashed]) => {
        const rank = BANDS.indexOf(bandFor(devices, booted, crashed));
        if (booted > 0) assert.ok(BANDS.indexOf(bandFor(devices, booted - 1, crashed)) >= rank);
        if (crashed < devices) assert.ok(BANDS.indexOf(bandFor(devices, booted, crashed + 1)) >= rank);
      }),
    );
  });
});
