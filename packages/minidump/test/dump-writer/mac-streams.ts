// Writes the macOS streams of Mozilla's writer: the boot arguments, and the crash messages of system libraries.
import type { DumpDescription, MacDescription } from './description.ts';
import type { Output, Place } from './output.ts';

const BOOT_ARGS_STREAM = 0x4d7a0002;
const CRASH_INFO_STREAM = 0x4d7a0001;
const RECORD_ROOM = 20;

export function writeMacBootArgs(output: Output, { mac }: DumpDescription): Place | undefined {
  const { bootArgs } = mac ?? {};
  if (bootArgs === undefined) return undefined;
  const text = output.putUtf16(bootArgs);
  return output.put(() => output.u32(BOOT_ARGS_STREAM).u64(text.rva));
}

/** All records have the fixed size of version 5: stream type, version, and three 64-bit numbers. */
const FIXED_SIZE = 40;

export function writeMacCrashInfo(output: Output, { mac }: DumpDescription): Place | undefined {
  const places = mac?.crashInfo?.map((record) => writeRecord(output, record));
  if (places === undefined) return undefined;
  return output.put(() => {
    output.u32(CRASH_INFO_STREAM, places.length, FIXED_SIZE);
    for (const place of places) output.place(place);
    output.zeros(8 * (RECORD_ROOM - places.length));
  });
}

function writeRecord(output: Output, record: NonNullable<MacDescription['crashInfo']>[number]): Place {
  const { version, numbers = [], texts = [] } = record;
  return output.put((part) => {
    const end = part.size + FIXED_SIZE;
    part.u64(CRASH_INFO_STREAM, version, ...numbers);
    part.zeros(end - part.size).raw(new TextEncoder().encode(texts.map((text) => `${text}\0`).join('')));
  });
}
