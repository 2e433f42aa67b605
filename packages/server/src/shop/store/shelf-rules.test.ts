import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Os } from '@chauffeur/contract/identity';
import { GIB } from '@chauffeur/contract/limits';
import type { Band } from '@chauffeur/contract/operations/health';
import type { ShelfName } from '@chauffeur/contract/operations/shelves';
import fc from 'fast-check';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import {
  bestFirst,
  type Candidate,
  changedAt,
  dayOrder,
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

type Game = { game_id: string };

const games = fc.uniqueArray(
  fc.uuid().map((game_id): Game => ({ game_id })),
  { selector: ({ game_id }) => game_id, maxLength: 40 },
);
const day = fc.date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }).map(utcDayOf);
const idsOf = (from: readonly Game[]) => from.map(({ game_id }) => game_id);

describe('the order of a day', () => {
  test('contains each game once, independent of the input order', () => {
    fc.assert(
      fc.property(games, day, fc.infiniteStream(fc.nat()), (input, on, dice) => {
        const ordered = idsOf(dayOrder('tonight', on, input));
        assert.deepEqual(ordered.toSorted(), idsOf(input).toSorted());
        const shuffled = input.map((game) => ({ game, at: dice.next().value })).sort((a, b) => a.at - b.at);
        assert.deepEqual(
          idsOf(
            dayOrder(
              'tonight',
              on,
              shuffled.map(({ game }) => game),
            ),
          ),
          ordered,
        );
      }),
    );
  });

  test('keeps the order of other games when a game is added or removed', () => {
    fc.assert(
      fc.property(games, fc.uuid(), day, (input, another, on) => {
        fc.pre(!idsOf(input).includes(another));
        const without = idsOf(dayOrder('unheard_of', on, input));
        const withIt = idsOf(dayOrder('unheard_of', on, [...input, { game_id: another }]));
        assert.deepEqual(
          withIt.filter((id) => id !== another),
          without,
        );
      }),
    );
  });

  test('differs on each day and shelf', () => {
    const some = Array.from({ length: 20 }, (_, index) => ({ game_id: `game ${index}` }));
    const order = idsOf(dayOrder('unheard_of', '2026-11-30', some));
    assert.notDeepEqual(idsOf(dayOrder('unheard_of', '2026-12-01', some)), order);
    assert.notDeepEqual(idsOf(dayOrder('tonight', '2026-11-30', some)), order);
  });

  // 12 of 40 games are shown, so each has a chance of 12/40 a day: 120 times in 400 days, within five standard
  // deviations of 9.2.
  test('shows each of many games about equally often', () => {
    const start = fc.date({ min: new Date('2020-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
    const forty = fc.uniqueArray(fc.uuid(), { minLength: 40, maxLength: 40 });
    const property = fc.property(forty, start, (ids, from) => {
      const input = ids.map((game_id): Game => ({ game_id }));
      const shown = new Map<string, number>(ids.map((id) => [id, 0]));
      for (let no = 0; no < 400; no += 1) {
        const on = utcDayOf(new Date(from.getTime() + no * DAY));
        for (const id of idsOf(dayOrder('unheard_of', on, input)).slice(0, 12)) shown.set(id, shown.get(id)! + 1);
      }
      const counts = [...shown.values()];
      assert.ok(Math.min(...counts) > 74 && Math.max(...counts) < 166, String(counts));
    });
    fc.assert(property, { numRuns: 10 });
  });
});
