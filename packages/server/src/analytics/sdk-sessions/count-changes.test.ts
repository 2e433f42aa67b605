import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Change,
  countChanges,
  DAY_COUNTS,
  type DayChange,
  type DeviceDay,
  dayOfSession,
  joinSessions,
  type Session,
} from './count-changes.ts';

const session: fc.Arbitrary<Session> = fc.record({
  sid: fc.constantFrom('s1', 's2', 's3', 's4'),
  buildId: fc.constantFrom('b1', 'b2'),
  deviceUid: fc.option(fc.constantFrom('d1', 'd2')),
  day: fc.constantFrom('2026-11-26', '2026-11-27', '2026-11-28'),
  isCrashed: fc.boolean(),
});

/** Stores what a database would. */
class Store {
  readonly sessions = new Map<string, Session>();
  readonly devices = new Map<string, DeviceDay>();
  readonly days = new Map<string, DayChange>();

  write(changes: readonly Change[]): void {
    const { devices, days } = countChanges(changes, [...this.devices.values()]);
    for (const { after } of changes) if (after !== null) this.sessions.set(after.sid, after);
    for (const row of devices) this.devices.set(`${row.deviceUid} ${row.buildId} ${row.day}`, row);
    for (const change of days) {
      const key = `${change.buildId} ${change.day}`;
      const sum = { ...(this.days.get(key) ?? { ...change, ...NONE }) };
      for (const name of DAY_COUNTS) sum[name] += change[name];
      this.days.set(key, sum);
    }
  }

  /** Writes a batch as it is received. */
  take(batch: readonly Session[]): void {
    const sent = new Map<string, Session>();
    for (const each of batch) sent.set(each.sid, sent.has(each.sid) ? joinSessions(sent.get(each.sid)!, each) : each);
    this.write(
      [...sent.values()].map((each) => {
        const before = this.sessions.get(each.sid) ?? null;
        return { before, after: before === null ? each : joinSessions(before, each) };
      }),
    );
  }

  counted(): Map<string, DayChange> {
    return new Map([...this.days].filter(([, day]) => DAY_COUNTS.some((name) => day[name] !== 0)));
  }
}

const NONE = { sessions: 0, crashed: 0, devices: 0, crashed_devices: 0, active: 0, active_crashed: 0 };

/** Counts all sessions again, in the plainest way. */
function countAll(sessions: readonly Session[]): Map<string, DayChange> {
  const days = new Map<string, DayChange>();
  const add = (buildId: string, day: string, name: (typeof DAY_COUNTS)[number]) => {
    const key = `${buildId} ${day}`;
    const counts = days.get(key) ?? { buildId, day, ...NONE };
    days.set(key, { ...counts, [name]: counts[name] + 1 });
  };
  for (const { buildId, day, isCrashed } of sessions) {
    add(buildId, day, 'sessions');
    if (isCrashed) add(buildId, day, 'crashed');
  }
  const known = sessions.filter(({ deviceUid }) => deviceUid !== null);
  for (const [which, active, last] of [
    [known, 'active', 'devices'],
    [known.filter(({ isCrashed }) => isCrashed), 'active_crashed', 'crashed_devices'],
  ] as const) {
    for (const ofDevice of Map.groupBy(which, ({ deviceUid, buildId }) => `${deviceUid} ${buildId}`).values()) {
      const { buildId } = ofDevice[0]!;
      const itsDays = [...new Set(ofDevice.map(({ day }) => day))].sort();
      for (const day of itsDays) add(buildId, day, active);
      add(buildId, itsDays.at(-1)!, last);
    }
  }
  return days;
}

const sorted = (days: Map<string, DayChange>) => [...days.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
const keyOf = ({ buildId, day }: DayChange) => `${buildId} ${day}`;

describe('countChanges', () => {
  it('counts the same as counting all sessions again, however they arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.array(session, { maxLength: 5 }), { maxLength: 6 }), (batches) => {
        const store = new Store();
        for (const batch of batches) store.take(batch);
        for (const batch of batches) store.take(batch);
        assert.deepEqual(sorted(store.counted()), sorted(countAll([...store.sessions.values()])));
      }),
    );
  });

  it('counts the same after sessions get another build, and without a device', () => {
    fc.assert(
      fc.property(fc.array(session, { maxLength: 12 }), (sessions) => {
        const store = new Store();
        store.take(sessions);
        const moved = [...store.sessions.values()].filter(({ buildId }) => buildId === 'b1');
        store.write(moved.map((before) => ({ before, after: { ...before, buildId: 'b2' } })));
        const ofDevice = [...store.sessions.values()].filter(({ deviceUid }) => deviceUid === 'd1');
        store.write(ofDevice.map((before) => ({ before, after: { ...before, deviceUid: null } })));
        assert.deepEqual(sorted(store.counted()), sorted(countAll([...store.sessions.values()])));
      }),
    );
  });
});

describe('dayOfSession', () => {
  const now = Date.parse('2026-11-28T00:10:00Z');

  it('is the day on which the session started, up to 30 days ago', () => {
    assert.equal(dayOfSession(Date.parse('2026-11-27T23:59:00Z'), now), '2026-11-27');
    assert.equal(dayOfSession(Date.parse('2026-10-29T12:00:00Z'), now), '2026-10-29');
  });

  it('is today if the clock of the client cannot be right', () => {
    for (const started of [
      null,
      0,
      -1e15,
      Date.parse('2026-10-01T00:00:00Z'),
      Date.parse('2026-11-29T00:00:00Z'),
      1e15,
    ])
      assert.equal(dayOfSession(started, now), '2026-11-28');
  });
});
