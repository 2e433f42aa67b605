// Reads the form of a crash reporter as it arrives: fields are kept, dump and log are handed on as streams, other files are skipped.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { BodyTooLargeError } from '../../../../kernel/body.ts';
import type { CrashFileKind } from '../tokens.ts';

/** A dump or a log. `filename` is empty where the form gives none; `truncated` is known when the bytes have ended. */
export type CrashPart = {
  readonly kind: CrashFileKind;
  readonly name: string;
  readonly filename: string;
  /** Cut at the most that a file may have. */
  readonly bytes: BusboyFileStream;
};

export type CrashForm = {
  /** The form’s texts by their names; the first counts where one comes twice. */
  readonly fields: ReadonlyMap<string, string>;
  /** The text of the part `metadata`; null where there is none. */
  readonly metadata: string | null;
  /** What was left out because it was too much, in words for people. */
  readonly omissions: readonly string[];
};

export type CrashFormOptions = {
  readonly onPart: (part: CrashPart) => Promise<void>;
  /** What a file part is; null for one to leave out. Where absent, as reporters name theirs. */
  readonly kindOf?: (name: string, filename: string) => CrashFileKind | null;
};

export const DUMP_PART = 'upload_file_minidump';
const METADATA_PART = 'metadata';
/** Files whatever their headers say: a log comes as text/plain without a file name, and would else be a field. */
const FILE_PARTS = new Set(['dump', 'log', 'minidump', METADATA_PART, DUMP_PART]);

/** Far more than any reporter sends; what is over it is left out. */
const FORM_LIMITS = {
  fieldSize: LIMITS.formFieldBytes,
  fields: 500,
  files: 50,
  fileSize: LIMITS.crashFileBytes,
  parts: 600,
  headerPairs: 50,
};

/**
 * Everything of the form but its files. `onPart` is called for the first dump and the first log; the form ends when both are done
 * with. Throws 4001 for a form that cannot be read, and what the body or `onPart` throws. A body that is longer than it may be
 * ends the form there, a part that it breaks off throws BodyTooLargeError, and what came before counts.
 */
export async function readCrashForm(
  body: Readable,
  headers: IncomingHttpHeaders,
  { onPart, kindOf = kindOfPart }: CrashFormOptions,
): Promise<CrashForm> {
  const parser = openParser(headers);
  const open = new Set<BusboyFileStream>();
  const fields = new Map<string, string>();
  const omissions = new Set<string>();
  let metadata: string | null = null;
  const parts = new Map<string, Promise<unknown>>();
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();

  function fail(error: Error): void {
    body.unpipe(parser);
    body.destroy();
    for (const stream of open) stream.destroy(error);
    reject(error);
  }

  parser.on('field', (name: string | undefined, value, _nameTruncated, valueTruncated) => {
    if (valueTruncated) omissions.add('a field was too long and was cut');
    if (name !== undefined && !fields.has(name)) fields.set(name, value);
  });
  parser.on('file', (name: string | undefined, stream, filename = '') => {
    // Its error reaches the sender through the part’s promise, or by the body.
    stream.on('error', () => undefined);
    const kind = name === METADATA_PART ? METADATA_PART : kindOf(name ?? '', filename);
    if (kind === null || parts.has(kind)) {
      omissions.add('a file was left out: a report has one dump and one log');
      return void stream.resume();
    }
    open.add(stream);
    const done =
      kind === METADATA_PART
        ? readMetadata(stream).then((given) => {
            metadata = given;
          })
        : onPart({ kind, name: name ?? '', filename, bytes: stream });
    parts.set(kind, done);
    done.catch(fail).finally(() => open.delete(stream));
  });
  for (const event of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
    parser.on(event, () => omissions.add('parts were left out: there were too many'));
  parser.on('error', (cause) => fail(unreadable('it is not well-formed multipart/form-data', cause)));
  parser.on('finish', resolve);
  body.on('error', fail);
  body.pipe(parser);
  try {
    await ended;
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) {
      // Nothing of a file is being stored any more when the caller tidies up.
      await Promise.allSettled(parts.values());
      throw error;
    }
    omissions.add('the rest of the form was left out: it was too large');
  }
  await Promise.all(parts.values());
  return { fields, metadata, omissions: [...omissions] };
}

function kindOfPart(name: string, filename: string): CrashFileKind | null {
  if (name === 'dump' || name === 'minidump' || name === DUMP_PART || /\.dmp$/i.test(filename)) return 'dump';
  return name === 'log' || /\.(log|txt)$/i.test(filename) ? 'log' : null;
}

async function readMetadata(stream: BusboyFileStream): Promise<string> {
  let size = 0;
  stream.on('data', (bytes: Buffer) => {
    size += bytes.length;
    if (size > MIB) stream.destroy(new ApiError(4001, 'metadata: larger than 1 MiB; send less in it.'));
  });
  return text(stream);
}

function openParser(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: FORM_LIMITS,
      isPartAFile: (name, contentType, filename) =>
        filename !== undefined || contentType === 'application/octet-stream' || FILE_PARTS.has(name ?? ''),
      highWaterMark: 256 * 1024,
      fileHwm: 256 * 1024,
    });
  } catch (cause) {
    throw unreadable('Content-Type names no boundary', cause);
  }
}

function unreadable(reason: string, cause: unknown): ApiError {
  return new ApiError(4001, `The form could not be read: ${reason}.`, { cause });
}
