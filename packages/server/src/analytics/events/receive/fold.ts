// Counts events in the order in which they arrived. The results do not depend on how events were batched.
import { bucketOf } from '../../../kernel/collections/sketch.ts';
import type { GameEvent } from './event.ts';

/**
 * Bits for what happened to a device with a build in a batch: it crashed before any boot_ok, it booted, and it crashed
 * at any time. 0 if it only sent other events.
 */
export const CRASHED = 1;
export const BOOTED = 2;
export const ANY_CRASH = 4;

/** The counts of a build's events. */
export type BuildFold = {
  /** The number of events by the name they are counted under. */
  readonly names: Map<string, number>;
  /** The bits of each device. */
  readonly devices: Map<string, number>;
  /** The number of values of `ms` in boot_ok and of `seconds` in session_end, by bucket. */
  readonly bootMs: Map<number, number>;
  readonly sessionSeconds: Map<number, number>;
};

export function emptyFold(): BuildFold {
  return { names: new Map(), devices: new Map(), bootMs: new Map(), sessionSeconds: new Map() };
}

/** Adds an event that arrived after the others. `counted` is the name it is counted under. */
export function addEvent(fold: BuildFold, event: GameEvent, counted: string): void {
  increase(fold.names, counted);
  const { event: name, device_uid, ms, seconds } = event;
  if (device_uid != null) fold.devices.set(device_uid, combine(fold.devices.get(device_uid) ?? 0, bitsOf(name)));
  if (name === 'boot_ok' && ms != null) increase(fold.bootMs, bucketOf(ms));
  if (name === 'session_end' && seconds != null) increase(fold.sessionSeconds, bucketOf(seconds));
}

/**
 * Combines the bits of two periods. A crash in the later period only counts as a crash on boot if the earlier period
 * has no boot_ok.
 */
export function combine(earlier: number, later: number): number {
  return (earlier & BOOTED) === 0 ? earlier | later : earlier | (later & ~CRASHED);
}

function bitsOf(name: string): number {
  if (name === 'boot_ok') return BOOTED;
  return name === 'crash' ? CRASHED | ANY_CRASH : 0;
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
