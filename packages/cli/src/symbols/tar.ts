// Lists the files in a tar archive (POSIX.1-2017, "pax Interchange Format"), with the long names of GNU tar.
import type { FileHandle } from 'node:fs/promises';

export type TarFile = {
  readonly path: string;
  /** Where its content starts in the archive. */
  readonly offset: number;
  readonly size: number;
};

const BLOCK = 512;
const TYPES = { file: ['0', '\0', '7'], longName: 'L', header: 'x' } as const;
const MAX_NAME_BYTES = 64 * 1024;

/** Yields the regular files. Throws where the archive is cut off or damaged. */
export async function* listTar(archive: FileHandle): AsyncGenerator<TarFile> {
  const { size: end } = await archive.stat();
  let given: { path?: string; size?: number } = {};
  for (let at = 0; at + BLOCK <= end; ) {
    const header = await readAt(archive, at, BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (!hasChecksum(header)) throw new Error('it is damaged');
    const type = header.toString('latin1', 156, 157);
    const size = given.size ?? readNumber(header, 124, 12);
    const offset = at + BLOCK;
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('it is damaged');
    if (offset + size > end) throw new Error('it is cut off');
    at = offset + Math.ceil(size / BLOCK) * BLOCK;
    if (type === TYPES.longName || type === TYPES.header) {
      const content = await readAt(archive, offset, Math.min(size, MAX_NAME_BYTES));
      given = type === TYPES.header ? readPax(content) : { path: readText(content, 0, content.length) };
      continue;
    }
    const path = (given.path ?? nameOf(header)).replace(/^(?:\.\/)+/, '');
    given = {};
    if (TYPES.file.some((each) => each === type)) yield { path, offset, size };
  }
}

export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function nameOf(header: Buffer): string {
  const name = readText(header, 0, 100);
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? readText(header, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function readText(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

/** Octal digits, or a number in the bytes if it is too large for them. */
function readNumber(header: Buffer, at: number, length: number): number {
  if ((header[at]! & 0x80) !== 0) return Number(header.readBigUInt64BE(at + length - 8));
  return Number.parseInt(readText(header, at, length).trim() || '0', 8);
}

function hasChecksum(header: Buffer): boolean {
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  return sum === readNumber(header, 148, 8);
}

/** Records such as `30 path=a/long/name`, each with its length in bytes. */
function readPax(content: Buffer): { path?: string; size?: number } {
  const given: { path?: string; size?: number } = {};
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(content.toString('latin1', at, at + 10), 10);
    if (!(length > 0)) break;
    const [, key, value] = /^\d+ ([^=]+)=(.*)\n$/s.exec(content.toString('utf8', at, at + length)) ?? [];
    if (key === 'path' && value !== undefined) given.path = value;
    if (key === 'size' && value !== undefined) given.size = Number(value);
    at += length;
  }
  return given;
}
