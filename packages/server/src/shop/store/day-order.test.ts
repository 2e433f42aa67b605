import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { dayOrder } from './shelf-rules.ts';

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
