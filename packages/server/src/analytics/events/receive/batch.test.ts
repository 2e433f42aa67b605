import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bucketOf } from '../../../kernel/collections/sketch.ts';
import { ANY_CRASH, addEvent, BOOTED, type BuildFold, CRASHED, combine, emptyFold, readClientTime } from './batch.ts';
import type { GameEvent } from './event.ts';

const device = fc.constantFrom('a', 'b', 'c', null);
const event: fc.Arbitrary<GameEvent> = fc.record({
  event: fc.constantFrom('session_start', 'boot_ok', 'crash', 'session_end', 'quit', 'custom'),
  device_uid: device,
  ms: fc.nat(100),
  seconds: fc.nat(100),
});

function foldOf(events: readonly GameEvent[]): BuildFold {
  const fold = emptyFold();
  for (const each of events) addEvent(fold, each, each.event);
  return fold;
}

/** The bits of a device after folding its batches one after the other. */
function stateAfter(folds: readonly BuildFold[], uid: string): number | undefined {
  return folds
    .map(({ devices }) => devices.get(uid))
    .filter((bits) => bits !== undefined)
    .reduce<number | undefined>((state, bits) => (state === undefined ? bits : combine(state, bits)), undefined);
}

describe('a fold of events', () => {
  it('has the same result for a device however its events are batched', () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat(20)), (events, cuts) => {
        const boundaries = [
          0,
          ...cuts.map((cut) => Math.min(cut, events.length)).toSorted((a, b) => a - b),
          events.length,
        ];
        const parts = boundaries.slice(1).map((end, no) => foldOf(events.slice(boundaries[no], end)));
        const whole = foldOf(events);
        for (const uid of ['a', 'b', 'c']) assert.equal(stateAfter(parts, uid), whole.devices.get(uid));
      }),
    );
  });

  it('counts a crash on boot if a crash comes before the first boot_ok', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const { devices } = foldOf(events);
        for (const uid of ['a', 'b', 'c']) {
          const names = events.filter(({ device_uid }) => device_uid === uid).map((each) => each.event);
          const boot = names.indexOf('boot_ok');
          const crash = names.indexOf('crash');
          const onBoot = crash >= 0 && (boot < 0 || crash < boot);
          const bits = (boot >= 0 ? BOOTED : 0) | (crash >= 0 ? ANY_CRASH : 0) | (onBoot ? CRASHED : 0);
          assert.equal(devices.get(uid), names.length === 0 ? undefined : bits);
        }
      }),
    );
  });

  it('counts every event under its name, and times only for their events', () => {
    const fold = foldOf([
      { event: 'boot_ok', device_uid: 'a', ms: 7, seconds: 9 },
      { event: 'boot_ok', device_uid: 'a', ms: 7 },
      { event: 'boot_ok', device_uid: 'a' },
      { event: 'first_input', ms: 5 },
      { event: 'session_end', seconds: 60, ms: 5 },
      { event: 'custom', ms: 5, seconds: 5 },
    ]);
    assert.deepEqual(
      [...fold.names],
      [
        ['boot_ok', 3],
        ['first_input', 1],
        ['session_end', 1],
        ['custom', 1],
      ],
    );
    assert.deepEqual([[...fold.bootMs], [...fold.sessionSeconds]], [[[bucketOf(7), 2]], [[bucketOf(60), 1]]]);
  });
});

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
