// Decides on which side of a rollout a device is. A device stays on its side, and a larger share only adds devices.
import { createHash } from 'node:crypto';

/** The length of the scale on which devices have their places. */
export const PLACES = 10_000;

/** The place of a device on the scale, from 0. It differs between rollouts, so that not always the same players go first. */
export function placeOf(rolloutId: string, deviceUid: string): number {
  const hash = createHash('sha256').update(`${rolloutId}/${deviceUid}`).digest();
  return Math.floor((hash.readUInt32BE(0) / 2 ** 32) * PLACES);
}

/** Whether a device at this place is among the share, a percentage. */
export function isWithin(place: number, share: number): boolean {
  return place < (share * PLACES) / 100;
}
