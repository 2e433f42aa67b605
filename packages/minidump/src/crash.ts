// Which thread the dump is about, and the registers that each thread is to be walked from.
import type { Cpu, Registers } from './contexts/cpu.ts';
import { MinidumpError } from './error.ts';
import type { Location, Minidump } from './minidump.ts';
import { BREAKPAD_INFO } from './streams/breakpad-info.ts';
import { EXCEPTION, type Exception } from './streams/exception.ts';
import { THREADS, type Thread } from './streams/threads.ts';

export type CrashedThread = {
  readonly exception: Exception | undefined;
  /** Index into the list of threads. */
  readonly index: number | undefined;
};

/** The thread of the exception; in a dump that was asked for without one, the thread that asked. */
export function findCrashedThread(dump: Minidump): CrashedThread {
  const exception = dump.stream(EXCEPTION);
  const id = exception?.threadId ?? dump.stream(BREAKPAD_INFO)?.requestingThreadId;
  const index = dump.stream(THREADS)?.findIndex((thread) => thread.id === id) ?? -1;
  return { exception, index: index < 0 ? undefined : index };
}

/**
 * The registers of a thread. Those of the crashed thread are the exception’s: its own are from when the dump was written, inside the handler.
 * Undefined when they cannot be read.
 */
export function registersOf(
  dump: Minidump,
  cpu: Cpu,
  thread: Thread,
  exception: Exception | undefined,
): Registers | undefined {
  const places = exception?.threadId === thread.id ? [exception.context, thread.context] : [thread.context];
  for (const place of places) {
    if (place.size === 0) continue;
    const registers = readContext(dump, cpu, place, thread);
    if (registers !== undefined) return registers;
  }
  return undefined;
}

function readContext(dump: Minidump, cpu: Cpu, place: Location, { id }: Thread): Registers | undefined {
  try {
    return cpu.readContext(dump.at(place));
  } catch (error) {
    if (!(error instanceof MinidumpError)) throw error;
    dump.warn(`the registers of thread ${id} cannot be read: ${error.message}`);
    return undefined;
  }
}
