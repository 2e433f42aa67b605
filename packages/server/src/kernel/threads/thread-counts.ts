// Counts what the threads of this process do, for the metrics.
import { ThreadCrashError, ThreadTimeoutError } from './thread-errors.ts';

type TaskOutcome = 'done' | 'failed' | 'timeout' | 'memory' | 'crashed';

type ThreadCounts = { started: number; busy: number; readonly tasks: Record<TaskOutcome, number> };

const counts = new Map<string, ThreadCounts>();

/** The counts of each kind of thread, by the name of its file, such as `walk`. */
export function threadCounts(): ReadonlyMap<string, Readonly<ThreadCounts>> {
  return counts;
}

export function countStart(entry: URL): void {
  countsOf(entry).started += 1;
}

/** Counts `work`, a task of a thread. */
export async function countTask<T>(entry: URL, work: () => Promise<T>): Promise<T> {
  const thread = countsOf(entry);
  thread.busy += 1;
  let outcome: TaskOutcome = 'done';
  try {
    return await work();
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    thread.busy -= 1;
    thread.tasks[outcome] += 1;
  }
}

function countsOf({ pathname }: URL): ThreadCounts {
  const name = /([^/]*)\.thread\.\w+$/.exec(pathname)?.[1] ?? 'other';
  return counts.getOrInsertComputed(name, () => ({
    started: 0,
    busy: 0,
    tasks: { done: 0, failed: 0, timeout: 0, memory: 0, crashed: 0 },
  }));
}

function outcomeOf(error: unknown): TaskOutcome {
  if (error instanceof ThreadTimeoutError) return 'timeout';
  if (!(error instanceof ThreadCrashError)) return 'failed';
  return error.reason === 'memory' ? 'memory' : 'crashed';
}
