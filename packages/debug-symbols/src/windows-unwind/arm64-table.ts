// Reads the table of functions that arm64 programs of Windows have in `.pdata`. It is described in Microsoft's "ARM64
// exception handling".
import { DebugSymbolsError } from '../error.ts';
import { DIRECTORIES, viewOf } from '../pe/headers.ts';
import type { Pe } from '../pe/pe.ts';

export interface Arm64Function {
  address: number;
  /** The size in bytes. */
  size: number;
  /** The second word of the entry: where the unwind information is, or that information itself in packed form. */
  unwind: number;
}

const ENTRY_SIZE = 8;
const ENTRIES_PER_READ = 4096;

/** Returns the table of functions, without entries that are empty, of an unknown kind, or outside the image. */
export function* readArm64FunctionRanges(pe: Pe): Generator<Arm64Function> {
  const table = pe.directory(DIRECTORIES.exceptions);
  if (table === undefined) return;
  const count = Math.floor(table.size / ENTRY_SIZE);
  for (let first = 0; first < count; first += ENTRIES_PER_READ) {
    const bytes = Math.min(ENTRIES_PER_READ, count - first) * ENTRY_SIZE;
    const entries = viewOf(table.read(first * ENTRY_SIZE, bytes));
    for (let at = 0; at < bytes; at += ENTRY_SIZE) {
      const address = entries.getUint32(at, true);
      const unwind = entries.getUint32(at + 4, true);
      if (address === 0 || unwind === 0) continue;
      const size = isPacked(unwind) ? ((unwind >>> 2) & 0x7ff) * 4 : readSize(pe, unwind);
      if (size > 0 && address + size <= pe.headers.imageSize) yield { address, size, unwind };
    }
  }
}

/** Whether the word has the unwind information itself. The lowest bits tell the kinds apart. */
export function isPacked(unwind: number): boolean {
  return (unwind & 3) !== 0;
}

/** Returns the size of a function, which its unwind information has. Returns 0 if it is outside the file. */
function readSize(pe: Pe, unwind: number): number {
  try {
    return (pe.reader.u32(pe.offsetOf(unwind)) & 0x3ffff) * 4;
  } catch (error) {
    if (error instanceof DebugSymbolsError) return 0;
    throw error;
  }
}
