// Finds the crashed thread of a dump, and the registers at which to start walking each thread.
import type { Cpu, Registers } from './contexts/cpu.ts';
import { MinidumpError } from './error.ts';
import type { Location, Minidump } from './minidump.ts';
import { BREAKPAD_INFO } from './streams/breakpad-info.ts';
import { EXCEPTION, type Exception } from './streams/exception.ts';
import { THREADS, type Thread } from './streams/threads.ts';

export type CrashedThread = {
  readonly exception: Exception | undefined;
  /** Index into the thread list; undefined if no thread crashed or the crashed thread is not in the list. */
  readonly index: number | undefined;
};

/** Finds the thread of the exception or, in a dump that was requested without a crash, the thread that requested it. */
export function findCrashedThread(dump: Minidump): CrashedThread {
  const exception = dump.stream(EXCEPTION);
  const id = exception?.threadId ?? dump.stream(BREAKPAD_INFO)?.requestingThreadId;
  const index = dump.stream(THREADS)?.findIndex((thread) => thread.id === id) ?? -1;
  return { exception, index: index < 0 ? undefined : index };
}

/**
 * Reads the registers of a thread; undefined if they cannot be read. For the crashed thread, these are the registers of
 * the exception: its own registers were saved when the dump was written, inside the exception handler.
 */
export function registersOf(
  dump: Minidump,
  cpu: Cpu,
  thread: Thread,
  exception: Exception | undefined,
): Registers | undefined {
  const locations = exception?.threadId === thread.id ? [exception.context, thread.context] : [thread.context];
  for (const location of locations) {
    if (location.size === 0) continue;
    const registers = readContext(dump, cpu, location, thread);
    if (registers !== undefined) return registers;
  }
  return undefined;
}

function readContext(dump: Minidump, cpu: Cpu, location: Location, { id }: Thread): Registers | undefined {
  try {
    return cpu.readContext(dump.at(location));
  } catch (error) {
    if (!(error instanceof MinidumpError)) throw error;
    dump.warn(`the registers of thread ${id} cannot be read: ${error.message}`);
    return undefined;
  }
}
