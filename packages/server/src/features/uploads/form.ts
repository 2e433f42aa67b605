// Reads a multipart form as it arrives: text fields are kept, the part `file` is handed on as a stream, whatever their order.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import type { Fields } from './target.ts';

/** The file part: its name as the form gives it, and its bytes, which throw when the form breaks off. */
export type FilePart = { filename: string; bytes: ByteSource };

export type FormOptions = {
  /** Called once, when the file part begins, with the fields before it. The form goes on when it resolves. */
  onFile: (file: FilePart, fields: Fields) => Promise<void>;
  /** The sender is given up after this long without a byte. */
  idleMs: number;
  /** Ends the form with its reason, which must be an error. */
  signal?: AbortSignal | undefined;
};

const MOST_FIELDS = 64;

/**
 * All text fields of the form, once it has ended and `onFile` is done. Throws 4037 for a form that cannot be read, has no
 * file part, two of them, or stops coming; and whatever `onFile` throws.
 */
export function readForm(request: IncomingMessage, options: FormOptions): Promise<Fields> {
  const parser = openParser(request);
  const fields: Record<string, string> = Object.create(null);
  const { promise, resolve, reject } = Promise.withResolvers<Fields>();
  let stored: Promise<void> | undefined;
  let part: Readable | undefined;

  /** Rejects once nothing of the file is being stored any more, so that whoever tries again finds no writer in the way. */
  function fail(error: Error): void {
    request.unpipe(parser);
    part?.destroy(error);
    Promise.allSettled([stored]).then(() => reject(error));
  }

  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) fail(unreadable('a field is too long; shorten it'));
    else if (name in fields) fail(unreadable('a field comes twice; send each once'));
    else fields[name] = value;
  });
  parser.on('file', (name, stream, filename) => {
    if (name !== 'file' || stored !== undefined) {
      stream.resume();
      return fail(unreadable('send exactly one file part, named file'));
    }
    part = stream;
    stored = options.onFile({ filename: filename ?? '', bytes: stream }, fields);
    stored.catch(fail);
  });
  parser.on('fieldsLimit', () => fail(unreadable('too many fields; send only those of the API reference')));
  parser.on('error', (cause) => fail(unreadable('the body is not well-formed multipart/form-data', cause)));
  parser.on('finish', () => {
    if (stored === undefined) fail(unreadable('there is no part named file; send the zip in one'));
    else stored.then(() => resolve(fields), reject);
  });
  const idle = watchIdle(request, options.idleMs, () => fail(unreadable('the body stopped coming; send it again')));
  const onAbort = () => fail(options.signal?.reason as Error);
  options.signal?.addEventListener('abort', onAbort);
  const onClose = () => {
    if (!request.complete) fail(unreadable('the connection closed before the form had ended'));
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

function openParser(request: IncomingMessage): BusboyInstance {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw unreadable('Content-Type must be multipart/form-data with a boundary');
  try {
    const limits = {
      fieldSize: LIMITS.formFieldBytes,
      fieldNameSize: 100,
      fields: MOST_FIELDS,
      parts: MOST_FIELDS + 2,
      headerPairs: 50,
    };
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits,
      highWaterMark: 256 * 1024,
      fileHwm: 256 * 1024,
    });
  } catch (cause) {
    throw unreadable('Content-Type names no boundary', cause);
  }
}

/** Calls `onIdle` when nothing has arrived for `idleMs`; time in which the form is held back because storing is slow does not count. */
function watchIdle(request: IncomingMessage, idleMs: number, onIdle: () => void): NodeJS.Timeout {
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

function unreadable(reason: string, cause?: unknown): ApiError {
  return new ApiError(4037, `The form could not be read: ${reason}.`, { cause });
}
