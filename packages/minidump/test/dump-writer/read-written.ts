// Writes a dump and reads one of its streams, for tests of streams.
import { Minidump, type StreamKind } from '../../src/minidump.ts';
import type { DumpDescription } from './description.ts';
import { writeDump } from './dump-writer.ts';

/** Returns the stream, undefined if it is unreadable, and the warnings of the reader. */
export function readWritten<T>(
  kind: StreamKind<T>,
  description: DumpDescription,
): { readonly stream: T | undefined; readonly warnings: readonly string[] } {
  const dump = new Minidump(writeDump(description));
  return { stream: dump.stream(kind), warnings: dump.warnings };
}

/** The same after overwriting a 32-bit number at offset `at` of the stream, such as a count or a size. */
export function readDamaged<T>(
  kind: StreamKind<T>,
  description: DumpDescription,
  { at, value }: { readonly at: number; readonly value: number },
): { readonly stream: T | undefined; readonly warnings: readonly string[] } {
  const file = writeDump(description);
  const rva = new Minidump(file).directory.find(({ type }) => type === kind.type)?.rva;
  if (rva === undefined) throw new Error(`The description has no ${kind.name}.`);
  new DataView(file.buffer).setUint32(rva + at, value, true);
  const dump = new Minidump(file);
  return { stream: dump.stream(kind), warnings: dump.warnings };
}
