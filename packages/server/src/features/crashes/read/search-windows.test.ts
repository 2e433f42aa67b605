import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY, HOUR } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import { searchWindows } from './search-windows.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('searchWindows', () => {
  it('goes twenty times as far back as was looked through, and then all the way', () => {
    const [bound, last] = searchWindows(newId(now), newId(now - HOUR));
    assert.ok(bound! < newId(now - 20 * HOUR));
    assert.ok(bound! > newId(now - 20 * HOUR - 1));
    assert.equal(last, null);
  });

  it('has a window of some length for reports that came in one moment', () => {
    const [bound] = searchWindows(newId(now), newId(now));
    assert.ok(bound! <= newId(now - 10_000));
  });

  it('has no bound before 1970', () => {
    assert.deepEqual(searchWindows(newId(now), newId(now - 10_000 * DAY)), [null]);
  });
});
