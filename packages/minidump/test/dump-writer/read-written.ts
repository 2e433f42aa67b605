// Writes a dump and reads one stream of it: what most tests of streams begin with.
import { Minidump, type StreamKind } from '../../src/minidump.ts';
import type { DumpDescription } from './description.ts';
import { writeDump } from './dump-writer.ts';

/** The stream as the reader gives it, undefined when it cannot be read, and what the reader warned of. */
export function readWritten<T>(
  kind: StreamKind<T>,
  description: DumpDescription,
): { readonly stream: T | undefined; readonly warnings: readonly string[] } {
  const dump = new Minidump(writeDump(description));
  return { stream: dump.stream(kind), warnings: dump.warnings };
}

/** The same of a dump whose 32-bit number at the place of that stream is overwritten: a damaged count or size. */
export function readDamaged<T>(
  kind: StreamKind<T>,
  description: DumpDescription,
  { at, value }: { readonly at: number; readonly value: number },
): { readonly stream: T | undefined; readonly warnings: readonly string[] } {
  const file = writeDump(description);
  const rva = new Minidump(file).directory.find(({ type }) => type === kind.type)?.rva;
  if (rva === undefined) throw new Error(`The description makes no ${kind.name}.`);
  new DataView(file.buffer).setUint32(rva + at, value, true);
  const dump = new Minidump(file);
  return { stream: dump.stream(kind), warnings: dump.warnings };
}
