// Collects the symbols of a PDB for tests, and finds the corpus of PDBs next to the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FunctionRecord, PublicRecord, SymbolSink, WindowsFrameRecord } from '../symbol-sink.ts';

const FOLDER = join(import.meta.dirname, '../../../../../shared/symbols-corpus');

/** The `skip` of a test: false, or the reason for skipping the tests of the corpus. */
export const CORPUS_MISSING = existsSync(FOLDER) ? false : 'skipped: corpus not found';

/** The names of the cases that have a PDB. */
export function listCases(): string[] {
  if (CORPUS_MISSING) return [];
  return readdirSync(FOLDER).filter((name) => /^(pub-)?pdb-/.test(name) && findPdb(name) !== undefined);
}

/** The names of the damaged PDBs. */
export function listHostile(): string[] {
  return CORPUS_MISSING ? [] : readdirSync(join(FOLDER, 'hostile')).filter((name) => name.startsWith('pdb-'));
}

export function readCasePdb(name: string): Uint8Array {
  return readCorpusFile(name, findPdb(name)!);
}

/** Reads a file of a case, unpacked; undefined if there is none. */
export function readCorpusText(name: string, file: string): string | undefined {
  return existsSync(join(FOLDER, name, file)) ? new TextDecoder().decode(readCorpusFile(name, file)) : undefined;
}

export function readCorpusFile(name: string, file: string): Uint8Array {
  const bytes = readFileSync(join(FOLDER, name, file));
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

function findPdb(name: string): string | undefined {
  return readdirSync(join(FOLDER, name)).find((file) => /\.pdb(\.gz)?$/.test(file));
}

/** Keeps everything in memory. */
export class CollectingSink implements SymbolSink {
  readonly files: string[] = [];
  readonly origins: string[] = [];
  readonly functions: FunctionRecord[] = [];
  readonly publics: PublicRecord[] = [];
  readonly frames: WindowsFrameRecord[] = [];

  file(path: string): number {
    return numberOf(this.files, path);
  }

  origin(name: string): number {
    return numberOf(this.origins, name);
  }

  function(record: FunctionRecord): void {
    this.functions.push(record);
  }

  publicSymbol(record: PublicRecord): void {
    this.publics.push(record);
  }

  callFrames(): void {
    throw new Error('a PDB has no call frames');
  }

  windowsFrame(record: WindowsFrameRecord): void {
    this.frames.push(record);
  }
}

function numberOf(list: string[], text: string): number {
  const index = list.indexOf(text);
  return index < 0 ? list.push(text) - 1 : index;
}
