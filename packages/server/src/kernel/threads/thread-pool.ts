// Keeps worker threads for frequent tasks: like threads.ts, with a time limit and a bounded heap, but without starting
// a thread per task.
import { basename } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import { limitConcurrency } from './concurrency.ts';
import { countStart, countTask, ThreadCrashError, type ThreadLimits, ThreadTimeoutError } from './threads.ts';

/** Answers a question that a task asks while it runs. */
type AnswerQuestion<Question, Reply> = (question: Question) => Promise<Reply>;

export type ThreadPool<Input, Output, Question, Reply> = {
  /**
   * Runs one task on a copy of `input`. Rejects with an Error of the task's message and code, with the error of `answer`, with
   * ThreadTimeoutError or with ThreadCrashError. Except in the first case, its thread is ended and the next task gets a
   * new one.
   */
  run(input: Input, answer: AnswerQuestion<Question, Reply>): Promise<Output>;
};

/** `timeoutMs` limits the work of one task. Starting its thread and waiting for an answer do not count. */
type PoolOptions = ThreadLimits & {
  /** Tasks that run at once. */
  size: number;
  /** How long, in milliseconds, an idle thread is kept; its memory is released in quiet times. */
  idleMs?: number;
};

type Failure = { readonly message: string; readonly code?: string | undefined };
type FromThread = { ready: true } | { output: unknown } | { failure: Failure } | { question: unknown };
type ToThread = { input: unknown } | { reply: unknown };

/** An idle thread and the timer that ends it. */
type IdleThread = { readonly worker: Worker; readonly timer: NodeJS.Timeout };

/**
 * Creates a pool of threads of the file `entry` (`*.thread.ts`, which calls `serveTasks`). Each is started when it is
 * needed. Idle threads do not keep the process alive.
 */
export function createThreadPool<Input, Output, Question, Reply>(
  entry: URL,
  { size, idleMs = 60_000, timeoutMs, maxHeapMb }: PoolOptions,
): ThreadPool<Input, Output, Question, Reply> {
  const takeTurn = limitConcurrency(size);
  const name = basename(entry.pathname);
  let idle: IdleThread[] = [];

  function take(): { worker: Worker; isNew: boolean } {
    const kept = idle.pop();
    if (kept === undefined) return { worker: start(), isNew: true };
    clearTimeout(kept.timer);
    return { worker: kept.worker, isNew: false };
  }

  function start(): Worker {
    const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
    countStart(entry);
    // While it has a task, other listeners handle errors. An idle thread, or one that is being ended, may fail without
    // consequence.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      idle = idle.filter((kept) => kept.worker !== worker);
    });
    return worker;
  }

  function keep(worker: Worker): void {
    // The thread may have ended since its last result. It then has no id, and would never run a task.
    if (worker.threadId === -1) return;
    worker.unref();
    const timer = setTimeout(() => {
      idle = idle.filter((kept) => kept.worker !== worker);
      void worker.terminate();
    }, idleMs);
    idle.push({ worker, timer: timer.unref() });
  }

  return {
    run: (input, answer) =>
      takeTurn(() =>
        countTask(entry, async () => {
          const { worker, isNew } = take();
          worker.ref();
          const task = { name, input, isNew, timeoutMs, answer: answer as AnswerQuestion<unknown, unknown> };
          const { output, reusable } = await runOn<Output>(worker, task);
          if (reusable) keep(worker);
          // Not awaited: a thread whose heap is full may be stuck in garbage collection.
          else void worker.terminate();
          return output();
        }),
      ),
  };
}

type Task = {
  name: string;
  input: unknown;
  /** Whether the thread is still starting. */
  isNew: boolean;
  timeoutMs: number;
  answer: AnswerQuestion<unknown, unknown>;
};
/** The outcome of a task, returned or thrown by `output`, and whether the thread can run another one. */
type Outcome<Output> = { output: () => Output; reusable: boolean };

function runOn<Output>(worker: Worker, { name, input, isNew, timeoutMs, answer }: Task): Promise<Outcome<Output>> {
  const { promise, resolve } = Promise.withResolvers<Outcome<Output>>();
  const fail = (error: unknown, reusable = false) =>
    resolve({
      reusable,
      output: () => {
        throw error;
      },
    });
  const send = (message: ToThread) => worker.postMessage(message);
  const clock = new TaskClock(timeoutMs, () =>
    fail(new ThreadTimeoutError(`${name} took longer than ${timeoutMs} ms`)),
  );
  const reply = (value: unknown) => {
    clock.start();
    send({ reply: value });
  };
  const onMessage = (message: FromThread) => {
    if ('ready' in message) clock.start();
    else if ('output' in message) resolve({ output: () => message.output as Output, reusable: true });
    else if ('failure' in message) fail(errorOf(name, message.failure), true);
    else {
      clock.stop();
      answer(message.question).then(reply, fail);
    }
  };
  const onError = (error: Error) => fail(explainCrash(name, error));
  const onExit = (code: number) => fail(new ThreadCrashError('exit', `${name} ended with code ${code} and no result`));
  worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  if (!isNew) clock.start();
  send({ input });
  return promise.finally(() => {
    clock.stop();
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
  });
}

/** Measures how long a task has been working. */
class TaskClock {
  readonly #end: () => void;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, end: () => void) {
    this.#leftMs = ms;
    this.#end = end;
  }

  start(): void {
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#end, this.#leftMs);
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#startedAt;
  }
}

function explainCrash(name: string, error: Error): ThreadCrashError {
  const outOfMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
  return outOfMemory
    ? new ThreadCrashError('memory', `${name} exceeded its memory limit`, { cause: error })
    : new ThreadCrashError('error', `${name} failed: ${error.message}`, { cause: error });
}

/**
 * Called once by a thread file: runs `task` on each input, one after the other. With `ask`, a task sends a question to
 * the other side and waits for the answer, one question at a time.
 */
export function serveTasks<Input, Output, Question, Reply>(
  task: (input: Input, ask: (question: Question) => Promise<Reply>) => Promise<Output>,
): void {
  const port = parentPort;
  if (port === null) throw new Error('This file must be started by a thread pool');
  let pending: ((reply: Reply) => void) | undefined;
  const post = (message: FromThread) => port.postMessage(message);
  const ask = (question: Question) =>
    new Promise<Reply>((resolve) => {
      pending = resolve;
      post({ question });
    });
  port.on('message', (message: ToThread) => {
    if ('reply' in message) pending?.(message.reply as Reply);
    else {
      task(message.input as Input, ask).then(
        (output) => post({ output }),
        (error: unknown) => post({ failure: failureOf(error) }),
      );
    }
  });
  post({ ready: true });
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code } = error as NodeJS.ErrnoException;
  return { message, ...(typeof code === 'string' && { code }) };
}

function errorOf(name: string, { message, code }: Failure): Error {
  return Object.assign(new Error(`${name}: ${message}`), code !== undefined && { code });
}
