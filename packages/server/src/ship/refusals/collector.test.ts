import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_REFS, type Refusal, RefusalCollector } from './collector.ts';
import { showRef } from './show-ref.ts';

const GAME = 'game';
const refusal = (given: Partial<Refusal> = {}): Refusal => ({
  gameId: GAME,
  kind: 'event',
  buildRef: 'BUILD_ID',
  count: 1,
  ...given,
});
const at = (second: number) => new Date(second * 1000);

describe('the collector of refusals', () => {
  it('adds up the counts of an id, with the first and the last time', () => {
    const collector = new RefusalCollector();
    collector.note(refusal({ count: 3 }), at(1));
    collector.note(refusal({ count: 4 }), at(2));
    collector.note(refusal({ kind: 'report' }), at(3));
    assert.deepEqual(
      collector.take().map(({ kind, count, firstAt, lastAt }) => [kind, count, firstAt, lastAt]),
      [
        ['event', 7, at(1), at(2)],
        ['report', 1, at(3), at(3)],
      ],
    );
    assert.ok(collector.isEmpty);
  });

  it('counts the ids of a game that are past its limit together', () => {
    const collector = new RefusalCollector();
    for (let no = 0; no < 100_000; no += 1) collector.note(refusal({ buildRef: `id ${no}` }), at(no));
    const taken = collector.take();
    assert.equal(taken.length, MAX_REFS + 1);
    assert.deepEqual(
      taken.filter(({ isRest }) => isRest).map(({ buildRef, count }) => [buildRef, count]),
      [['', 100_000 - MAX_REFS]],
    );
  });

  it('keeps a place for games that exist when there are many other ids of games', () => {
    const collector = new RefusalCollector();
    collector.confirm([GAME]);
    for (let no = 0; no < 100_000; no += 1) collector.note(refusal({ gameId: `random ${no}` }), at(1));
    collector.note(refusal(), at(2));
    const games = collector.take().map(({ gameId }) => gameId);
    assert.ok(games.includes(GAME));
    assert.equal(games.length, 501);
  });
});

describe('a text that was sent as a build id', () => {
  it('shows characters that can not be seen, and is cut', () => {
    assert.equal(showRef('a\u0000b\u202ec\u00a0d e'), 'a\\u{0}b\\u{202e}c\\u{a0}d e');
    assert.equal(showRef('\ud800'), '\\u{d800}');
    assert.equal(showRef('x'.repeat(64)), 'x'.repeat(64));
    assert.equal(showRef('x'.repeat(100_000)), `${'x'.repeat(63)}…`);
    assert.ok(showRef('\u0000'.repeat(64)).length <= 64);
  });
});
