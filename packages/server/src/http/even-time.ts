// Answers at fixed beats after a request, so that the time of an answer does not show what was done for it.
import { setTimeout as wait } from 'node:timers/promises';

/** Longer than either kind of work usually takes. */
const BEAT_MS = 250;

/** Does `work`, and settles as it does at the next beat since `begun`, a time of `performance.now()`. */
export async function waitForNextBeat<T>(begun: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    const elapsed = performance.now() - begun;
    await wait(Math.ceil(elapsed / BEAT_MS) * BEAT_MS - elapsed);
  }
}
