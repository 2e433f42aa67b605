// Closes the parts of a process, the last opened first. A part that fails or hangs does not prevent the others from
// closing.
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../telemetry/log.ts';

type Part = {
  /** Its name in the log, such as `worker`. */
  readonly name: string;
  /**
   * How many seconds its closing may take, in addition to its grace period. After that, the remaining parts are closed
   * anyway.
   */
  readonly seconds: number;
  /** How many seconds it may wait for work in progress before aborting it; 0 by default. */
  readonly graceSeconds?: number;
  readonly close: (graceSeconds: number) => Promise<void> | void;
};

export type Closers = {
  /** Adds parts. They close at the same time as each other, and before all parts that were added earlier. */
  add(...parts: readonly Part[]): void;
  /**
   * Closes every part within the sum of their deadlines. Safe to repeat. Throws ClosingError if a part failed or was
   * late, after logging the reason. No part waits for longer than `maxGraceSeconds`.
   */
  close(maxGraceSeconds?: number): Promise<void>;
};

/** Some parts failed to close; the message names them. */
export class ClosingError extends Error {
  override readonly name = 'ClosingError';
}

export function openClosers(log: Log): Closers {
  const groups: (readonly Part[])[] = [];
  let closing: Promise<void> | undefined;
  return {
    add(...parts) {
      groups.push(parts);
    },
    close(maxGraceSeconds = Infinity) {
      closing ??= closeAll(groups, log, maxGraceSeconds);
      return closing;
    },
  };
}

async function closeAll(groups: readonly (readonly Part[])[], log: Log, maxGraceSeconds: number): Promise<void> {
  const failed: string[] = [];
  for (const group of groups.toReversed()) {
    const closed = await Promise.all(
      group.map((part) => closeInTime(part, log, Math.min(part.graceSeconds ?? 0, maxGraceSeconds))),
    );
    failed.push(...group.filter((_, index) => !closed[index]).map(({ name }) => name));
  }
  if (failed.length > 0) throw new ClosingError(`failed to close: ${failed.join(', ')}`);
}

/** Returns whether the part was closed. */
async function closeInTime({ name, close, ...part }: Part, log: Log, graceSeconds: number): Promise<boolean> {
  const seconds = graceSeconds + part.seconds;
  const done = new AbortController();
  const closed = Promise.resolve()
    .then(() => close(graceSeconds))
    .then(() => true);
  try {
    if (await Promise.race([closed, wait(seconds * 1000, false, { signal: done.signal })])) return true;
    log.error({ part: name, seconds }, 'a part did not close in time; continuing without it');
  } catch (err) {
    log.error({ err, part: name }, 'a part failed to close; continuing without it');
  } finally {
    done.abort();
  }
  return false;
}
