import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY, HOUR } from '../../../kernel/clock.ts';
import { firstIdAt, newId } from '../../../kernel/secrets/ids.ts';
import { firstWindow, nextWindow } from './search-windows.ts';

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
