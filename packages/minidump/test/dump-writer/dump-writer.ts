// Writes complete minidumps from a description, for tests. It shares no layouts with the reader, so that tests find errors.
import type { DumpDescription } from './description.ts';
import { Output, type Place } from './output.ts';
import {
  writeAssertion,
  writeBreakpad,
  writeCrashpad,
  writeLinux,
  writeMacBootArgs,
  writeMacCrashInfo,
  writeSoftErrors,
} from './reporter-streams.ts';
import {
  writeException,
  writeHandles,
  writeMemory,
  writeMemory64,
  writeMemoryInfo,
  writeMisc,
  writeModules,
  writeSystem,
  writeThreadInfo,
  writeThreadNames,
  writeThreads,
  writeUnloadedModules,
} from './streams.ts';

const HEADER_SIZE = 32;

/** Returns a dump: the header, the streams with the data that they point to, and the directory at the end. */
export function writeDump(description: DumpDescription): Uint8Array {
  const output = new Output(description.endian ?? 'little');
  output.zeros(HEADER_SIZE);
  const streams: (Place & { type: number })[] = [];
  for (const { type, write } of STREAM_WRITERS) {
    const place = write(output, description);
    if (place !== undefined) streams.push({ type, ...place });
  }
  for (const { type, bytes } of description.extra ?? []) streams.push({ type, ...output.put(() => output.raw(bytes)) });
  const directory = output.put(() => {
    for (const stream of streams) output.u32(stream.type).place(stream);
  });
  output.patch(0, () => {
    // 'MDMP', version 0xa793, checksum 0.
    output.u32(0x504d444d, 0xa793, streams.length, directory.rva, 0, description.timestamp ?? 0);
    output.u64(description.flags ?? 0n);
  });
  return output.bytes;
}

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
