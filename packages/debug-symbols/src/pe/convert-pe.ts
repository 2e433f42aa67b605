// Converts programs and libraries of Windows: PE files with their PDB, with DWARF, or alone, and PDBs alone.

import { addCallFrames, addFunctions } from '../convert-dwarf.ts';
import { demangle } from '../demangle.ts';
import { DwarfFile } from '../dwarf/dwarf-file.ts';
import type { CodeMap } from '../dwarf-parts.ts';
import { DebugSymbolsError } from '../error.ts';
import type { ModuleIdentity } from '../identity.ts';
import { lastPart } from '../paths.ts';
import type { Pdb } from '../pdb/pdb.ts';
import { readPdb } from '../pdb/read-pdb.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import { SymbolTable } from '../symbol-table.ts';
import type { SymbolWriter } from '../symbols/symbol-writer.ts';
import { Errand } from '../threads/errand.ts';
import type { Steps } from '../threads/work.ts';
import { readArm64Unwind } from '../windows-unwind/arm64.ts';
import { readX64Unwind } from '../windows-unwind/x64.ts';
import { readCodeView } from './code-view.ts';
import { readCoffSymbols } from './coff-symbols.ts';
import { readPe } from './functions.ts';
import type { Pe } from './pe.ts';

export type WindowsInput = {
  readonly pe: { readonly file: Pe; readonly path: string } | undefined;
  /** The debug file of a MinGW program, which has DWARF and no code, and belongs to the program. */
  readonly debug?: Pe | undefined;
  readonly pdb: { readonly file: Pdb; readonly path: string } | undefined;
};

const NO_ID = '0'.repeat(33);

/** Sends everything to the writer, and returns the identity. Throws `mismatch` if the files are of two builds. */
export function* convertWindows({ pe, debug, pdb }: WindowsInput, writer: SymbolWriter): Steps<ModuleIdentity> {
  requireSameBuild(pe?.file, pdb?.file);
  const sections = pe?.file.headers.sections.map((section) => ({ ...section, executable: section.isExecutable }));
  const rules = new Errand(() => pe && addUnwindRules(pe.file, writer));
  if (pdb !== undefined)
    yield* readPdb(pdb.file, writer, { demangle, meanwhile: rules.start, ...(sections && { sections }) });
  else if (pe !== undefined) yield* addNames(pe.file, debug ?? pe.file, lastPart(pe.path), writer);
  rules.finish();
  const linked = pe && (readCodeView(pe.file) ?? (debug && readCodeView(debug)));
  const isDebugFile = pe?.file.isDebugFile() === true;
  if (isDebugFile && linked === undefined)
    throw new DebugSymbolsError(
      'incomplete',
      'it has only debug information: the program from which it was split is missing',
    );
  // MinGW writes no name of a PDB.
  const pdbName = linked?.name || (pdb && lastPart(pdb.path));
  const peName = pe && lastPart(pe.path);
  return {
    os: 'windows',
    cpu: pe?.file.cpu ?? pdb?.file.cpu ?? 'unknown',
    debugId: pdb?.file.debugId ?? linked?.debugId ?? NO_ID,
    // A debug file has the sections of the program before it was stripped, and thus another size.
    codeId: isDebugFile ? undefined : pe?.file.codeId,
    name: pdbName || peName || '',
    ...(peName !== undefined && !isDebugFile && { codeName: peName }),
  };
}

function requireSameBuild(pe: Pe | undefined, pdb: Pdb | undefined): void {
  const [one, other] = [(pe && readCodeView(pe))?.debugId, pdb?.debugId];
  if (one === undefined || other === undefined) return;
  // The age differs if a tool has changed the PDB afterwards, which changes no code.
  if (one.slice(0, 32) === other.slice(0, 32)) return;
  throw new DebugSymbolsError('mismatch', `the program belongs to the PDB ${one}, and this PDB is ${other}`);
}

/** The debug information is in the program, or in a debug file that was split off. */
function* addNames(pe: Pe, debug: Pe, name: string, writer: SymbolWriter): Steps<void> {
  if (debug.section('.debug_info') === undefined) {
    readPe(pe, name, writer, demangle);
    return;
  }
  const map = codeMapOf(debug);
  const dwarf = new DwarfFile((section) => debug.section(`.debug_${section}`), true);
  yield* addFunctions({ dwarf, map, split: undefined }, writer);
  if (pe.isDebugFile()) return;
  const isFunction = writer.functionTest();
  const onlyMissing: SymbolSink = {
    ...NO_SINK,
    function: (record) => void (isFunction(record.address) || writer.function(record)),
    publicSymbol: (record) => void (isFunction(record.address) || writer.publicSymbol(record)),
  };
  readPe(pe, name, onlyMissing, demangle);
}

/** What readPe doesn't send. */
const NO_SINK: Omit<SymbolSink, 'function' | 'publicSymbol'> = {
  file: () => 0,
  origin: () => 0,
  callFrames: () => undefined,
  windowsFrame: () => undefined,
};

function codeMapOf(pe: Pe): CodeMap {
  const imageBase = Number(pe.headers.imageBase);
  const { sections } = pe.headers;
  return {
    base: imageBase,
    code: sections
      .filter(({ isExecutable }) => isExecutable)
      .map(({ address, size }) => [imageBase + address, imageBase + address + size]),
    cleansPaths: true,
    symbols: [SymbolTable.of(symbolsOf(pe, imageBase))],
  };
}

function* symbolsOf(pe: Pe, imageBase: number): Generator<{ name: string; address: number }> {
  for (const { name, address, isFunction } of readCoffSymbols(pe)) {
    if (!isFunction) continue;
    // The linker puts an underscore in front of names of 32-bit code.
    yield { name: pe.cpu === 'x86' ? name.replace(/^_/, '') : name, address: imageBase + address };
  }
}

function addUnwindRules(pe: Pe, writer: SymbolWriter): void {
  try {
    if (pe.cpu === 'x86_64') readX64Unwind(pe, writer);
    else if (pe.cpu === 'arm64') readArm64Unwind(pe, writer);
  } catch (error) {
    // The names are worth having without them.
    if (!(error instanceof DebugSymbolsError)) throw error;
  }
  if (pe.cpu !== 'x86') return;
  const ehFrame = pe.section('.eh_frame');
  const debugFrame = pe.section('.debug_frame');
  const address = pe.headers.sections.find(({ name }) => name === '.eh_frame')?.address ?? 0;
  addCallFrames(
    {
      ...{ cpu: pe.cpu, is64: false, littleEndian: true, isMacOs: false },
      ehFrame: ehFrame && { source: ehFrame, address: Number(pe.headers.imageBase) + address },
      debugFrame: debugFrame && { source: debugFrame },
    },
    codeMapOf(pe),
    writer,
  );
}
