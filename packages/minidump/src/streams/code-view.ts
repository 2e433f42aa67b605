// CodeView records, which identify the debug information of a module: PDB 7.0, PDB 2.0, and Breakpad's ELF build id.
import { Bytes, type Cursor } from '../bytes.ts';
import { GUID_SIZE, readGuid } from './guid.ts';
import { decodeUtf8 } from './strings.ts';

/** A record. `guid` has 32 upper-case hex digits, `buildId` is lower-case hex, and `file` is the path from the linker. */
export type CodeView =
  | { readonly kind: 'pdb70'; readonly guid: string; readonly age: number; readonly file: string }
  | { readonly kind: 'pdb20'; readonly signature: number; readonly age: number; readonly file: string }
  /** `guid` is the first 16 bytes of the build id, read as a GUID. Both are '' if the build id is empty or all zeros. */
  | { readonly kind: 'elf'; readonly buildId: string; readonly guid: string };

const RSDS = 0x53445352;
const NB10 = 0x3031424e;
const BPEL = 0x4270454c;

/** The size of each kind of record without the file name, in bytes. */
const MIN_SIZES: ReadonlyMap<number, number> = new Map([
  [RSDS, 24],
  [NB10, 16],
  [BPEL, 4],
]);

/** Reads a module's CodeView record; undefined if it is of another kind or (with a warning) cut off. */
export function readCodeView(record: Bytes, warn: (problem: string) => void): CodeView | undefined {
  const kind = record.size < 4 ? 0 : record.u32(0);
  if (record.size < (MIN_SIZES.get(kind) ?? 4)) {
    warn(`its CodeView record has only ${record.size} bytes`);
    return undefined;
  }
  const cursor = record.cursor(4);
  if (kind === RSDS) return { kind: 'pdb70', guid: readGuid(cursor), ...readAgeAndFile(cursor) };
  if (kind === NB10) {
    // An offset that is only used in the oldest kind of file; otherwise 0.
    cursor.skip(4);
    return { kind: 'pdb20', signature: cursor.u32(), ...readAgeAndFile(cursor) };
  }
  return kind === BPEL ? readElf(cursor.window(cursor.left)) : undefined;
}

function readAgeAndFile(cursor: Cursor): { readonly age: number; readonly file: string } {
  return { age: cursor.u32(), file: decodeUtf8(cursor.window(cursor.left)) };
}

/**
 * Mapped files that are not programs, such as fonts, also get a record, with an empty build id or one of zeros. A build id
 * that is shorter than a GUID (lld's `fast` kind has 8 bytes: `10faa6bbaab83db3`) is padded with zeros.
 */
function readElf(record: Bytes): CodeView {
  const buildId = record.array;
  if (buildId.every((byte) => byte === 0)) return { kind: 'elf', buildId: '', guid: '' };
  const padded = new Uint8Array(GUID_SIZE);
  padded.set(buildId.subarray(0, GUID_SIZE));
  return { kind: 'elf', buildId: buildId.toHex(), guid: readGuid(new Bytes(padded, record.littleEndian).cursor()) };
}
