// Receives the forms of crash reporters: of engines, Breakpad and Crashpad. A form is read as it arrives: files are
// stored while the rest is still on its way, and fields may follow them.
import type { IncomingHttpHeaders } from 'node:http';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import type { ByteSource } from '../../../kernel/blobs/store.ts';
import { type Body, BodyTooLargeError, receiveBody } from '../../../request/body.ts';
import { isObject } from '../../../request/json.ts';
import { type Field, type FilePart, MalformedMultipartError, readMultipart } from '../../../request/multipart.ts';
import type { CrashDetails } from '../report/fields.ts';
import { LOG_NAME } from '../report/files.ts';
import type { OpenedReport } from './create.ts';
import { clientRefOf, detailsOf, detailsOfAnnotations, findFields, RAW_METADATA_KEY, type Writing } from './details.ts';
import { type ReportBody, receiveWhole } from './one-shot.ts';
import type { CrashFileKind } from './tokens.ts';

/** The limit of a form with its skipped parts, which is enough to reach a dump after a huge log. */
export const MAX_FORM_BYTES = 512 * MIB;
/**
 * The limit of a compressed form, which may be a thousand times as large as what was sent: all that is kept of a
 * report, with room for its fields.
 */
const MAX_UNPACKED_BYTES = 2 * LIMITS.crashFileBytes + LIMITS.crashAttachmentsBytes + 8 * MIB;

type FormReport = OpenedReport & { source: 'engine' | 'breakpad' | 'crashpad' };

/** Receives the form in `request`. Throws like `receiveWhole`. */
export async function receiveForm(ctx: Context, request: FastifyRequest): Promise<FormReport> {
  let source: FormReport['source'] = 'breakpad';
  const report = await receiveWhole(ctx, request, async (keep, attachments) => {
    const dump = { part: '', filename: '' };
    const idleMs = ctx.config.uploadIdleSeconds * 1000;
    const maxBytes = request.headers['content-encoding'] === undefined ? MAX_FORM_BYTES : MAX_UNPACKED_BYTES;
    const form = await receiveBody(request.raw, { maxBytes, idleMs }, (body) =>
      readCrashForm(body, request.headers, {
        onPart: async ({ kind, name, filename, bytes, isTruncated }) => {
          if (kind === 'dump') Object.assign(dump, { part: name, filename });
          if (kind === 'attachment') await attachments.keep(filename || name, bytes, isTruncated);
          else await keep(kind, bytes, isTruncated);
        },
        onLeftOut: (name) => attachments.leaveOut(name),
      }),
    );
    const content = bodyOf(form, dump.part, request);
    source = content.source;
    return { ...content, clientRef: clientRefOf(dump.filename) };
  });
  return { ...report, source };
}

function bodyOf(
  form: CrashForm,
  dumpPart: string,
  request: FastifyRequest,
): Omit<ReportBody, 'clientRef'> & { source: FormReport['source'] } {
  const { metadata, omissions } = form;
  const query = request.query as Readonly<Record<string, unknown>>;
  const fields = withQuery(form.fields, query);
  const ids = { appId: fields.get('app_id') ?? '', buildId: fields.get('build_id') ?? '' };
  if (metadata === null) {
    const isDefaultPart = dumpPart === '' || dumpPart === DUMP_PART;
    const sender = isFromCrashpad({ headers: request.headers, query, fields: form.fields }) ? 'crashpad' : 'breakpad';
    return {
      source: isDefaultPart ? sender : 'engine',
      ids,
      details: (lost) => detailsOfAnnotations(fields, [...omissions, ...lost]),
    };
  }
  const content = readEngineMetadata(metadata);
  return {
    source: 'engine',
    ids: { appId: content.appId || ids.appId, buildId: content.buildId || ids.buildId },
    details: (lost) => content.details([...omissions, ...lost]),
    rawMetadata: content.raw,
  };
}

/** The query parameters that Crashpad adds, and the annotations that they are copied from. */
const QUERY_ANNOTATIONS = { product: 'prod', version: 'ver', guid: 'guid' } as const;

function withQuery(fields: ReadonlyMap<string, string>, query: Readonly<Record<string, unknown>>): Map<string, string> {
  const all = new Map(fields);
  for (const [name, annotation] of Object.entries(QUERY_ANNOTATIONS)) {
    const value = query[name];
    if (typeof value === 'string' && !all.has(annotation)) all.set(annotation, value);
  }
  return all;
}

/** The parts of a form request that differ between clients. */
export type FormRequest = {
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, unknown>>;
  readonly fields: ReadonlyMap<string, string>;
};

type Sign = { readonly name: string; readonly matches: (form: FormRequest) => boolean };

/**
 * Each sign alone is enough: options of Crashpad disable some of them, and a proxy may hide others. Breakpad's clients
 * have none.
 */
const CRASHPAD_SIGNS: readonly Sign[] = [
  {
    name: 'compressed body',
    matches: ({ headers }) => /^\s*(x-)?gzip\s*$/i.test(headers['content-encoding'] ?? ''),
  },
  {
    name: 'body without a length',
    matches: ({ headers }) => /\bchunked\b/i.test(headers['transfer-encoding'] ?? ''),
  },
  {
    name: 'annotations in the query',
    matches: ({ query }) => ['product', 'version', 'guid'].some((name) => typeof query[name] === 'string'),
  },
  {
    name: 'annotations of Electron',
    matches: ({ fields }) => fields.has('_productName') || fields.has('_version'),
  },
];

/** Whether the form was sent by Crashpad or a program built on it. */
export function isFromCrashpad(form: FormRequest): boolean {
  return CRASHPAD_SIGNS.some(({ matches }) => matches(form));
}

/** The content of the metadata. Ids are empty if missing. */
type EngineMetadata = {
  appId: string;
  buildId: string;
  details(omissions: readonly string[]): CrashDetails;
  /** The text, if it is not a JSON object; null otherwise. */
  raw: string | null;
};

/** JSON has values of each kind. Versions are sometimes numbers. */
const ENGINE_METADATA: Writing = {
  namesOf: ({ name, engineKeys }) => engineKeys ?? [name],
  textOf: (value) =>
    (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined,
  flagOf: (value) => (typeof value === 'boolean' ? value : undefined),
};

/**
 * Reads the text of the part. Some reporters write invalid JSON: then the readable fields are used, and the text is
 * kept.
 */
export function readEngineMetadata(text: string): EngineMetadata {
  const parsed = parse(text);
  const sent = parsed ?? readLooseFields(text);
  const { fields, used } = findFields(sent, ENGINE_METADATA);
  // An engine that sends the API's shape has an object of metadata.
  const inner = sent.get('metadata');
  if (isObject(inner)) used.add('metadata');
  const further = [...sent].filter(([name]) => !used.has(name)).concat(isObject(inner) ? Object.entries(inner) : []);
  return {
    appId: textOf(sent.get('app_id')),
    buildId: textOf(sent.get('build_id')),
    raw: parsed === null ? text : null,
    details: (omissions) =>
      detailsOf({
        ...fields,
        // The raw text, which is kept as a whole, contains them.
        further: parsed === null ? [] : further,
        omissions: parsed === null ? [describeProblem(text), ...omissions] : omissions,
      }),
  };
}

type Fields = ReadonlyMap<string, unknown>;

/** Returns null if the text is not a JSON object. */
function parse(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

/** `"name": "text"` or `"name": true`, without characters that break JSON. */
const LOOSE_FIELD = /"(\w{1,64})"\s{0,100}:\s{0,100}(?:"([^"\\\r\n]*)"|(true|false)\b)/g;

/** The readable fields of invalid JSON. If a name is repeated, the first value counts. */
function readLooseFields(text: string): Fields {
  const fields = new Map<string, unknown>();
  for (const [, name = '', value, flag] of text.matchAll(LOOSE_FIELD))
    if (!fields.has(name)) fields.set(name, value ?? flag === 'true');
  return fields;
}

function describeProblem(text: string): string {
  if (text.trim() === '') return 'The metadata was empty.';
  return `The metadata is not a valid JSON object, so only some of its fields could be read; its text is in ${RAW_METADATA_KEY}.`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A dump, a log or an attachment. Its bytes end at the maximum size of a file. */
type CrashPart = FilePart & { readonly kind: CrashFileKind | 'attachment' };

type CrashForm = {
  /** The texts of the form by name. If a name is repeated, the first text counts. */
  readonly fields: ReadonlyMap<string, string>;
  /** The text of the part `metadata`; null if there is none. */
  readonly metadata: string | null;
  /** Sentences about what was left out because it exceeded a limit. */
  readonly omissions: readonly string[];
};

type CrashFormOptions = {
  readonly onPart: (part: CrashPart) => Promise<void>;
  /** Called for files past the maximum number of attachments. Without it, a form has no attachments. */
  readonly onLeftOut?: (name: string) => void;
  /** Takes a file part that is none of a report's files: returns what reads it, or null for any other part. */
  readonly onOther?: (part: FilePart) => (() => Promise<void>) | null;
  /** The kind of a file part; null for a part to leave out. By default, from the names that reporters use. */
  readonly kindOf?: (name: string, filename: string) => CrashFileKind | null;
};

const DUMP_PART = 'upload_file_minidump';
const METADATA_PART = 'metadata';
/** Parts that are files whatever their headers: a log may be sent as text/plain without a filename, like a field. */
const FILE_PARTS = new Set(['dump', 'log', 'minidump', METADATA_PART, DUMP_PART]);

/** These limits are far higher than what reporters send. What exceeds one is left out. */
const FORM_LIMITS = {
  fieldSize: LIMITS.formFieldBytes,
  fields: 500,
  files: 50,
  fileSize: LIMITS.crashFileBytes,
  parts: 600,
  headerPairs: 50,
};

/** All fields are in memory until the form has ended. */
const MAX_FIELDS_LENGTH = 4 * MIB;

/**
 * Reads a form and calls `onPart` for the first dump, the first log and as many other files as allowed. Throws
 * `unreadableBody` for a malformed form, and errors of the body and of `onPart`. If the body is too long, the form ends
 * there: the part that is cut off throws BodyTooLargeError, and everything before it counts.
 */
export async function readCrashForm(
  body: Body,
  headers: IncomingHttpHeaders,
  { onPart, onLeftOut, onOther, kindOf = kindOfPart }: CrashFormOptions,
): Promise<CrashForm> {
  const fields = new Map<string, string>();
  const omissions = new Set<string>();
  const kinds = new Set<string>();
  let metadata: string | null = null;
  let attachments = 0;
  let fieldsLeft = MAX_FIELDS_LENGTH;

  function onField({ name, value, isTruncated }: Field): void {
    if (isTruncated) omissions.add('A field was too long and was cut.');
    if (name === '' || fields.has(name)) return;
    if (value.length > fieldsLeft) {
      omissions.add('The fields were too large together, and some were left out.');
      return;
    }
    fieldsLeft -= value.length;
    fields.set(name, value);
  }

  function onFile(part: FilePart): (() => Promise<void>) | null {
    const other = onOther?.(part) ?? null;
    if (other !== null) return other;
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
