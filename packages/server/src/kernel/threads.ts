// Runs one task in a worker thread with a time limit and a bounded heap: where hostile input is parsed.
import { basename } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export type ThreadLimits = {
  timeoutMs: number;
  /** MiB of the JavaScript heap; buffers do not count. */
  maxHeapMb: number;
};

/** A class of error that a task may reject with, so that its caller can tell it from a crash. */
export type TaskFailure = new (message: string, options?: ErrorOptions) => Error;

/** The thread was ended because its time was up. */
export class ThreadTimeoutError extends Error {
  override readonly name = 'ThreadTimeoutError';
}

/** The thread ended before its task did. */
export class ThreadCrashError extends Error {
  override readonly name = 'ThreadCrashError';
  /** `memory`: the heap was full. `error`: something threw outside of the task, see the cause. `exit`: it ended by itself. */
  readonly reason: 'memory' | 'error' | 'exit';

  constructor(reason: ThreadCrashError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

type Answer<Output> = { output: Output } | { failure: { name: string; message: string; stack: string | undefined } };

/**
 * Runs the file `entry` (`*.thread.ts`, which calls `answerTask`) once in a thread of its own, with `input` copied by structured
 * clone, and resolves with its result. When the task rejects, so does this: with the same class where it is one of `failures`,
 * else with an Error of the same message. Rejects with ThreadTimeoutError or ThreadCrashError when the task had no end. The
 * thread is then told to stop.
 */
export function runInThread<Output>(
  entry: URL,
  input: unknown,
  { timeoutMs, maxHeapMb }: ThreadLimits,
  failures: readonly TaskFailure[] = [],
): Promise<Output> {
  const name = basename(entry.pathname);
  const worker = new Worker(entry, { workerData: input, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  let timer: NodeJS.Timeout | undefined;
  const result = new Promise<Output>((resolve, reject) => {
    timer = setTimeout(() => reject(new ThreadTimeoutError(`${name} took longer than ${timeoutMs} ms`)), timeoutMs);
    worker.on('message', (answer: Answer<Output>) => {
      if ('output' in answer) resolve(answer.output);
      else reject(rebuildFailure(name, answer.failure, failures));
    });
    worker.on('error', (error) => reject(explainCrash(name, error)));
    worker.on('exit', (code) => reject(new ThreadCrashError('exit', `${name} ended with code ${code} and no result`)));
  });
  return result.finally(() => {
    clearTimeout(timer);
    // Not awaited: a thread whose heap is full may be stuck in collecting garbage, and its caller would be stuck with it.
    void worker.terminate();
  });
}

/** To be called once by a thread file: runs `task` on the input of `runInThread` and hands over what comes of it. */
export async function answerTask<Input, Output>(task: (input: Input) => Promise<Output>): Promise<void> {
  if (parentPort === null) throw new Error('A thread file is started with runInThread');
  let answer: Answer<Output>;
  try {
    answer = { output: await task(workerData as Input) };
  } catch (error) {
    // A class does not survive structured clone: its name goes over and the class is found again by it.
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
    ? new ThreadCrashError('memory', `${thread} needed more memory than it may have`, { cause: error })
    : new ThreadCrashError('error', `${thread} failed: ${String(error)}`, { cause: error });
}
