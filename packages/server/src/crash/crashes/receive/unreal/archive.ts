// Reads the decompressed archive of Unreal Engine's CrashReportClient: little-endian numbers, strings as length and
// bytes.
import type { FileHandle } from 'node:fs/promises';
import { KIB } from '@chauffeur/contract/limits';

/** A file in the archive: the position of its bytes, and the first of them. */
export type ArchivedFile = { name: string; start: number; size: number; magic: string };

/** The bytes are not such an archive. */
export class BadArchiveError extends Error {
  override readonly name = 'BadArchiveError';
}

const MARKER = 'CR1';
/** The engine pads names to 260 bytes. No OS has longer paths than this. */
const MAX_NAME_LENGTH = 4 * KIB;
const MAX_FILES = 100;
const MAGIC_BYTES = 4;

/**
 * The files of the archive, in order. After the marker `CR1`, a header has the number of files. Older engines write no
 * marker; their archive starts with a placeholder of the same shape and ends with the real header, whose last four
 * bytes are the number. For a truncated archive, returns the complete files. Throws BadArchiveError if the bytes are
 * not an archive.
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
  const total = marked ? count : await createReader(file, size, size - 4).number();
  if (total < 0 || total > MAX_FILES) throw new BadArchiveError(`${total} files`);
  const files: ArchivedFile[] = [];
  while (files.length < total) {
    const archived = await readFile(reader);
    if (archived === null) break;
    files.push(archived);
  }
  return files;
}

/** Null at the end of a truncated archive. */
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
    if (length > MAX_NAME_LENGTH || reader.at < 0 || reader.at + length > size)
      throw new BadArchiveError(`nothing to read at ${reader.at}`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, reader.at);
    if (bytesRead < length) throw new BadArchiveError(`nothing to read at ${reader.at}`);
    reader.at += length;
    return buffer;
  }

  async function number(): Promise<number> {
    return (await bytes(4)).readInt32LE();
  }

  /** Padded with NUL to the maximum length. */
  async function name(): Promise<string> {
    const length = (await bytes(4)).readUInt32LE();
    return (await bytes(length)).toString('utf8').split('\0', 1)[0] ?? '';
  }

  return reader;
}
