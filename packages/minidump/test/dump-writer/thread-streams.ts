// Writes the threads, their names and times, and the exception of one thread.
import type { DumpDescription } from './description.ts';
import { writeList, writeSizedList } from './lists.ts';
import type { Output, Place } from './output.ts';

export function writeThreads(output: Output, description: DumpDescription): Place | undefined {
  const places = description.threads?.map((thread) => ({
    thread,
    stack: output.putBytes(thread.stack?.bytes),
    context: output.putBytes(thread.context),
  }));
  if (places === undefined) return undefined;
  return writeList(output, description, places, ({ thread, stack, context }) => {
    const { id, suspendCount = 0, priorityClass = 0, priority = 0, teb = 0n } = thread;
    output.u32(id, suspendCount, priorityClass, priority).u64(teb);
    output.u64(thread.stack?.start ?? 0n).place(stack);
    output.place(context);
  });
}

export function writeThreadNames(output: Output, description: DumpDescription): Place | undefined {
  const places = description.threadNames?.map(({ id, name }) => ({ id, rva: output.putUtf16(name).rva }));
  if (places === undefined) return undefined;
  return writeList(output, description, places, ({ id, rva }) => output.u32(id).u64(rva));
}

export function writeThreadInfo(output: Output, { threadInfo }: DumpDescription): Place | undefined {
  if (threadInfo === undefined) return undefined;
  return writeSizedList(output, { entrySize: 64, countSize: 4, reserved: 0 }, threadInfo, (thread) => {
    output.u32(thread.threadId, thread.dumpFlags ?? 0, 0, thread.exitStatus ?? 259);
    // Creation time, exit time, kernel time, user time; then start address and affinity.
    output.u64(thread.createTime ?? 0n, 0n, 0n, 0n).u64(thread.startAddress ?? 0n, 1n);
  });
}

const PARAMETER_ROOM = 15;

export function writeException(output: Output, { exception }: DumpDescription): Place | undefined {
  if (exception === undefined) return undefined;
  const { threadId, code, flags = 0, nested = 0n, address = 0n, parameters = [] } = exception;
  const context = output.putBytes(exception.context);
  return output.put(() => {
    output.u32(threadId, 0, code, flags).u64(nested, address);
    output.u32(exception.parameterCount ?? parameters.length, 0);
    output.u64(...parameters).zeros(8 * (PARAMETER_ROOM - parameters.length));
    output.place(context);
  });
}
