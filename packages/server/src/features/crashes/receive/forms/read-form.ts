// Reads the form of a crash reporter as it arrives: fields are kept, dump and log are handed on as streams, other files are skipped.
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { ByteSource } from '../../../../kernel/blobs/store.ts';
import { type Body, BodyTooLargeError } from '../../../../kernel/body.ts';
import { type Field, type FilePart, MalformedMultipartError, readMultipart } from '../../../../kernel/multipart.ts';
import type { CrashFileKind } from '../tokens.ts';

/** A dump or a log: its bytes end at the most that a file may have. */
export type CrashPart = FilePart & { readonly kind: CrashFileKind };

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
  body: Body,
  headers: IncomingHttpHeaders,
  { onPart, kindOf = kindOfPart }: CrashFormOptions,
): Promise<CrashForm> {
  const fields = new Map<string, string>();
  const omissions = new Set<string>();
  const kinds = new Set<string>();
  let metadata: string | null = null;

  function onField({ name, value, isTruncated }: Field): void {
    if (isTruncated) omissions.add('a field was too long and was cut');
    if (name !== '' && !fields.has(name)) fields.set(name, value);
  }

  function onFile(part: FilePart): (() => Promise<void>) | null {
    const kind = part.name === METADATA_PART ? METADATA_PART : kindOf(part.name, part.filename);
    if (kind === null || kinds.has(kind)) {
      omissions.add('a file was left out: a report has one dump and one log');
      return null;
    }
    kinds.add(kind);
    if (kind !== METADATA_PART) return () => onPart({ ...part, kind });
    return async () => {
      const { text, isCut } = await readMetadata(part.bytes);
      metadata = text;
      if (isCut) omissions.add('the metadata was cut: it was larger than 1 MiB');
    };
  }

  const onLimit = () => void omissions.add('parts were left out: there were too many');
  try {
    await readMultipart(body, headers, { limits: FORM_LIMITS, isFile: isFilePart, onField, onFile, onLimit });
  } catch (error) {
    if (error instanceof MalformedMultipartError)
      throw new ApiError(4001, `The form could not be read: ${error.message}.`, { cause: error });
    if (!(error instanceof BodyTooLargeError)) throw error;
    omissions.add('the rest of the form was left out: it was too large');
  }
  return { fields, metadata, omissions: [...omissions] };
}

function isFilePart(name: string, contentType: string, filename: string | undefined): boolean {
  return filename !== undefined || contentType === 'application/octet-stream' || FILE_PARTS.has(name);
}

function kindOfPart(name: string, filename: string): CrashFileKind | null {
  if (name === 'dump' || name === 'minidump' || name === DUMP_PART || /\.dmp$/i.test(filename)) return 'dump';
  return name === 'log' || /\.(log|txt)$/i.test(filename) ? 'log' : null;
}

/** Its text up to 1 MiB. The rest is read and left out: it must not cost the report. */
async function readMetadata(bytes: ByteSource): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk.subarray(0, Math.max(0, MIB - size)));
    size += chunk.length;
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), isCut: size > MIB };
}
