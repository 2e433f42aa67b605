// Receives a crash from Unreal Engine's CrashReportClient: a zlib stream of an archive with context, log and dump. The
// archive has little-endian numbers, and strings as a length and bytes. Of the context, an XML file, only single
// elements are read, without an XML parser and its attack surface.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import { bytesOf } from '../../../kernel/blobs/byte-source.ts';
import type { ByteSource } from '../../../kernel/blobs/store.ts';
import { PRIVATE_FILE, withWorkFolder } from '../../../kernel/private-files.ts';
import { isStorageFull } from '../../../kernel/storage-full.ts';
import { type BodySource, BodyTooLargeError, receiveBody } from '../../../request/body.ts';
import { perContext } from '../../../request/per-context.ts';
import type { CrashDetails } from '../report/fields.ts';
import type { OpenedReport } from './create.ts';
import { detailsOf } from './details.ts';
import {
  type ArchivedFile,
  type HeldArchive,
  type HeldSpace,
  holdArchive,
  MAGIC_BYTES,
  MARKER,
  MAX_FILES,
  MAX_NAME_LENGTH,
} from './held-archive.ts';
import { type KeepAttachment, type KeepFile, receiveWhole } from './one-shot.ts';

/** A dump, a log, and the other files of the client. */
const MAX_ARCHIVE_BYTES = 2 * LIMITS.crashFileBytes + 64 * MIB;
/** A context usually has a few hundred KiB. */
const MAX_CONTEXT_BYTES = 4 * MIB;

/**
 * Receives the archive in `request`. It is decompressed into a file first, because the positions of its files are only
 * known at its end. Throws like `receiveWhole`, and `tooLarge` if it decompresses to more than allowed.
 */
export function receiveUnreal(ctx: Context, request: FastifyRequest): Promise<OpenedReport> {
  return receiveWhole(ctx, request, async (keep, attachments) => {
    const xml = await readUnrealBody(ctx, request, keep, attachments);
    return { source: 'unreal', ids: {}, clientRef: null, details: (omissions) => detailsOfContext(xml, omissions) };
  });
}

/**
 * Stores the files of the archive in `request`, and returns its context, which is empty without one. If the disk is
 * full, the archive is read in memory, and reading one of its large files throws the error of the disk.
 */
export function readUnrealBody(
  ctx: Context,
  request: { readonly raw: BodySource },
  keep: KeepFile,
  attachments: KeepAttachment,
): Promise<string> {
  return withSpool(ctx, async (file) => {
    const held = await inflate(ctx, request, file);
    try {
      return await readArchive(held?.files ?? (await listFiles(file!)), keep, attachments);
    } finally {
      held?.release();
    }
  });
}

/** Runs `work` with a file for the archive; null if the disk has no room for one. */
async function withSpool<T>(ctx: Context, work: (file: FileHandle | null) => Promise<T>): Promise<T> {
  let isOpen = false;
  try {
    return await withWorkFolder(ctx.config.dataFolder, async (folder) => {
      await using file = await open(join(folder, 'archive'), 'w+', PRIVATE_FILE);
      isOpen = true;
      return await work(file);
    });
  } catch (error) {
    if (isOpen || !isStorageFull(error)) throw error;
    return await work(null);
  }
}

/** Decompresses the archive into the file; if it has no room, returns the files of the archive. */
async function inflate(
  ctx: Context,
  request: { readonly raw: BodySource },
  file: FileHandle | null,
): Promise<HeldArchive | null> {
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  try {
    return await receiveBody(request.raw, { encoding: 'zlib', maxBytes: MAX_ARCHIVE_BYTES, idleMs }, async (body) => {
      const rest = file === null ? body : await fill(file, body);
      if (rest === null) return null;
      const held = await holdArchive(rest, spaces(ctx));
      // What it took may be enough for the small files.
      await file?.truncate(0);
      return held;
    });
  } catch (error) {
    if (error instanceof BodyTooLargeError)
      throw errors.tooLarge(`The archive decompresses to more than ${MAX_ARCHIVE_BYTES / MIB} MB. Send a smaller one.`);
    throw error;
  }
}

const spaces = perContext((): HeldSpace => ({ left: 64 * MIB }));

/** Writes `body` to the file. If it has no room, returns all bytes, to be read while the file is open. */
async function fill(file: FileHandle, body: ByteSource): Promise<ByteSource | null> {
  let written = 0;
  for await (const bytes of body) {
    try {
      await file.write(bytes, 0, bytes.length, written).then(({ bytesWritten }) => {
        if (bytesWritten < bytes.length) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      });
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      return allOf(file, written, bytes, body);
    }
    written += bytes.length;
  }
  return null;
}

async function* allOf(
  file: FileHandle,
  written: number,
  bytes: Uint8Array,
  rest: ByteSource,
): AsyncGenerator<Uint8Array, undefined> {
  if (written > 0) yield* bytesOf(() => file.createReadStream({ start: 0, end: written - 1, autoClose: false }));
  yield bytes;
  yield* rest;
}

async function readArchive(
  files: readonly ArchivedFile[],
  keep: KeepFile,
  attachments: KeepAttachment,
): Promise<string> {
  const context = files.find(({ name }) => /\.runtime-xml$/i.test(name));
  const dump = files.find(({ magic }) => magic === 'MDMP' || magic === 'PMDM');
  const log = files.find(({ name }) => /\.log$/i.test(name));
  if (context === undefined && dump === undefined && log === undefined)
    throw errors.unreadableBody('The archive contains no context, log or dump.');
  if (dump !== undefined) await keep('dump', dump.content());
  if (log !== undefined) await keep('log', log.content());
  for (const [index, other] of files.filter((each) => ![context, dump, log].includes(each)).entries()) {
    if (index < LIMITS.crashAttachments) await attachments.keep(other.name, other.content());
    else attachments.leaveOut(other.name);
  }
  return context === undefined ? '' : await textOf(context);
}

async function listFiles(file: FileHandle): Promise<ArchivedFile[]> {
  try {
    const files = await listArchive(file);
    return files.map((each) => ({ ...each, content: () => contentOf(file, each) }));
  } catch (cause) {
    if (!(cause instanceof BadArchiveError)) throw cause;
    throw errors.unreadableBody('The body is not an archive of CrashReportClient.', { cause });
  }
}

async function* contentOf(file: FileHandle, { start, size }: FilePlace): AsyncGenerator<Uint8Array, undefined> {
  if (size > 0) yield* bytesOf(() => file.createReadStream({ start, end: start + size - 1, autoClose: false }));
}

async function textOf(context: ArchivedFile): Promise<string> {
  const pieces: Uint8Array[] = [];
  let left = MAX_CONTEXT_BYTES;
  for await (const bytes of context.content()) {
    pieces.push(bytes.subarray(0, left));
    left -= bytes.length;
    if (left <= 0) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** A file in the archive: the position of its bytes, and the first of them. */
type FilePlace = { name: string; start: number; size: number; magic: string };

/** The bytes are not such an archive. */
export class BadArchiveError extends Error {
  override readonly name = 'BadArchiveError';
}

/**
 * The files of the archive, in order. After the marker `CR1`, a header has the number of files. Older engines write no
 * marker; their archive starts with a placeholder of the same shape and ends with the real header, whose last four
 * bytes are the number. For a truncated archive, returns the complete files. Throws BadArchiveError if the bytes are
 * not an archive.
 */
export async function listArchive(file: FileHandle): Promise<FilePlace[]> {
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
  const files: FilePlace[] = [];
  while (files.length < total) {
    const archived = await readFile(reader);
    if (archived === null) break;
    files.push(archived);
  }
  return files;
}

/** Reads the next file. Returns null at the end of a truncated archive. */
async function readFile(reader: Reader): Promise<FilePlace | null> {
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

/** Elements for the metadata. Ids of the player and the machine are left out. */
const KEPT = [
  'CrashGUID',
  'CrashType',
  'BuildConfiguration',
  'EngineMode',
  'PlatformFullName',
  'SecondsSinceStart',
  'IsEnsure',
  'IsAssert',
  'IsOOM',
] as const;

/** Prefixes of the engine's platform names, such as `WindowsNoEditor` and `LinuxServer`. */
const PLATFORMS = ['windows', 'win', 'mac', 'linux', 'android', 'ios'];

/** The details of a crash. Version, OS and architecture that are missing are later taken from the build. */
export function detailsOfContext(xml: string, omissions: readonly string[]): CrashDetails {
  const platform = elementOf(xml, 'PlatformName');
  const os = PLATFORMS.find((name) => platform.toLowerCase().startsWith(name));
  const further = KEPT.map((name) => [name, elementOf(xml, name)] as const).filter(([, value]) => value !== '');
  return detailsOf({
    // The engine adds its own name before the game's: `UE4-Racer`.
    app_name: elementOf(xml, 'GameName').replace(/^UE\d?-/, ''),
    engine_version: elementOf(xml, 'EngineVersion'),
    os: os ?? platform,
    message: elementOf(xml, 'ErrorMessage'),
    user_message: elementOf(xml, 'UserDescription'),
    // Set by the game with FGenericCrashContext::SetGameData.
    device_uid: elementOf(xml, 'device_uid'),
    session_id: elementOf(xml, 'session_id'),
    further,
    omissions,
  });
}

/** The text of the first `<name>`; empty if there is none or it contains other elements. */
export function elementOf(xml: string, name: string): string {
  const start = xml.indexOf(`<${name}>`);
  if (start < 0) return '';
  const from = start + name.length + 2;
  const end = xml.indexOf('<', from);
  return end < 0 || !xml.startsWith(`</${name}>`, end) ? '' : unescapeText(xml.slice(from, end)).trim();
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Decodes the predefined entities and character references (XML 1.0, sections 4.1 and 4.6). */
function unescapeText(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
