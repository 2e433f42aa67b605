// Reads an upload form strictly: keeps its fields, passes on its files as they arrive, and rejects anything unexpected.
import { ApiError, type ErrorCode } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { BodyTooLargeError, receiveBody, UnreadableBodyError } from './body.ts';
import { type Field, type FilePart, MalformedMultipartError, readMultipart } from './multipart.ts';

export type Fields = Readonly<Record<string, string>>;

export type FormOptions = {
  /**
   * Called when a file part begins, with the fields before it, and never for two parts at once. Reading continues when
   * it resolves.
   */
  onFile: (file: FilePart, fields: Fields) => Promise<void>;
  /** Maximum size of the whole form. */
  maxBytes: number;
  /** The number of file parts allowed, of which at least one is required; 1 by default. */
  maxFiles?: number;
  /** The names that file parts may have; `file` by default. */
  fileNames?: readonly string[];
  /** The error code for an invalid form. */
  invalid: ErrorCode;
  /** Ends the form with the signal's reason, which must be an Error. */
  signal?: AbortSignal | undefined;
};

const MAX_FIELDS = 64;

/** Whether this is the content type of an upload form. */
export function isFormType(contentType: string): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(contentType);
}

/** The request of a form. */
type FormRequest = Pick<FastifyRequest, 'raw' | 'checkAccess'>;

/**
 * Returns the text fields of the form once it has ended and every `onFile` is done. Throws `invalid` for a form that
 * cannot be read, has no or too many file parts, or if the sender needs longer than the setting for the next KiB, and
 * whatever `onFile` throws. A form may take hours to arrive, so it also throws if the caller has lost access by then: a
 * revoked key must not add anything.
 */
export async function readForm(
  { config }: { readonly config: Pick<Context['config'], 'uploadIdleSeconds'> },
  { raw: request, checkAccess }: FormRequest,
  options: FormOptions,
): Promise<Fields> {
  const { maxBytes, maxFiles = 1, invalid, signal, fileNames = ['file'] } = options;
  const idleMs = config.uploadIdleSeconds * 1000;
  const names = fileNames.join(' or ');
  const expected = maxFiles === 1 ? 'exactly one file part' : `1 to ${maxFiles} file parts, each`;
  const refusal = (problem: string, cause?: unknown) =>
    new ApiError(invalid, `The form could not be read: ${problem}.`, { cause });
  if (!/^multipart\/form-data\s*;/i.test(request.headers['content-type'] ?? ''))
    throw refusal('Content-Type must be multipart/form-data with a boundary');

  const fields: Record<string, string> = Object.create(null);
  let files = 0;

  function onField({ name, value, isTruncated }: Field): void {
    if (isTruncated) throw refusal('a field is too long. Shorten it');
    if (name in fields) throw refusal('a field was sent twice. Send each field once');
    fields[name] = value;
  }

  function onFile(part: FilePart): () => Promise<void> {
    files += 1;
    if (!fileNames.includes(part.name) || files > maxFiles) throw refusal(`send ${expected} named ${names}`);
    return () => options.onFile(part, fields);
  }

  const limits = {
    fieldSize: LIMITS.formFieldBytes,
    fieldNameSize: 100,
    fields: MAX_FIELDS,
    // Room for one field and one file too many, which are rejected. The parser would silently skip any further parts.
    parts: MAX_FIELDS + maxFiles + 2,
    headerPairs: 50,
  };
  const onLimit = () => {
    throw refusal('too many fields. Send only the fields in the API reference');
  };
  try {
    await receiveBody(request, { encoding: 'none', maxBytes, idleMs, signal }, (body) =>
      readMultipart(body, request.headers, { limits, onField, onFile, onLimit }),
    );
  } catch (error) {
    if (error instanceof MalformedMultipartError) throw refusal(error.message, error);
    if (error instanceof BodyTooLargeError) throw refusal('it is too large. Split it into several forms', error);
    throw error instanceof UnreadableBodyError ? new ApiError(invalid, error.message, { cause: error }) : error;
  }
  if (files === 0) throw refusal(`there is no part named ${names}. Add one with the file`);
  await checkAccess();
  return fields;
}
