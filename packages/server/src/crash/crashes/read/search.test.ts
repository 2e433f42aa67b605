import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY, HOUR } from '../../../kernel/clock.ts';
import { firstIdAt, newId } from '../../../kernel/secrets/ids.ts';
import { firstWindow, nextWindow, windowBelow, windowsBack } from './search.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('firstWindow', () => {
  it('goes back twenty times as far as the scan', () => {
    assert.equal(firstWindow(newId(now), newId(now - HOUR)), firstIdAt(now - 20 * HOUR));
  });

  it('has a minimum length for reports of one moment', () => {
    assert.ok(firstWindow(newId(now), newId(now))! <= newId(now - 10_000));
  });

  it('has no bound before 1970', () => {
    assert.equal(firstWindow(newId(now), newId(now - 10_000 * DAY)), null);
  });
});

describe('nextWindow', () => {
  const after = (share: number) => nextWindow(newId(now), firstIdAt(now - HOUR), share);

  it('goes back twice as far as the rest of the page should be', () => {
    assert.equal(after(0.5), firstIdAt(now - 4 * HOUR));
    assert.equal(after(0.1), firstIdAt(now - 20 * HOUR));
  });

  it('has no bound if that is much further, or nothing was found', () => {
    assert.equal(after(0.09), null);
    assert.equal(after(0), null);
  });

  it('has no bound before 1970', () => {
    assert.equal(nextWindow(newId(now), firstIdAt(now - 10_000 * DAY), 0.5), null);
  });
});

describe('windowBelow', () => {
  const below = (hours: number, found: number) =>
    windowBelow(newId(now), firstIdAt(now - hours * HOUR), { found, wanted: 50 });

  it('is twice as long as the rest of the page should need', () => {
    assert.equal(below(48, 25), firstIdAt(now - 48 * HOUR - 96 * HOUR));
  });

  it('is twenty times as long as what was searched if nothing, or little, was found', () => {
    assert.equal(below(48, 0), firstIdAt(now - 21 * 48 * HOUR));
    assert.equal(below(48, 1), firstIdAt(now - 21 * 48 * HOUR));
  });

  it('is at least a day long', () => {
    assert.equal(below(1, 49), firstIdAt(now - 25 * HOUR));
  });

  it('has no bound before 1970', () => {
    assert.equal(below(365 * 24 * 3, 0), null);
  });
});

describe('windowsBack', () => {
  const ids = (...days: number[]) => days.map((day) => firstIdAt(now - day * DAY));

  it('covers everything once, in windows that become longer', () => {
    const [before = '', second, third, oldest = ''] = ids(0, 1, 5, 9);
    assert.deepEqual(
      [...windowsBack({ oldest, before })],
      [
        { from: second, to: before },
        { from: third, to: second },
        { from: oldest, to: third },
      ],
    );
  });

  it('begins with a window of at least a day', () => {
    const [before = '', second = '', oldest = ''] = ids(0, 2, 3);
    const lengths = [1, 2 * DAY].map((length) => [...windowsBack({ oldest, before }, length)][0]!.from);
    assert.deepEqual(lengths, [firstIdAt(now - DAY), second]);
  });

  it('is empty without reports below the bound', () => {
    const [before = '', oldest = ''] = ids(3, 3);
    assert.deepEqual([...windowsBack({ oldest, before })], []);
  });
});
