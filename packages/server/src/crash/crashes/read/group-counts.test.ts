import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unpackCounts } from './group-counts.ts';

const FIRST_DAY = new Date('2026-10-23T15:00:00Z');
const NEWER = '0193a0c1-0000-7000-8000-000000000000';
const OLDER = '0193a0c0-0000-7000-8000-000000000000';
const RARE = '0193a0c2-0000-7000-8000-000000000000';

describe('the counts of a group', () => {
  const totals = `${OLDER} 1 linux,${RARE} 2 linux,${NEWER} 4 linux,${OLDER} 3 windows`;

  it('are summed by build and by OS, the highest first, then the newest build', () => {
    const { builds, build_count, oses } = unpackCounts([{ totals, days: '' }], FIRST_DAY, 10);
    assert.deepEqual(builds, [
      { build_id: NEWER, count: 4 },
      { build_id: OLDER, count: 4 },
      { build_id: RARE, count: 2 },
    ]);
    assert.equal(build_count, 3);
    assert.deepEqual(oses, [
      { os: 'linux', count: 7 },
      { os: 'windows', count: 3 },
    ]);
  });

  it('have at most the requested builds, and their total number', () => {
    const { builds, build_count } = unpackCounts([{ totals, days: '' }], FIRST_DAY, 1);
    assert.deepEqual(builds, [{ build_id: NEWER, count: 4 }]);
    assert.equal(build_count, 3);
  });

  it('are counted by day from the first day on, across months', () => {
    const { days } = unpackCounts([{ totals, days: '0 3,9 7' }], FIRST_DAY, 10);
    assert.deepEqual(days, [
      { day: '2026-10-23', count: 3 },
      { day: '2026-11-01', count: 7 },
    ]);
  });

  it('include a report without an OS', () => {
    const { oses } = unpackCounts([{ totals: `${NEWER} 1 `, days: '' }], FIRST_DAY, 10);
    assert.deepEqual(oses, [{ os: '', count: 1 }]);
  });

  it('are empty for a group without reports', () => {
    const empty = { builds: [], build_count: 0, oses: [], days: [] };
    assert.deepEqual(unpackCounts([{ totals: '', days: '' }], FIRST_DAY, 10), empty);
    assert.deepEqual(unpackCounts([], FIRST_DAY, 10), empty);
  });

  it('are summed over merged groups', () => {
    const other = { totals: `${NEWER} 5 windows`, days: '1 1,9 2' };
    const { builds, oses, days } = unpackCounts([{ totals, days: '0 3,9 7' }, other], FIRST_DAY, 1);
    assert.deepEqual(builds, [{ build_id: NEWER, count: 9 }]);
    assert.deepEqual(oses, [
      { os: 'windows', count: 8 },
      { os: 'linux', count: 7 },
    ]);
    assert.deepEqual(
      days.map(({ day, count }) => [day, count]),
      [
        ['2026-10-23', 3],
        ['2026-10-24', 1],
        ['2026-11-01', 9],
      ],
    );
  });
});
