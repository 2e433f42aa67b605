import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Os } from '@chauffeur/contract/identity';
import { GIB } from '@chauffeur/contract/limits';
import type { Band } from '@chauffeur/contract/operations/health';
import type { ShelfName } from '@chauffeur/contract/operations/shelves';
import { DAY } from '../../kernel/clock.ts';
import {
  bestFirst,
  type Candidate,
  changedAt,
  fits,
  isUnheardOf,
  type StableOffer,
  unheardSince,
} from './shelf-rules.ts';

const NOW = new Date('2026-11-30T20:00:00Z');
const daysAgo = (days: number, ms = 0) => new Date(NOW.getTime() - days * DAY + ms);

const offer = (changes: Partial<StableOffer> = {}): StableOffer => ({
  os: 'linux',
  arch: 'x86_64',
  size: 1000,
  changed_at: NOW,
  ...changes,
});
const game = (...offers: StableOffer[]): Candidate => ({ game_id: 'g', published_at: NOW, offers });
const requestFor = (shelf: ShelfName, os?: Os) => ({ shelf, os, now: NOW, day: '2026-11-30' });

describe('a shelf for one OS', () => {
  test('has games with a download for it; without an OS it has all games', () => {
    const both = game(offer({ os: 'windows' }), offer());
    assert.deepEqual(
      [fits(both, requestFor('new', 'windows')), fits(both, requestFor('new', 'macos')), fits(both, requestFor('new'))],
      [true, false, true],
    );
  });
});

describe('the tonight shelf', () => {
  test('has downloads under 1 GiB, while other shelves have any size', () => {
    const huge = game(offer({ size: GIB }));
    assert.equal(fits(huge, requestFor('tonight')), false);
    assert.equal(fits(game(offer({ size: GIB - 1 })), requestFor('tonight')), true);
    for (const shelf of ['new', 'unheard_of', 'recently_updated'] as const)
      assert.equal(fits(huge, requestFor(shelf)), true);
  });

  test('uses the size for the requested OS', () => {
    const mixed = game(offer({ os: 'windows', size: 2 * GIB }), offer({ size: 1000 }));
    assert.equal(fits(mixed, requestFor('tonight', 'windows')), false);
    assert.equal(fits(mixed, requestFor('tonight', 'linux')), true);
    assert.equal(fits(mixed, requestFor('tonight')), true);
  });

  test('lists excellent and healthy games first, then unrated ones, and none with poor health', () => {
    const bands: [string, Band][] = [
      ['a', 'unrated'],
      ['b', 'healthy'],
      ['c', 'mixed'],
      ['d', 'excellent'],
      ['e', 'problematic'],
      ['f', 'healthy'],
    ];
    const games = [...bands.map(([game_id]) => ({ game_id })), { game_id: 'g' }];
    assert.deepEqual(
      bestFirst(games, new Map(bands)).map(({ game_id }) => game_id),
      ['b', 'd', 'f', 'a', 'g'],
    );
  });
});

describe('the unheard-of shelf', () => {
  const isUnheard = (devicesEver: number, firstBootOkAt: Date | null) =>
    isUnheardOf({ devicesEver, firstBootOkAt }, NOW);

  test('has games with fewer than 200 devices in total', () => {
    assert.deepEqual([isUnheard(0, null), isUnheard(199, null), isUnheard(200, null)], [true, true, false]);
  });

  test('has games up to 30 days after their first boot_ok, or without any', () => {
    assert.deepEqual(
      [isUnheard(1, daysAgo(30)), isUnheard(1, daysAgo(30, -1)), isUnheard(1, null)],
      [true, false, true],
    );
  });

  test('has games published within the last 60 days', () => {
    assert.deepEqual(unheardSince(NOW), daysAgo(60));
  });
});

test('the update time of a game is the latest change of its offers', () => {
  const times = [daysAgo(3), daysAgo(1), daysAgo(2)];
  assert.deepEqual(changedAt(times.map((changed_at) => offer({ changed_at }))), daysAgo(1));
});
