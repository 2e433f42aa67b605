// Reads a multipart form as it arrives: text fields are kept, file parts are handed on as streams, whatever their order.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError, type ErrorCode } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { ByteSource } from './blobs/store.ts';

export type Fields = Readonly<Record<string, string>>;

/** A file part: the names of the part and of the file as the form gives them, and its bytes, which throw when the form breaks off. */
export type FilePart = { name: string; filename: string; bytes: ByteSource };

export type FormOptions = {
  /**
   * Called when a file part begins, with the fields before it, and never for two parts at once. The form goes on when it
   * resolves.
   */
  onFile: (file: FilePart, fields: Fields) => Promise<void>;
  /** File parts that the form may have; it must have one. */
  mostFiles: number;
  /** What they may be named; `file` where absent. */
  fileNames?: readonly string[];
  /** Code of the errors about the form. */
  invalid: ErrorCode;
  /** The sender is given up after this long without a byte. */
  idleMs: number;
  /** Ends the form with its reason, which must be an error. */
  signal?: AbortSignal | undefined;
};

const MOST_FIELDS = 64;

/** Whether a content type is that of such a form. */
export function isFormType(contentType: string): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(contentType);
}

/**
 * All text fields of the form, once it has ended and every `onFile` is done. Throws `invalid` for a form that cannot be read,
 * has no file part, too many of them, or stops coming; and whatever `onFile` throws.
 */
export function readForm(request: IncomingMessage, options: FormOptions): Promise<Fields> {
  const { mostFiles, invalid, fileNames = ['file'] } = options;
  const named = fileNames.join(' or ');
  const parser = openParser(request, options);
  const fields: Record<string, string> = Object.create(null);
  const { promise, resolve, reject } = Promise.withResolvers<Fields>();
  let files = 0;
  let stored: Promise<void> | undefined;
  let part: Readable | undefined;
  let failed = false;

  const refuse = (reason: string, cause?: unknown) => fail(unreadable(invalid, reason, cause));

  /** Rejects once nothing of a file is being stored any more, so that whoever tries again finds no writer in the way. */
  function fail(error: Error): void {
    failed = true;
    request.unpipe(parser);
    part?.destroy(error);
    Promise.allSettled([stored]).then(() => reject(error));
  }

  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) refuse('a field is too long; shorten it');
    else if (name in fields) refuse('a field comes twice; send each once');
    else fields[name] = value;
  });
  parser.on('file', (name, stream, filename) => {
    // Its error reaches the sender by `fail`; without a listener, one that comes while nobody reads would end the process.
    stream.on('error', () => undefined);
    if (failed) return void stream.resume();
    files += 1;
    if (!fileNames.includes(name) || files > mostFiles) {
      stream.resume();
      return refuse(
        `send ${mostFiles === 1 ? 'exactly one file part' : `1 to ${mostFiles} file parts, each`} named ${named}`,
      );
    }
    part = stream;
    const store = () => options.onFile({ name, filename: filename ?? '', bytes: stream }, fields);
    stored = stored === undefined ? store() : stored.then(store);
    stored.catch(fail);
  });
  parser.on('fieldsLimit', () => refuse('too many fields; send only those of the API reference'));
  parser.on('error', (cause) => refuse('the body is not well-formed multipart/form-data', cause));
  parser.on('finish', () => {
    if (stored === undefined) refuse(`there is no part named ${named}; send the file in one`);
    else stored.then(() => resolve(fields), reject);
  });
  const idle = watchIdle(request, options.idleMs, () => refuse('the body stopped coming; send it again'));
  const onAbort = () => fail(options.signal?.reason as Error);
  options.signal?.addEventListener('abort', onAbort);
  const onClose = () => {
    if (!request.complete) refuse('the connection closed before the form had ended');
  };
  request.on('close', onClose);
  request.on('error', onClose);
  request.pipe(parser);
  return promise.finally(() => {
    clearInterval(idle);
    request.off('close', onClose);
    options.signal?.removeEventListener('abort', onAbort);
  });
}

function openParser(request: IncomingMessage, { mostFiles, invalid }: FormOptions): BusboyInstance {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw unreadable(invalid, 'Content-Type must be multipart/form-data with a boundary');
  try {
    const limits = {
      fieldSize: LIMITS.formFieldBytes,
      fieldNameSize: 100,
      fields: MOST_FIELDS,
      // Room for one field and one file too many, which are refused; further parts would be skipped in silence.
      parts: MOST_FIELDS + mostFiles + 2,
      headerPairs: 50,
    };
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits,
      highWaterMark: 256 * 1024,
      fileHwm: 256 * 1024,
    });
  } catch (cause) {
    throw unreadable(invalid, 'Content-Type names no boundary', cause);
  }
}

/** Calls `onIdle` when nothing has arrived for `idleMs`; time in which the form is held back because storing is slow does not count. */
export function watchIdle(request: IncomingMessage, idleMs: number, onIdle: () => void): NodeJS.Timeout {
  const { socket } = request;
  let seen = socket.bytesRead;
  let since = performance.now();
  return setInterval(
    () => {
      const now = performance.now();
      if (socket.bytesRead !== seen || request.readableLength > 0) {
        seen = socket.bytesRead;
        since = now;
      } else if (now - since >= idleMs) {
        onIdle();
      }
    },
    Math.min(1000, idleMs),
  ).unref();
}

function unreadable(code: ErrorCode, reason: string, cause?: unknown): ApiError {
  return new ApiError(code, `The form could not be read: ${reason}.`, { cause });
}
