// Delays responses to fixed intervals after the request, so that their timing does not reveal what was done.
import { setTimeout as wait } from 'node:timers/promises';

/** Longer than either kind of work usually takes. */
const BEAT_MS = 250;

/** Runs `work`, and settles like it at the next interval after `begun`, a time of `performance.now()`. */
export async function waitForNextBeat<T>(begun: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    const elapsed = performance.now() - begun;
    await wait(Math.ceil(elapsed / BEAT_MS) * BEAT_MS - elapsed);
  }
}
