// Finds out which PDB belongs to a PE file, from the CodeView record that the linker wrote.
import { DebugSymbolsError } from '../error.ts';
import { DIRECTORIES, viewOf } from './headers.ts';
import type { Pe } from './pe.ts';

export interface CodeView {
  /** The identifier as in a MODULE line: the GUID in 32 upper-case hexadecimal digits, and the age in lower-case ones. */
  debugId: string;
  /** The path of the PDB where it was linked. MinGW leaves it empty. */
  path: string;
  /** The last part of the path. */
  name: string;
}

const ENTRY_SIZE = 28;
const TYPE_CODE_VIEW = 2;
/** A file has a handful of entries, one of each type. */
const MAX_ENTRIES = 64;
/** Longer than any path of Windows. */
const MAX_RECORD_SIZE = 0x10000;

/** Returns undefined for a file without a CodeView record, and for one that is damaged: the PDB is then unknown. */
export function readCodeView(pe: Pe): CodeView | undefined {
  try {
    const directory = pe.directory(DIRECTORIES.debug);
    if (directory === undefined) return undefined;
    const count = Math.min(Math.floor(directory.size / ENTRY_SIZE), MAX_ENTRIES);
    for (let index = 0; index < count; index++) {
      const entry = viewOf(directory.read(index * ENTRY_SIZE, ENTRY_SIZE));
      if (entry.getUint32(12, true) !== TYPE_CODE_VIEW) continue;
      // The file offset is 0 if the record has only an address.
      const offset = entry.getUint32(24, true) || pe.offsetOf(entry.getUint32(20, true));
      const record = readRecord(pe, offset, entry.getUint32(16, true));
      if (record !== undefined) return record;
    }
    return undefined;
  } catch (error) {
    if (error instanceof DebugSymbolsError) return undefined;
    throw error;
  }
}

function readRecord(pe: Pe, offset: number, size: number): CodeView | undefined {
  const available = Math.min(size, MAX_RECORD_SIZE, pe.source.size - offset);
  if (available < 16) return undefined;
  const bytes = pe.source.read(offset, available);
  const view = viewOf(bytes);
  switch (view.getUint32(0, true)) {
    case 0x53445352: // RSDS: PDB 7.0
      return available < 24 ? undefined : describe(formatGuid(view, 4), view.getUint32(20, true), bytes.subarray(24));
    case 0x3031424e: // NB10: PDB 2.0, which has a time stamp instead of the GUID
      return describe(hex(view.getUint32(8, true), 8), view.getUint32(12, true), bytes.subarray(16));
    default:
      return undefined;
  }
}

function describe(id: string, age: number, pathField: Uint8Array): CodeView {
  const end = pathField.indexOf(0);
  const path = new TextDecoder().decode(end < 0 ? pathField : pathField.subarray(0, end));
  return {
    debugId: id + age.toString(16),
    path,
    name: path.slice(Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/')) + 1),
  };
}

/** The first three parts of a GUID are numbers, the rest is bytes. */
function formatGuid(view: DataView, at: number): string {
  let text =
    hex(view.getUint32(at, true), 8) + hex(view.getUint16(at + 4, true), 4) + hex(view.getUint16(at + 6, true), 4);
  for (let index = 8; index < 16; index++) text += hex(view.getUint8(at + index), 2);
  return text;
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
