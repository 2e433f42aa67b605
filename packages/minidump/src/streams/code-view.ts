// The record of a module that identifies its debug information: CodeView’s PDB 7.0 and 2.0, and Breakpad’s ELF build id.
import { Bytes, type Cursor } from '../bytes.ts';
import { GUID_SIZE, readGuid } from './guid.ts';
import { decodeUtf8 } from './strings.ts';

/** What a record tells. `guid` is 32 upper-case hex digits, `buildId` lower-case ones, `file` a path as the linker wrote it. */
export type CodeView =
  | { readonly kind: 'pdb70'; readonly guid: string; readonly age: number; readonly file: string }
  | { readonly kind: 'pdb20'; readonly signature: number; readonly age: number; readonly file: string }
  /** `guid`: the first 16 bytes of the build id, read as one. Both '' when the build id is nothing but zeros. */
  | { readonly kind: 'elf'; readonly buildId: string; readonly guid: string };

const RSDS = 0x53445352;
const NB10 = 0x3031424e;
const BPEL = 0x4270454c;

/** Bytes of each kind’s record without the name of the file. */
const MIN_SIZES: ReadonlyMap<number, number> = new Map([
  [RSDS, 24],
  [NB10, 16],
  [BPEL, 4],
]);

/** Reads a module’s CodeView record; undefined when it is of another kind, or cut off, of which `warn` is told. */
export function readCodeView(record: Bytes, warn: (problem: string) => void): CodeView | undefined {
  const kind = record.size < 4 ? 0 : record.u32(0);
  if (record.size < (MIN_SIZES.get(kind) ?? 4)) {
    warn(`its CodeView record has only ${record.size} bytes`);
    return undefined;
  }
  const cursor = record.cursor(4);
  if (kind === RSDS) return { kind: 'pdb70', guid: readGuid(cursor), ...readAgeAndFile(cursor) };
  if (kind === NB10) {
    // An offset into a file of the oldest kind, 0 ever since.
    cursor.skip(4);
    return { kind: 'pdb20', signature: cursor.u32(), ...readAgeAndFile(cursor) };
  }
  return kind === BPEL ? readElf(cursor.window(cursor.left)) : undefined;
}

function readAgeAndFile(cursor: Cursor): { readonly age: number; readonly file: string } {
  return { age: cursor.u32(), file: decodeUtf8(cursor.window(cursor.left)) };
}

/**
 * Mapped files that are not programs (fonts, archives) get a record too, with no build id or one of zeros: it identifies nothing.
 * A build id may be shorter than a GUID (lld’s fast one has 8 bytes: `10faa6bbaab83db3`); zeros fill it up.
 */
function readElf(record: Bytes): CodeView {
  const buildId = record.array;
  if (buildId.every((byte) => byte === 0)) return { kind: 'elf', buildId: '', guid: '' };
  const filled = new Uint8Array(GUID_SIZE);
  filled.set(buildId.subarray(0, GUID_SIZE));
  return { kind: 'elf', buildId: buildId.toHex(), guid: readGuid(new Bytes(filled, record.littleEndian).cursor()) };
}
