// Finds Breakpad symbol files in a folder, checks that they are, leaves out those that are known, and divides the rest into uploads.
import { open } from 'node:fs/promises';
import { LIMITS } from '@chauffeur/contract/limits';
import { LocalError } from '../failures.ts';
import { hashFile } from '../upload/hash-file.ts';
import { type Entry, listEntries } from '../zip/entries.ts';
import { mapInOrder } from '../zip/in-order.ts';

/** What the service takes: bytes of one file, of one upload, and files and bytes unpacked in one upload. */
export const SYMBOL_LIMITS = {
  fileBytes: LIMITS.symbolFileBytes,
  uploadBytes: LIMITS.symbolUploadBytes,
  filesPerUpload: LIMITS.symbolFiles,
  unpackedBytes: LIMITS.symbolUnpackedBytes,
} as const;

export type SymbolFile = {
  /** Path on disk. */
  readonly source: string;
  readonly size: number;
  /** How it goes into a zip; null for a file that was given by itself. */
  readonly entry: Entry | null;
};

/** The .sym files below `folder`. Rejects with LocalError when there are none, or one is not what it says. */
export async function findSymbolFiles(folder: string, signal: AbortSignal): Promise<SymbolFile[]> {
  const entries = await listEntries(folder, { signal });
  const files = entries.filter(({ kind, path }) => kind === 'file' && path.toLowerCase().endsWith('.sym'));
  if (files.length === 0) {
    throw new LocalError(`${folder}: holds no .sym files.`, 'Make them with dump_syms from the unstripped binaries.');
  }
  for (const file of files) await checkSymbolFile(file.source, file.path);
  return files.map((entry) => ({ source: entry.source, size: entry.size, entry }));
}

/** Its size. Rejects with LocalError when the file is too large or lacks the MODULE record that opens every Breakpad symbol file. */
export async function checkSymbolFile(path: string, name: string): Promise<number> {
  await using file = await open(path).catch((cause: unknown) => {
    throw new LocalError(`${name}: cannot be read.`, 'Check its permissions.', { cause });
  });
  const { size } = await file.stat();
  if (size > SYMBOL_LIMITS.fileBytes) {
    throw new LocalError(`${name}: is larger than ${SYMBOL_LIMITS.fileBytes} bytes.`, 'Leave it out of the folder.');
  }
  const { buffer, bytesRead } = await file.read(Buffer.alloc(7), 0, 7, 0);
  if (buffer.toString('latin1', 0, bytesRead) !== 'MODULE ') {
    throw new LocalError(
      `${name}: is not a Breakpad symbol file: its first line does not start with MODULE.`,
      'Make it again with dump_syms, or leave it out of the folder.',
    );
  }
  return size;
}

const HASHED_AT_ONCE = 4;

/** Those files whose SHA-256 is not among `known`. When nothing is known, nothing is read. */
export async function withoutKnown(
  files: readonly SymbolFile[],
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<SymbolFile[]> {
  if (known.size === 0) return [...files];
  const fresh: SymbolFile[] = [];
  const hashed = mapInOrder(files, HASHED_AT_ONCE, async (file) => ({ file, ...(await hashFile(file.source)) }));
  for await (const { file, sha256 } of hashed) {
    signal.throwIfAborted();
    if (!known.has(sha256)) fresh.push(file);
  }
  return fresh;
}

/** Divides files, in their order, into uploads within the service's limits. */
export function batchesOf<File extends { readonly size: number }>(files: readonly File[]): File[][] {
  const batches: File[][] = [];
  let bytes = 0;
  for (const file of files) {
    const batch = batches.at(-1);
    bytes += file.size;
    if (batch === undefined || batch.length >= SYMBOL_LIMITS.filesPerUpload || bytes > SYMBOL_LIMITS.unpackedBytes) {
      batches.push([file]);
      bytes = file.size;
    } else {
      batch.push(file);
    }
  }
  return batches;
}
