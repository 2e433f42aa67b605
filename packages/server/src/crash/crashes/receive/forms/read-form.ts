// Reads the form of a crash reporter as it arrives: returns its fields, and passes on dump, log and attachments as
// streams.
import type { IncomingHttpHeaders } from 'node:http';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { ByteSource } from '../../../../kernel/blobs/store.ts';
import { type Body, BodyTooLargeError } from '../../../../request/body.ts';
import { type Field, type FilePart, MalformedMultipartError, readMultipart } from '../../../../request/multipart.ts';
import type { CrashFileKind } from '../tokens.ts';

/** A dump, a log or an attachment. Its bytes end at the maximum size of a file. */
type CrashPart = FilePart & { readonly kind: CrashFileKind | 'attachment' };

export type CrashForm = {
  /** The texts of the form by name. If a name is repeated, the first text counts. */
  readonly fields: ReadonlyMap<string, string>;
  /** The text of the part `metadata`; null if there is none. */
  readonly metadata: string | null;
  /** Sentences about what was left out because it exceeded a limit. */
  readonly omissions: readonly string[];
};

export type CrashFormOptions = {
  readonly onPart: (part: CrashPart) => Promise<void>;
  /** Called for files past the maximum number of attachments. Without it, a form has no attachments. */
  readonly onLeftOut?: (name: string) => void;
  /** The kind of a file part; null for a part to leave out. By default, from the names that reporters use. */
  readonly kindOf?: (name: string, filename: string) => CrashFileKind | null;
};

export const DUMP_PART = 'upload_file_minidump';
const METADATA_PART = 'metadata';
/** Parts that are files whatever their headers: a log may be sent as text/plain without a filename, like a field. */
const FILE_PARTS = new Set(['dump', 'log', 'minidump', METADATA_PART, DUMP_PART]);

/** Far more than reporters send. What exceeds a limit is left out. */
const FORM_LIMITS = {
  fieldSize: LIMITS.formFieldBytes,
  fields: 500,
  files: 50,
  fileSize: LIMITS.crashFileBytes,
  parts: 600,
  headerPairs: 50,
};

/**
 * Reads a form and calls `onPart` for the first dump, the first log and as many other files as allowed. Throws
 * `unreadableBody` for a malformed form, and errors of the body and of `onPart`. If the body is too long, the form ends
 * there: the part that is cut off throws BodyTooLargeError, and everything before it counts.
 */
export async function readCrashForm(
  body: Body,
  headers: IncomingHttpHeaders,
  { onPart, onLeftOut, kindOf = kindOfPart }: CrashFormOptions,
): Promise<CrashForm> {
  const fields = new Map<string, string>();
  const omissions = new Set<string>();
  const kinds = new Set<string>();
  let metadata: string | null = null;
  let attachments = 0;

  function onField({ name, value, isTruncated }: Field): void {
    if (isTruncated) omissions.add('A field was too long and was cut.');
    if (name !== '' && !fields.has(name)) fields.set(name, value);
  }

  function onFile(part: FilePart): (() => Promise<void>) | null {
    const kind = part.name === METADATA_PART ? METADATA_PART : kindOf(part.name, part.filename);
    if (kind === null || kinds.has(kind)) {
      if (onLeftOut !== undefined) return onAttachment(part, onLeftOut);
      omissions.add('A file was left out because a report has one dump and one log.');
      return null;
    }
    kinds.add(kind);
    if (kind !== METADATA_PART) return () => onPart({ ...part, kind });
    return async () => {
      const { text, isCut } = await readMetadata(part.bytes);
      metadata = text;
      if (isCut) omissions.add('The metadata was larger than 1 MiB and was cut.');
    };
  }

  function onAttachment(part: FilePart, leaveOut: (name: string) => void): (() => Promise<void>) | null {
    attachments += 1;
    if (attachments <= LIMITS.crashAttachments) return () => onPart({ ...part, kind: 'attachment' });
    leaveOut(part.filename || part.name);
    return null;
  }

  const onLimit = () => void omissions.add('There were too many parts, and some were left out.');
  try {
    await readMultipart(body, headers, { limits: FORM_LIMITS, isFile: isFilePart, onField, onFile, onLimit });
  } catch (error) {
    if (error instanceof MalformedMultipartError)
      throw errors.unreadableBody(`The form could not be read: ${error.message}.`, { cause: error });
    if (!(error instanceof BodyTooLargeError)) throw error;
    omissions.add('The form was too large, and the rest of it was left out.');
  }
  return { fields, metadata, omissions: [...omissions] };
}

function isFilePart(name: string, contentType: string, filename: string | undefined): boolean {
  return filename !== undefined || contentType === 'application/octet-stream' || FILE_PARTS.has(name);
}

/** Includes the names of compressed files. */
const DUMP_NAME = /\.m?dmp(\.(gz|zst))?$/i;
const LOG_NAME = /\.(log|txt)(\.(gz|zst))?$/i;

function kindOfPart(name: string, filename: string): CrashFileKind | null {
  if (name === 'dump' || name === 'minidump' || name === DUMP_PART || DUMP_NAME.test(filename)) return 'dump';
  return name === 'log' || LOG_NAME.test(filename) ? 'log' : null;
}

/** The text up to 1 MiB. The rest is read and ignored. */
async function readMetadata(bytes: ByteSource): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk.subarray(0, Math.max(0, MIB - size)));
    size += chunk.length;
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), isCut: size > MIB };
}
