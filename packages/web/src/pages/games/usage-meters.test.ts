import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isNearLimit, metersOf, shareOf } from './usage-meters.ts';

const GIB = 1024 ** 3;

function usageOf({ used = 3.2 * GIB, limit = 100 * GIB, files = { used: 41, limit: 2000 } } = {}) {
  return {
    storage: {
      used_bytes: used,
      limit_bytes: limit,
      builds_bytes: used,
      sessions_bytes: 0,
      symbols_bytes: 0,
      event_files_bytes: 0,
      videos_bytes: 0,
      patches_bytes: 0,
    },
    crashes_today: {
      reports: { used: 1200, limit: 10_000 },
      files,
      bytes: { used: 0, limit: 0 },
      resets_at: '2026-11-23T00:00:00.000Z',
    },
  };
}

describe('metersOf', () => {
  it('formats the usage of each limit, and of what is unlimited', () => {
    assert.deepEqual(
      metersOf(usageOf()).map(({ name, text }) => `${name}: ${text}`),
      [
        'Builds, symbols and event files: 3.2 GiB of 100 GiB used',
        'Crash reports today: 1,200 of 10,000 used',
        'Crash files today: 41 of 2,000 used',
        'Stored crash files today: 0 bytes used',
      ],
    );
  });

  it('is near a limit from 80% on, and never if there is no limit', () => {
    const near = (usage: ReturnType<typeof usageOf>) =>
      metersOf(usage)
        .filter(isNearLimit)
        .map(({ name }) => name);
    assert.deepEqual(near(usageOf({ used: 79.9 * GIB, files: { used: 1600, limit: 2000 } })), ['Crash files today']);
    assert.deepEqual(near(usageOf({ used: 80 * GIB })), ['Builds, symbols and event files']);
    assert.deepEqual(near(usageOf({ used: 80 * GIB, limit: 0 })), []);
    assert.equal(shareOf(metersOf(usageOf({ used: 120 * GIB }))[0]!), 1);
  });
});
