// The streams of a synthetic dump, with their types and writers.
import { writeAssertion, writeBreakpad, writeCrashpad, writeSoftErrors } from './crash-reporter-streams.ts';
import type { DumpDescription } from './description.ts';
import { writeLinux } from './linux-streams.ts';
import { writeMacBootArgs, writeMacCrashInfo } from './mac-streams.ts';
import { writeMemory, writeMemory64, writeMemoryInfo } from './memory-streams.ts';
import { writeModules, writeUnloadedModules } from './module-streams.ts';
import type { Output, Place } from './output.ts';
import { writeHandles, writeMisc, writeSystem } from './system-streams.ts';
import { writeException, writeThreadInfo, writeThreadNames, writeThreads } from './thread-streams.ts';

/** Writes a stream after the data that it points to. Returns undefined if the description does not have it. */
export type StreamWriter = (output: Output, description: DumpDescription) => Place | undefined;

export const STREAM_WRITERS: readonly { readonly type: number; readonly write: StreamWriter }[] = [
  { type: 3, write: writeThreads },
  { type: 4, write: writeModules },
  { type: 5, write: writeMemory },
  { type: 6, write: writeException },
  { type: 7, write: writeSystem },
  { type: 12, write: writeHandles },
  { type: 14, write: writeUnloadedModules },
  { type: 15, write: writeMisc },
  { type: 16, write: writeMemoryInfo },
  { type: 17, write: writeThreadInfo },
  { type: 24, write: writeThreadNames },
  { type: 0x43500001, write: writeCrashpad },
  { type: 0x47670001, write: writeBreakpad },
  { type: 0x47670002, write: writeAssertion },
  { type: 0x47670003, write: writeLinux('cpuInfo') },
  { type: 0x47670004, write: writeLinux('procStatus') },
  { type: 0x47670005, write: writeLinux('lsbRelease') },
  { type: 0x47670006, write: writeLinux('commandLine') },
  { type: 0x47670007, write: writeLinux('environment') },
  { type: 0x47670008, write: writeLinux('auxv') },
  { type: 0x47670009, write: writeLinux('maps') },
  { type: 0x4d7a0001, write: writeMacCrashInfo },
  { type: 0x4d7a0002, write: writeMacBootArgs },
  { type: 0x4d7a0003, write: writeLinux('procLimits') },
  { type: 0x4d7a0004, write: writeSoftErrors },
  // Must be last: in full dumps, its regions are at the end of the file.
  { type: 9, write: writeMemory64 },
];
