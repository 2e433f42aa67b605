// Folds events, in the order in which they came, into what is counted of them: nothing of it depends on how they were batched.

import { bucketOf } from '../../../kernel/sketch.ts';
import type { GameEvent } from './event.ts';

/** What a batch tells of a device on one build, as bits: it was heard of (0), crashed before any boot_ok of the batch, booted. */
export const CRASHED = 1;
export const BOOTED = 2;

/** What is counted of one build’s events. */
export type BuildFold = {
  /** Events by the name that they count under. */
  readonly names: Map<string, number>;
  /** Bits of each device. */
  readonly devices: Map<string, number>;
  /** Values of boot_ok’s `ms` and of session_end’s `seconds`, by bucket. */
  readonly bootMs: Map<number, number>;
  readonly sessionSeconds: Map<number, number>;
};

export function emptyFold(): BuildFold {
  return { names: new Map(), devices: new Map(), bootMs: new Map(), sessionSeconds: new Map() };
}

/** Adds an event that came after those that are in the fold. `counted` is the name that it counts under. */
export function addEvent(fold: BuildFold, event: GameEvent, counted: string): void {
  increase(fold.names, counted);
  const { event: name, device_uid, ms, seconds } = event;
  if (device_uid != null) fold.devices.set(device_uid, follow(fold.devices.get(device_uid) ?? 0, bitsOf(name)));
  if (name === 'boot_ok' && ms != null) increase(fold.bootMs, bucketOf(ms));
  if (name === 'session_end' && seconds != null) increase(fold.sessionSeconds, bucketOf(seconds));
}

/** What two stretches of a device’s events tell together: a crash in the later one is one on boot only when the earlier has no boot_ok. */
export function follow(earlier: number, later: number): number {
  return (earlier & BOOTED) === 0 ? earlier | later : earlier | (later & BOOTED);
}

function bitsOf(name: string): number {
  if (name === 'boot_ok') return BOOTED;
  return name === 'crash' ? CRASHED : 0;
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
