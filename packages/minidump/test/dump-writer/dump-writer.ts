// Writes complete minidumps from a description, for tests. It shares no layouts with the reader, so that tests find errors.
import type { DumpDescription } from './description.ts';
import { Output, type Place } from './output.ts';
import { STREAM_WRITERS } from './stream-writers.ts';

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
