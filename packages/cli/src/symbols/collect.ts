// Finds Breakpad symbol files in a folder, checks that they are, and divides them into uploads.
import { open } from 'node:fs/promises';
import { GIB, MIB } from '@chauffeur/contract/limits';
import { LocalError } from '../failures.ts';
import { type Entry, listEntries } from '../zip/entries.ts';

/** What the service takes: bytes of one file, of one upload, and files and bytes unpacked in one upload. */
export const SYMBOL_LIMITS = {
  fileBytes: 512 * MIB,
  uploadBytes: GIB,
  filesPerUpload: 200,
  unpackedBytes: 2 * GIB,
} as const;

/** The .sym files below `folder`. Rejects with LocalError when there are none, or one is not what it says. */
export async function findSymbolFiles(folder: string, signal: AbortSignal): Promise<Entry[]> {
  const entries = await listEntries(folder, { signal });
  const files = entries.filter(({ kind, path }) => kind === 'file' && path.toLowerCase().endsWith('.sym'));
  if (files.length === 0) {
    throw new LocalError(`${folder}: holds no .sym files.`, 'Make them with dump_syms from the unstripped binaries.');
  }
  for (const file of files) await checkSymbolFile(file.source, file.path);
  return files;
}

/** Rejects with LocalError when the file is too large or lacks the MODULE record that opens every Breakpad symbol file. */
export async function checkSymbolFile(path: string, name: string): Promise<void> {
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
}

/** Divides files, in their order, into uploads within the service's limits. */
export function batchesOf(files: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
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
