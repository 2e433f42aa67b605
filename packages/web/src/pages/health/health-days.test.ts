import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  bootCrashSeries,
  formatDifference,
  formatVerdict,
  type HealthDays,
  medianSeries,
  nextToBeRated,
  type RatedBuild,
  shownWith,
  startSeries,
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
    crashed_on_boot: 1,
    events: { session_start: 5, boot_ok: 3, crash: 1 },
  },
];

describe('the series of days', () => {
  const times = windowOf(new Date('2026-11-21T23:59:00Z'));
  const at = '2026-11-20T00:00:00.000Z';
  const build = { key: 'a', label: '1.0', colour: 5, days: DAYS };

  it('cover thirty days, ending with today', () => {
    assert.equal(times.length, 30);
    assert.deepEqual([times[0], times.at(-1)], ['2026-10-23T00:00:00.000Z', '2026-11-21T00:00:00.000Z']);
  });

  it('have the share of devices that crashed on boot, and nothing for days without devices', () => {
    const series = bootCrashSeries(build, 2);
    assert.deepEqual([series.key, series.label, series.colour, series.pattern], ['a', '1.0', 5, 2]);
    assert.deepEqual([...series.values], [[at, 100 / 3]]);
    const idle = { ...DAYS[0]!, devices: 0, crashed_on_boot: 1 };
    assert.deepEqual([...bootCrashSeries({ ...build, days: [idle] }, 0).values], []);
  });

  it('add up the starts of all builds, with zeros for days without any', () => {
    const { values } = startSeries([build, build], times);
    assert.deepEqual([values.get(at), values.get('2026-11-21T00:00:00.000Z'), values.size], [10, 0, 30]);
  });

  it('have nothing for days without samples', () => {
    assert.deepEqual([...medianSeries(DAYS, 'start', 5).values], [[at, 4000]]);
    assert.deepEqual([...medianSeries(DAYS, 'session', 5).values], []);
  });
});

describe('shownWith', () => {
  const build = (build_id: string, os = 'linux') => ({ build_id, os, arch: 'x86_64' });
  const builds = [build('5'), build('4', 'windows'), build('3'), build('2'), build('1'), build('0')];
  const idsWith = (compared?: string) => shownWith(builds, build('5'), compared).map(({ build_id }) => build_id);

  it('returns the newest other builds for the platform', () => {
    assert.deepEqual(idsWith(), ['3', '2', '1']);
    assert.deepEqual(idsWith('missing'), ['3', '2', '1']);
  });

  it('begins with the build that is compared, whatever its platform', () => {
    assert.deepEqual(idsWith('4'), ['4', '3', '2']);
    assert.deepEqual(idsWith('0'), ['0', '3', '2']);
    assert.deepEqual(idsWith('5'), ['3', '2', '1']);
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
