// Decides what becomes of a session when an update of it arrives, and how the counts of devices and days change.

export type Session = {
  readonly sid: string;
  readonly buildId: string;
  /** Null if the client doesn't say who played. */
  readonly deviceUid: string | null;
  /** The UTC day on which it started. */
  readonly day: string;
  readonly isCrashed: boolean;
};

/** The session as it is stored, if it is, and as it will be; null if it is no longer counted. */
export type Change = { readonly before: Session | null; readonly after: Session | null };

/** Updates arrive in any order and more than once. The worst status counts, and the first build. */
export function joinSessions(stored: Session, sent: Session): Session {
  return {
    ...stored,
    deviceUid: stored.deviceUid ?? sent.deviceUid,
    day: stored.day < sent.day ? stored.day : sent.day,
    isCrashed: stored.isCrashed || sent.isCrashed,
  };
}

/** The sessions of a device with a build on a day. */
export type DeviceDay = {
  readonly deviceUid: string;
  readonly buildId: string;
  readonly day: string;
  readonly sessions: number;
  readonly crashed: number;
};

type DayCounts = { [name in (typeof DAY_COUNTS)[number]]: number };
export type DayChange = { readonly buildId: string; readonly day: string } & DayCounts;

export const DAY_COUNTS = ['sessions', 'crashed', 'devices', 'crashed_devices', 'active', 'active_crashed'] as const;
const NO_COUNTS: DayCounts = { sessions: 0, crashed: 0, devices: 0, crashed_devices: 0, active: 0, active_crashed: 0 };

/**
 * Returns the new rows of devices, and what is to be added to the counts of days. `known` has all rows of the devices in
 * the changes, with their builds.
 */
export function countChanges(
  changes: readonly Change[],
  known: readonly DeviceDay[],
): { readonly devices: DeviceDay[]; readonly days: DayChange[] } {
  const days = new Days();
  const devices = new Devices(known);
  for (const { before, after } of changes) {
    for (const [session, by] of [[before, -1] as const, [after, 1] as const]) {
      if (session === null) continue;
      const crashed = session.isCrashed ? by : 0;
      days.add(session, { sessions: by, crashed });
      devices.add(session, { sessions: by, crashed });
    }
  }
  for (const { buildId, before, after } of devices.list()) {
    addDevice(days, buildId, before, -1);
    addDevice(days, buildId, after, 1);
  }
  return { devices: devices.changed(), days: days.list() };
}

/** Adds a device to the days on which it counts. */
function addDevice(days: Days, buildId: string, device: readonly DeviceDay[], by: 1 | -1): void {
  const active = device.filter(({ sessions }) => sessions > 0).map(({ day }) => day);
  const crashed = device.filter((day) => day.crashed > 0).map(({ day }) => day);
  for (const day of active) days.add({ buildId, day }, { active: by });
  for (const day of crashed) days.add({ buildId, day }, { active_crashed: by });
  if (active.length > 0) days.add({ buildId, day: lastOf(active) }, { devices: by });
  if (crashed.length > 0) days.add({ buildId, day: lastOf(crashed) }, { crashed_devices: by });
}

function lastOf(days: readonly string[]): string {
  return days.reduce((last, day) => (day > last ? day : last));
}

type DayKey = { readonly buildId: string; readonly day: string };

class Days {
  readonly #days = new Map<string, DayChange>();

  add({ buildId, day }: DayKey, counts: Partial<DayCounts>): void {
    const key = `${day} ${buildId}`;
    const sum = { ...(this.#days.get(key) ?? { buildId, day, ...NO_COUNTS }) };
    for (const name of DAY_COUNTS) sum[name] += counts[name] ?? 0;
    this.#days.set(key, sum);
  }

  /** The days whose counts change, in the order of their keys, in which all transactions write them. */
  list(): DayChange[] {
    return [...this.#days.entries()]
      .filter(([, change]) => DAY_COUNTS.some((name) => change[name] !== 0))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, change]) => change);
  }
}

/** Rows of one device with one build, by day, before and after all changes. */
type Device = { readonly buildId: string; readonly before: Map<string, DeviceDay>; after: Map<string, DeviceDay> };

class Devices {
  readonly #devices = new Map<string, Device>();

  constructor(known: readonly DeviceDay[]) {
    for (const row of known) this.#deviceOf(row).before.set(row.day, row);
    for (const device of this.#devices.values()) device.after = new Map(device.before);
  }

  #deviceOf({ deviceUid, buildId }: Pick<DeviceDay, 'deviceUid' | 'buildId'>): Device {
    const key = `${buildId} ${deviceUid}`;
    const device = this.#devices.get(key) ?? { buildId, before: new Map(), after: new Map() };
    this.#devices.set(key, device);
    return device;
  }

  /** A row that was deleted with its time can't become negative. */
  add({ deviceUid, buildId, day }: Session, by: { readonly sessions: number; readonly crashed: number }): void {
    if (deviceUid === null) return;
    const { after } = this.#deviceOf({ deviceUid, buildId });
    const { sessions, crashed } = after.get(day) ?? { sessions: 0, crashed: 0 };
    after.set(day, {
      ...{ deviceUid, buildId, day },
      sessions: Math.max(0, sessions + by.sessions),
      crashed: Math.max(0, crashed + by.crashed),
    });
  }

  list(): { buildId: string; before: DeviceDay[]; after: DeviceDay[] }[] {
    return [...this.#devices.values()].map(({ buildId, before, after }) => ({
      buildId,
      before: [...before.values()],
      after: [...after.values()],
    }));
  }

  changed(): DeviceDay[] {
    return [...this.#devices.values()].flatMap(({ before, after }) =>
      [...after.values()].filter((row) => {
        const old = before.get(row.day);
        return row.sessions !== (old?.sessions ?? 0) || row.crashed !== (old?.crashed ?? 0);
      }),
    );
  }
}

/** How long a session that started before today counts for the day on which it started. */
const MAX_DAYS_BACK = 30;
const DAY = 86_400_000;

/** The UTC day of a session. A client whose clock is ahead, or far behind, says nothing about that. */
export function dayOfSession(startedAt: number | null, now: number): string {
  const isPossible = startedAt !== null && startedAt <= now && startedAt > now - MAX_DAYS_BACK * DAY;
  return new Date(isPossible ? startedAt : now).toISOString().slice(0, '2026-11-30'.length);
}
