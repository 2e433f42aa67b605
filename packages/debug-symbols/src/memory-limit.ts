// Limits the memory of a WebAssembly module that declares its own without a limit.

const HEADER_SIZE = 8;
const MEMORY_SECTION = 5;
const HAS_MAXIMUM = 1;
const PAGE = 65_536;

/**
 * The module with at most `maximum` bytes of memory, rounded up to whole pages. Its allocations fail beyond that. Throws
 * an Error if it doesn't have exactly one memory.
 */
export function limitMemory(module: Uint8Array, maximum: number): Uint8Array<ArrayBuffer> {
  for (let at = HEADER_SIZE; at < module.length; ) {
    const size = readNumber(module, at + 1);
    const end = size.next + size.value;
    if (module[at] === MEMORY_SECTION) {
      const count = readNumber(module, size.next);
      const flags = readNumber(module, count.next);
      const initial = readNumber(module, flags.next);
      if (count.value !== 1 || flags.value > HAS_MAXIMUM) break;
      const pages = Math.max(initial.value, Math.ceil(maximum / PAGE));
      const content = [1, HAS_MAXIMUM, ...numberOf(initial.value), ...numberOf(pages)];
      const section = Uint8Array.from([MEMORY_SECTION, ...numberOf(content.length), ...content]);
      return new Uint8Array(Buffer.concat([module.subarray(0, at), section, module.subarray(end)]));
    }
    at = end;
  }
  throw new Error('The module has no memory that can be limited');
}

/** Reads an unsigned number in LEB128. */
function readNumber(bytes: Uint8Array, at: number): { value: number; next: number } {
  let [value, scale] = [0, 1];
  for (let next = at; ; next += 1) {
    const byte = bytes[next];
    if (byte === undefined) throw new Error('The module is cut off');
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80) return { value, next: next + 1 };
  }
}

/** Writes an unsigned number in LEB128. */
function numberOf(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberOf(Math.floor(value / 128))];
}
