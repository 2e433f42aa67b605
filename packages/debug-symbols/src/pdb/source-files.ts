// The source files of a module. Lines refer to a file by the place of its checksum.
import type { FunctionSink } from '../symbols/record-packer.ts';
import { u32 } from './bytes.ts';
import { DEBUG_S_FILECHKSMS, type Subsection } from './module-stream.ts';
import type { StringTable } from './string-table.ts';

const UNKNOWN_FILE = '<unknown>';
const MAX_CACHED = 1_000_000;

export class SourceFiles {
  readonly #checksums: Uint8Array;
  readonly #strings: StringTable;
  readonly #sink: FunctionSink;
  readonly #numbers = new Map<number, number>();

  constructor(subsections: readonly Subsection[], strings: StringTable, sink: FunctionSink) {
    this.#checksums = subsections.find(({ kind }) => kind === DEBUG_S_FILECHKSMS)?.bytes ?? new Uint8Array();
    this.#strings = strings;
    this.#sink = sink;
  }

  /** The number of a file in the sink, by the offset of its checksum. */
  number(checksum: number): number {
    const inside = checksum >= 0 && checksum + 4 <= this.#checksums.length;
    if (!inside) return this.#sink.file(UNKNOWN_FILE);
    const cached = this.#numbers.get(checksum);
    if (cached !== undefined) return cached;
    const path = this.#strings.string(u32(this.#checksums, checksum));
    const number = this.#sink.file(path === '' ? UNKNOWN_FILE : unifyName(path));
    if (this.#numbers.size < MAX_CACHED) this.#numbers.set(checksum, number);
    return number;
  }
}

/**
 * Rust on Windows mixes separators, as in `/rustc/5980/library\core\src\num.rs`. In a path that begins with `/`, this
 * replaces the one in front of the file name, which Mozilla's dump_syms does too, so that the paths of both are equal.
 */
function unifyName(path: string): string {
  const last = path.lastIndexOf('\\');
  if (!path.startsWith('/') || last < path.lastIndexOf('/')) return path;
  return `${path.slice(0, last)}/${path.slice(last + 1)}`;
}
