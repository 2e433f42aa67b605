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

  packedFunctions(): void {
    throw new Error('this PDB is read by one thread');
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

const BLOCK_SIZE = 512;

/** Builds an MSF file with the given streams. The directory and the list of its blocks are at the end. */
export function buildMsf(streams: readonly Uint8Array[]): Uint8Array {
  const blocks: Uint8Array[] = [new Uint8Array(BLOCK_SIZE), new Uint8Array(BLOCK_SIZE), new Uint8Array(BLOCK_SIZE)];
  const addBlocks = (bytes: Uint8Array): number[] => {
    const numbers: number[] = [];
    for (let at = 0; at < bytes.length; at += BLOCK_SIZE) {
      const block = new Uint8Array(BLOCK_SIZE);
      block.set(bytes.subarray(at, at + BLOCK_SIZE));
      numbers.push(blocks.push(block) - 1);
    }
    return numbers;
  };
  const places = streams.flatMap(addBlocks);
  const directory = words(streams.length, ...streams.map(({ length }) => length), ...places);
  const directoryBlocks = addBlocks(directory);
  const [map] = addBlocks(words(...directoryBlocks));
  blocks[0]!.set(new TextEncoder().encode('Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0'));
  blocks[0]!.set(words(BLOCK_SIZE, 1, blocks.length, directory.length, 0, map!), 32);
  return Uint8Array.from(blocks.flatMap((block) => [...block]));
}

/** The bytes of 32-bit numbers. */
export function words(...values: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer);
}
