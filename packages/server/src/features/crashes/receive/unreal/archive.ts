// Reads the archive that Unreal Engine’s CrashReportClient sends, once it is inflated: little-endian, strings as length and bytes.
import type { FileHandle } from 'node:fs/promises';
import { KIB } from '@chauffeur/contract/limits';

/** A file in the archive: where its bytes lie, and the first of them. */
export type ArchivedFile = { name: string; start: number; size: number; magic: string };

/** The bytes are no such archive. */
export class BadArchiveError extends Error {
  override readonly name = 'BadArchiveError';
}

const MARKER = 'CR1';
/** The engine pads its names to 260 bytes; a path is not longer than this anywhere. */
const LONGEST_NAME = 4 * KIB;
const MOST_FILES = 100;
const MAGIC_BYTES = 4;

/**
 * The files of the archive, in order. With `CR1` in front, the header that follows has their number. Before there was a marker, the
 * engine wrote a placeholder first, of the same shape but without the truth, and the real header behind the last file: there the
 * number is in the last four bytes. An archive that breaks off gives what was whole. Throws BadArchiveError for what is none.
 */
export async function listArchive(file: FileHandle): Promise<ArchivedFile[]> {
  const { size } = await file.stat();
  const reader = createReader(file, size);
  const marked = (await reader.text(MARKER.length)) === MARKER;
  if (!marked) reader.at = 0;
  await reader.name();
  await reader.name();
  await reader.number();
  const count = await reader.number();
  const last = marked ? count : await createReader(file, size, size - 4).number();
  if (last < 0 || last > MOST_FILES) throw new BadArchiveError(`${last} files`);
  const files: ArchivedFile[] = [];
  while (files.length < last) {
    const found = await readFile(reader);
    if (found === null) break;
    files.push(found);
  }
  return files;
}

/** Null where the archive breaks off. */
async function readFile(reader: Reader): Promise<ArchivedFile | null> {
  try {
    await reader.number();
    const name = await reader.name();
    const size = await reader.number();
    const start = reader.at;
    if (size < 0 || start + size > reader.size) return null;
    const magic = await reader.text(Math.min(size, MAGIC_BYTES));
    reader.at = start + size;
    return { name, start, size, magic };
  } catch (error) {
    if (error instanceof BadArchiveError) return null;
    throw error;
  }
}

type Reader = ReturnType<typeof createReader>;

function createReader(file: FileHandle, size: number, at = 0) {
  const reader = {
    size,
    at,
    bytes,
    number,
    name,
    text: async (length: number) => (await bytes(length)).toString('latin1'),
  };

  async function bytes(length: number): Promise<Buffer> {
    if (length > LONGEST_NAME || reader.at < 0 || reader.at + length > size)
      throw new BadArchiveError(`nothing to read at ${reader.at}`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, reader.at);
    if (bytesRead < length) throw new BadArchiveError(`nothing to read at ${reader.at}`);
    reader.at += length;
    return buffer;
  }

  async function number(): Promise<number> {
    return (await bytes(4)).readInt32LE();
  }

  /** Padded with NUL: the engine writes every name with the length of the longest. */
  async function name(): Promise<string> {
    const length = (await bytes(4)).readUInt32LE();
    return (await bytes(length)).toString('utf8').split('\0', 1)[0] ?? '';
  }

  return reader;
}
