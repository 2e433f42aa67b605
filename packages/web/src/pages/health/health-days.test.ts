import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  formatDifference,
  formatVerdict,
  type HealthDays,
  launchSeries,
  medianSeries,
  nextToBeRated,
  type RatedBuild,
  windowOf,
} from './health-days.ts';

const NONE = { median: null, samples: 0 };
const DAYS: HealthDays = [
  {
    day: '2026-11-20',
    boot_ms: { median: 4000, samples: 3 },
    session_seconds: NONE,
    devices_last_seen: 2,
    devices: 3,
    crashed_devices: 1,
    events: { boot_ok: 3, crash: 1 },
  },
];

describe('windowOf, launchSeries and medianSeries', () => {
  const times = windowOf(new Date('2026-11-21T23:59:00Z'));

  it('cover thirty days, ending with today', () => {
    assert.equal(times.length, 30);
    assert.deepEqual([times[0], times.at(-1)], ['2026-10-23T00:00:00.000Z', '2026-11-21T00:00:00.000Z']);
  });

  it('use zeros for days without launches, and nothing for days without samples', () => {
    const [started, booted, crashed] = launchSeries(DAYS, times, 5);
    const at = '2026-11-20T00:00:00.000Z';
    assert.deepEqual(
      [started, booted, crashed].map((series) => series?.values.get(at)),
      [0, 3, 1],
    );
    assert.equal(booted?.values.get('2026-11-21T00:00:00.000Z'), 0);
    assert.deepEqual([...medianSeries(DAYS, 'start', 5).values], [[at, 4000]]);
    assert.deepEqual([...medianSeries(DAYS, 'session', 5).values], []);
  });
});

describe('nextToBeRated', () => {
  const build = (version: string, devices: number, fields: Partial<RatedBuild> = {}) =>
    ({ version, devices, band: 'unrated', channel: 'stable', ...fields }) as RatedBuild;

  it('returns the unrated build on stable with the most devices', () => {
    const builds = [
      build('1', 3),
      build('2', 12),
      build('3', 19, { channel: 'beta' }),
      build('4', 30, { band: 'mixed' }),
    ];
    assert.equal(nextToBeRated(builds)?.version, '2');
    assert.equal(nextToBeRated(builds.slice(2)), null);
  });
});

const difference = (values: [difference: number, low: number, high: number] | null, verdict = 'unclear') => ({
  rate: null,
  other_rate: null,
  difference: values?.[0] ?? null,
  low: values?.[1] ?? null,
  high: values?.[2] ?? null,
  verdict: verdict as 'better' | 'worse' | 'unclear',
});

it('formatDifference has a sign and an interval in percentage points', () => {
  assert.equal(formatDifference(difference([0.0123, 0.004, 0.02])), '+1.2 (0.4 to 2.0)');
  assert.equal(formatDifference(difference([-0.0123, -0.02, -0.004])), '−1.2 (−2.0 to −0.4)');
  assert.equal(formatDifference(difference([-0.0001, -0.02, 0.0004])), '0.0 (−2.0 to 0.0)');
  assert.equal(formatDifference(difference(null)), '');
});

it('formatVerdict says when there is no data', () => {
  assert.equal(formatVerdict(difference([0.1, 0.05, 0.2], 'better')), 'Better');
  assert.equal(formatVerdict(difference(null)), 'No data');
});
