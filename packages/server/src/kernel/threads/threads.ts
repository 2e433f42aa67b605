// Runs one task in a worker thread with a time limit and a bounded heap, for parsing untrusted input. Counts what the
// threads of this process do, for the metrics.
import { basename } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** The thread exceeded its time limit and was ended. */
export class ThreadTimeoutError extends Error {
  override readonly name = 'ThreadTimeoutError';
}

/** The thread ended before its task did. */
export class ThreadCrashError extends Error {
  override readonly name = 'ThreadCrashError';
  /**
   * `memory`: the heap or the buffers exceeded their limit. `error`: something threw outside the task; see the cause. `exit`: the thread ended by
   * itself.
   */
  readonly reason: 'memory' | 'error' | 'exit';

  constructor(reason: ThreadCrashError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

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

export type ThreadLimits = {
  timeoutMs: number;
  /** MiB of the JavaScript heap, without buffers. */
  maxHeapMb: number;
  /** Ends the task, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** MiB of buffers outside of the heap; without a limit by default. They are measured ten times a second. */
  maxBufferMb?: number;
};

/** An error class that a task may reject with, so that its caller can tell it from a crash. */
export type TaskFailure = new (message: string, options?: ErrorOptions) => Error;

type Answer<Output> = { output: Output } | { failure: { name: string; message: string; stack: string | undefined } };

/**
 * Runs the file `entry` (`*.thread.ts`, which calls `answerTask`) once in a separate thread, with a structured clone
 * of `input`, and resolves to its result. Rejects if the task rejects: with the same class if it is one of `failures`,
 * else with an Error of the same message. Rejects with ThreadTimeoutError or ThreadCrashError if the task did not
 * finish. Always ends the thread.
 */
export function runInThread<Output>(
  entry: URL,
  input: unknown,
  { timeoutMs, maxHeapMb, maxBufferMb, signal }: ThreadLimits,
  failures: readonly TaskFailure[] = [],
): Promise<Output> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const name = basename(entry.pathname);
  const worker = new Worker(entry, { workerData: input, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  countStart(entry);
  let timer: NodeJS.Timeout | undefined;
  let watch: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const result = new Promise<Output>((resolve, reject) => {
    timer = setTimeout(() => reject(new ThreadTimeoutError(`${name} took longer than ${timeoutMs} ms`)), timeoutMs);
    onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    if (maxBufferMb !== undefined)
      watch = watchBuffers(worker, maxBufferMb, () =>
        reject(new ThreadCrashError('memory', `${name} exceeded its limit of ${maxBufferMb} MiB for buffers`)),
      );
    worker.on('message', (answer: Answer<Output>) => {
      if ('output' in answer) resolve(answer.output);
      else reject(rebuildFailure(name, answer.failure, failures));
    });
    worker.on('error', (error) => reject(explainCrash(name, error)));
    worker.on('exit', (code) => reject(new ThreadCrashError('exit', `${name} ended with code ${code} and no result`)));
  });
  return countTask(entry, () =>
    result.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      clearInterval(watch);
      // Not awaited: a thread whose heap is full may be stuck in garbage collection, and would block its caller.
      void worker.terminate();
    }),
  );
}

const WATCH_MS = 100;
const BYTES_PER_MIB = 1024 * 1024;

/** The limits of a worker cover only its heap, so its buffers are measured from outside, also while it computes. */
function watchBuffers(worker: Worker, maxBufferMb: number, onExceeded: () => void): NodeJS.Timeout {
  let isPending = false;
  return setInterval(async () => {
    if (isPending) return;
    isPending = true;
    // It rejects if the thread has ended.
    const statistics = await worker.getHeapStatistics().catch(() => undefined);
    isPending = false;
    if ((statistics?.external_memory ?? 0) > maxBufferMb * BYTES_PER_MIB) onExceeded();
  }, WATCH_MS);
}

/** Called once by a thread file: runs `task` on the input of `runInThread` and sends back its result or error. */
export async function answerTask<Input, Output>(task: (input: Input) => Promise<Output>): Promise<void> {
  if (parentPort === null) throw new Error('This file must be started by runInThread');
  let answer: Answer<Output>;
  try {
    answer = { output: await task(workerData as Input) };
  } catch (error) {
    // Structured clone loses the class of an error, so its name is sent, and the class is looked up by it.
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    answer = { failure: { name, message, stack } };
  }
  parentPort.postMessage(answer);
}

function rebuildFailure(
  thread: string,
  { name, message, stack }: { name: string; message: string; stack: string | undefined },
  failures: readonly TaskFailure[],
): Error {
  const cause = new Error(`${name}: ${message}`);
  if (stack !== undefined) cause.stack = stack;
  for (const Failure of failures) {
    const failure = new Failure(message, { cause });
    if (failure.name === name) return failure;
  }
  return new Error(`${thread}: ${message}`, { cause });
}

function explainCrash(thread: string, error: unknown): ThreadCrashError {
  const outOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return outOfMemory
    ? new ThreadCrashError('memory', `${thread} exceeded its memory limit`, { cause: error })
    : new ThreadCrashError('error', `${thread} failed: ${String(error)}`, { cause: error });
}
