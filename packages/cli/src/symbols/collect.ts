// Finds Breakpad symbol files in a folder, skips files that were already uploaded, and splits the rest into uploads.
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { FOREIGN_FILE_BYTES, recognizeForeignFile } from '@chauffeur/contract/foreign-symbol-file';
import { formatBytes } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import { LocalError } from '../failures.ts';
import { hashFile } from '../upload/multipart.ts';
import { type Entry, listEntries } from '../zip/entries.ts';
import { mapInOrder } from '../zip/in-order.ts';

/** The limits of the service: bytes per file and per upload, and files and unpacked bytes per upload. */
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
  /** Its entry in a zip; null for a file that was named directly. */
  readonly entry: Entry | null;
};

/** Files with debug information in other formats. */
const NATIVE_FILE = /\.(?:pdb|debug|dbg|dwp|so|dll|exe|dylib)$|\.dSYM\/|\.so\.[0-9.]+$/i;

/** Files that macOS adds next to others on file systems of other systems. */
function isMacFile(path: string): boolean {
  return basename(path).startsWith('._');
}

/** The .sym files in `folder` and its subfolders. Rejects with LocalError if there are none, or one is invalid. */
export async function findSymbolFiles(folder: string, signal: AbortSignal): Promise<SymbolFile[]> {
  const all = (await listEntries(folder, { signal })).entries;
  const entries = all.filter(({ kind, path }) => kind === 'file' && !isMacFile(path));
  const files = entries.filter(({ path }) => path.toLowerCase().endsWith('.sym'));
  if (files.length === 0) {
    const native = entries.find(({ path }) => NATIVE_FILE.test(path));
    throw new LocalError(
      `${folder}: contains no .sym files${native === undefined ? '' : `, only others, such as ${native.path}`}.`,
      'Create them with dump_syms from the unstripped binaries.',
    );
  }
  for (const file of files) await checkSymbolFile(file.source, file.path);
  return files.map((entry) => ({ source: entry.source, size: entry.size, entry }));
}

/** Returns the file size. Rejects with LocalError if the file is too large, or says what it is instead of symbols. */
export async function checkSymbolFile(path: string, name: string): Promise<number> {
  await using file = await open(path).catch((cause: unknown) => {
    throw new LocalError(`${name}: cannot be read.`, 'Check its permissions.', { cause });
  });
  const { size } = await file.stat();
  if (size > SYMBOL_LIMITS.fileBytes) {
    throw new LocalError(
      `${name}: is larger than ${formatBytes(SYMBOL_LIMITS.fileBytes)}.`,
      'Remove it from the folder.',
    );
  }
  const { buffer, bytesRead } = await file.read(Buffer.alloc(FOREIGN_FILE_BYTES), 0, FOREIGN_FILE_BYTES, 0);
  requireSymbols(name, buffer.subarray(0, bytesRead));
  return size;
}

function requireSymbols(name: string, firstBytes: Uint8Array): void {
  const foreign = recognizeForeignFile(firstBytes);
  if (foreign !== null)
    throw new LocalError(`${name}: is not a Breakpad symbol file: ${foreign.what}.`, foreign.remedy);
  if (Buffer.from(firstBytes.subarray(0, 6)).toString('latin1') === 'MODULE') return;
  throw new LocalError(
    `${name}: is not a Breakpad symbol file: its first line does not start with MODULE.`,
    'Create it again with dump_syms, or remove it from the folder.',
  );
}

const MAX_CONCURRENT_HASHES = 4;

/** The files with a SHA-256 that is not in `uploaded`. If `uploaded` is empty, no file is read. */
export async function skipUploaded(
  files: readonly SymbolFile[],
  uploaded: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<SymbolFile[]> {
  if (uploaded.size === 0) return [...files];
  const fresh: SymbolFile[] = [];
  const hashed = mapInOrder(files, MAX_CONCURRENT_HASHES, async (file) => ({ file, ...(await hashFile(file.source)) }));
  for await (const { file, sha256 } of hashed) {
    signal.throwIfAborted();
    if (!uploaded.has(sha256)) fresh.push(file);
  }
  return fresh;
}

/** Splits files, in order, into uploads within the limits of the service. */
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
