// Writes the memory lists and the list of memory regions.
import type { DumpDescription } from './description.ts';
import { writeList, writeSizedList } from './lists.ts';
import type { Output, Place } from './output.ts';

export function writeMemory(output: Output, description: DumpDescription): Place | undefined {
  const places = description.memory?.map(({ start, bytes }) => ({ start, place: output.putBytes(bytes) }));
  if (places === undefined) return undefined;
  return writeList(output, description, places, ({ start, place }) => output.u64(start).place(place));
}

/** The list has one position, at which the regions follow each other without gaps. */
export function writeMemory64(output: Output, { memory64 }: DumpDescription): Place | undefined {
  if (memory64 === undefined) return undefined;
  const stream = output.put(() => {
    output.u64(memory64.length, output.size + 16 + 16 * memory64.length);
    for (const { start, bytes } of memory64) output.u64(start, bytes.length);
  });
  for (const { bytes } of memory64) output.raw(bytes);
  return stream;
}

export function writeMemoryInfo(output: Output, { memoryInfo }: DumpDescription): Place | undefined {
  if (memoryInfo === undefined) return undefined;
  return writeSizedList(output, { entrySize: 48, countSize: 8, reserved: 0 }, memoryInfo, (region) => {
    output.u64(region.base, region.allocationBase ?? region.base).u32(region.allocationProtection ?? 0, 0);
    output.u64(region.size).u32(region.state ?? 0x1000, region.protection ?? 0x04, region.type ?? 0x20000, 0);
  });
}
