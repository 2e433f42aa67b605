// Runs conversions in threads, at most one for each core. A few large files have several threads each.
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { startThread } from './start-thread.ts';

/** A symbol file, and what is in it. */
export type Module = {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly cpu: string;
  readonly debugFile: string;
  readonly debugId: string;
  readonly codeId: string | null;
  readonly functions: number;
  readonly publics: number;
  readonly lines: number;
  readonly hasUnwind: boolean;
  /** The path of the program or debug file that the converter found for its input. */
  readonly counterpart: string | null;
};

export type ThreadTask =
  | {
      readonly kind: 'convert';
      readonly path: string;
      readonly counterpart: string | undefined;
      readonly cpu: string | undefined;
      readonly splitFiles: readonly string[];
      /** The new file. */
      readonly out: string;
      readonly maxBytes: number;
    }
  | { readonly kind: 'count'; readonly path: string };

/** What a thread gets: a task, and how many threads may work on it. */
export type ThreadOrder = { readonly task: ThreadTask; readonly threads: number };

/** `problem` says, in words, why there is no result. */
export type ThreadReply = { readonly module: Module } | { readonly problem: string };

/**
 * Returns the replies in the order of the tasks. `onDone` is called with the index of a task after its end. Rejects
 * with the reason of `signal` when it is aborted.
 */
export async function runInThreads(
  tasks: readonly ThreadTask[],
  signal: AbortSignal,
  onDone: (index: number) => void = () => {},
): Promise<ThreadReply[]> {
  const replies: ThreadReply[] = [];
  let next = 0;
  const count = Math.min(availableParallelism(), tasks.length);
  const threads = Math.floor(availableParallelism() / count);
  const work = async () => {
    let thread: Worker | undefined;
    try {
      for (let index = next++; index < tasks.length; index = next++) {
        signal.throwIfAborted();
        thread ??= startThread();
        const reply = await ask(thread, { task: tasks[index]!, threads }, signal);
        replies[index] = reply ?? { problem: 'there is not enough memory to convert it' };
        // A thread without memory has ended.
        if (reply === null) thread = undefined;
        onDone(index);
      }
    } catch (error) {
      next = tasks.length;
      throw error;
    } finally {
      await thread?.terminate();
    }
  };
  // All threads have ended before the caller removes the folder of their files.
  const ends = await Promise.allSettled(Array.from({ length: count }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return replies;
}

/** Resolves with null if the thread ends without a reply, which happens if it has no memory left. */
function ask(thread: Worker, order: ThreadOrder, signal: AbortSignal): Promise<ThreadReply | null> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadReply | null>();
  const abort = () => reject(signal.reason);
  const fail = (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve(null) : reject(error);
  const end = () => resolve(null);
  signal.addEventListener('abort', abort);
  thread.on('message', resolve).on('error', fail).on('exit', end);
  thread.postMessage(order);
  return promise.finally(() => {
    signal.removeEventListener('abort', abort);
    thread.off('message', resolve).off('error', fail).off('exit', end);
  });
}
