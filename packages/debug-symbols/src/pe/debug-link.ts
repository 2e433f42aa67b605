// The debug file that was split off a program of MinGW with `objcopy`.
import { crc32 } from 'node:zlib';
import type { ByteSource } from '../byte-source.ts';
import type { Pe } from './pe.ts';

const MAX_SECTION = 4096;
const STEP = 1 << 20;

export type DebugLink = {
  readonly name: string;
  /** The CRC-32 of the whole debug file; undefined if the section is cut. */
  readonly crc: number | undefined;
};

/** What `.gnu_debuglink` says: a name that ends with a zero byte, and the CRC at the next multiple of 4. */
export function readDebugLink(pe: Pe): DebugLink | undefined {
  const section = pe.section('.gnu_debuglink');
  if (section === undefined) return undefined;
  const bytes = section.read(0, Math.min(section.size, MAX_SECTION));
  const end = bytes.indexOf(0);
  if (end <= 0) return undefined;
  const name = new TextDecoder().decode(bytes.subarray(0, end));
  const position = (end + 4) & ~3;
  const hasCrc = position + 4 <= bytes.length;
  return { name, crc: hasCrc ? Buffer.from(bytes).readUInt32LE(position) : undefined };
}

/**
 * Whether a debug file was split off this program. Some versions of `objcopy` and `strip` keep the time at which the
 * program was linked, and others replace it with their own; then the checksum decides, or the places of the code if the
 * program has no link.
 */
export function isDebugFileOf(debug: Pe, program: Pe): boolean {
  if (debug.cpu !== program.cpu) return false;
  if (debug.headers.timestamp === program.headers.timestamp) return true;
  const crc = readDebugLink(program)?.crc;
  return crc === undefined ? hasSameLayout(debug, program) : crc === checksum(debug.source);
}

/** Debug files keep the headers of the sections that the program has in memory. */
function hasSameLayout(debug: Pe, program: Pe): boolean {
  const [one, other] = [debug, program].map(({ headers }) => {
    const code = headers.sections.filter(({ isExecutable }) => isExecutable);
    const places = code.map(({ address, size }) => `${address} ${size}`);
    return [headers.imageBase, headers.entryPoint, ...places].join();
  });
  return one === other;
}

function checksum(source: ByteSource): number {
  let crc = 0;
  for (let at = 0; at < source.size; at += STEP) crc = crc32(source.read(at, Math.min(STEP, source.size - at)), crc);
  return crc;
}
