// Reads the table of functions that x86_64 programs of Windows have in `.pdata`.
import { DIRECTORIES, viewOf } from '../pe/headers.ts';
import type { Pe } from '../pe/pe.ts';

/** A part of a function with one range of addresses. */
export interface FunctionEntry {
  address: number;
  /** The size in bytes. */
  size: number;
  /** Where its UNWIND_INFO is. */
  info: number;
}

const ENTRY_SIZE = 12;
const ENTRIES_PER_READ = 4096;

/** Returns the table of functions, without entries that are empty or end outside the image. */
export function* readFunctionEntries(pe: Pe): Generator<FunctionEntry> {
  const table = pe.directory(DIRECTORIES.exceptions);
  if (table === undefined) return;
  const count = Math.floor(table.size / ENTRY_SIZE);
  for (let first = 0; first < count; first += ENTRIES_PER_READ) {
    const size = Math.min(ENTRIES_PER_READ, count - first) * ENTRY_SIZE;
    const entries = viewOf(table.read(first * ENTRY_SIZE, size));
    for (let at = 0; at < size; at += ENTRY_SIZE) {
      const address = entries.getUint32(at, true);
      const end = entries.getUint32(at + 4, true);
      if (address === 0 || end <= address || end > pe.headers.imageSize) continue;
      yield { address, size: end - address, info: entries.getUint32(at + 8, true) };
    }
  }
}
