import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readClientTime } from './client-time.ts';

const TIME = Date.UTC(2026, 10, 21, 10, 0, 0, 250);

describe('the time of a client', () => {
  it('is read in every form that clients send', () => {
    for (const value of [
      '2026-11-21T10:00:00.250Z',
      '2026-11-21T11:00:00.25+01:00',
      TIME,
      TIME / 1000,
      String(TIME),
      String(TIME / 1000),
    ])
      assert.equal(readClientTime(value), TIME, String(value));
  });

  it('is null if it is invalid', () => {
    for (const value of [
      null,
      undefined,
      true,
      {},
      '',
      'yesterday',
      Number.NaN,
      -1,
      1e300,
      '9'.repeat(41),
      '+012026-11-21T10:00:00Z',
    ])
      assert.equal(readClientTime(value), null, String(value));
  });

  it('is always accepted by PostgreSQL', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.string(), fc.date().map(String), fc.integer().map(String)), (value) => {
        const time = readClientTime(value);
        return time === null || /^\d{4}-/.test(new Date(time).toISOString());
      }),
    );
  });
});
