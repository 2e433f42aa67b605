// Finds the crashed thread of a dump, and the registers at which to start walking each thread.
import type { Cpu, Registers } from './contexts/cpu.ts';
import { MinidumpError } from './error.ts';
import type { Location, Minidump } from './minidump.ts';
import { BREAKPAD_INFO } from './streams/breakpad-info.ts';
import { EXCEPTION, type Exception } from './streams/exception.ts';
import { type DumpThread, THREADS } from './streams/threads.ts';

export type CrashedThread = {
  readonly exception: Exception | undefined;
  /** The thread list, with the crashed thread at its end if the list does not contain it. */
  readonly threads: readonly DumpThread[];
  /** Index into `threads`; undefined if no thread crashed, or nothing is known about the crashed thread. */
  readonly index: number | undefined;
};

/**
 * Finds the thread of the exception or, in a dump that was requested without a crash, the thread that requested it.
 *
 * The thread list may not contain the id of the exception: the list can be missing or cut off, the thread may have ended,
 * and in a container or under Wine, the two ids can be of different kinds. The exception has all that a walk needs, its
 * registers, so it is never ignored. In order, the crashed thread is then: the listed thread on whose stack it happened,
 * the listed thread that requested the dump, or a thread that is added to the list.
 */
export function findCrashedThread(dump: Minidump, cpu: Cpu | undefined): CrashedThread {
  const exception = dump.stream(EXCEPTION);
  const threads = dump.stream(THREADS) ?? [];
  const requestingId = dump.stream(BREAKPAD_INFO)?.requestingThreadId;
  const indexOf = (id: number | undefined) => atLeast0(threads.findIndex((thread) => thread.id === id));
  if (exception === undefined) return { exception, threads, index: indexOf(requestingId) };
  const listed = indexOf(exception.threadId);
  if (listed !== undefined) return { exception, threads, index: listed };
  const registers = cpu && exception.context.size > 0 ? readContext(dump, cpu, exception.context) : undefined;
  const index = (registers && findByStack(threads, registers.get(cpu!.stackPointer))) ?? indexOf(requestingId);
  const { threadId } = exception;
  if (index !== undefined) {
    dump.warn(
      `the thread list does not contain thread ${threadId}, which crashed; thread ${threads[index]!.id} is used`,
    );
    return { exception, threads, index };
  }
  if (registers === undefined) {
    dump.warn(`the thread list does not contain thread ${threadId}, which crashed, and its registers cannot be read`);
    return { exception, threads, index };
  }
  dump.warn(`the thread list does not contain thread ${threadId}, which crashed, so it was added`);
  return { exception, threads: [...threads, threadOf(exception)], index: threads.length };
}

function findByStack(threads: readonly DumpThread[], stackPointer: bigint | undefined): number | undefined {
  if (stackPointer === undefined) return undefined;
  return atLeast0(
    threads.findIndex(
      ({ stack: { start, location } }) => stackPointer >= start && stackPointer < start + BigInt(location.size),
    ),
  );
}

/** The crashed thread as far as the exception describes it. Its stack may be among the memory of the dump. */
function threadOf({ threadId, context }: Exception): DumpThread {
  const stack = { start: 0n, location: { size: 0, rva: 0 } };
  return { id: threadId, suspendCount: 0, priorityClass: 0, priority: 0, teb: 0n, stack, context };
}

/**
 * Reads the registers of a thread; undefined if they cannot be read. `exception` is that of the crashed thread: the
 * thread's own registers were saved when the dump was written, inside the exception handler.
 */
export function registersOf(
  dump: Minidump,
  cpu: Cpu,
  thread: DumpThread,
  exception: Exception | undefined,
): Registers | undefined {
  const locations = exception === undefined ? [thread.context] : [exception.context, thread.context];
  for (const location of locations) {
    if (location.size === 0) continue;
    const registers = readContext(dump, cpu, location, (problem) =>
      dump.warn(`the registers of thread ${thread.id} cannot be read: ${problem}`),
    );
    if (registers !== undefined) return registers;
  }
  return undefined;
}

function readContext(
  dump: Minidump,
  cpu: Cpu,
  location: Location,
  onProblem: (problem: string) => void = () => undefined,
): Registers | undefined {
  try {
    return cpu.readContext(dump.at(location));
  } catch (error) {
    if (!(error instanceof MinidumpError)) throw error;
    onProblem(error.message);
    return undefined;
  }
}

function atLeast0(index: number): number | undefined {
  return index < 0 ? undefined : index;
}
