// Waits for what the service does by itself.
import { setTimeout as wait } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
/** Between two questions: without it, a test that waits takes the processor from what it waits for. */
const BREATH_MS = 25;

/** Asks again until `probe` answers something. Fails after a minute with what `fault` says. */
export async function until<T>(
  probe: () => Promise<T | undefined | null | false>,
  fault: () => string = () => 'waited a minute in vain',
): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await wait(BREATH_MS)) {
    const found = await probe();
    if (found) return found;
  }
  throw new Error(fault());
}
