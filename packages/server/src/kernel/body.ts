// The bytes of a request's body as the client meant them: unpacked where they are packed, bounded, and given up when they stop.
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { ApiError } from '@chauffeur/contract/errors';
import { watchIdle } from './form.ts';

/** A body became larger than it may, unpacked. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

export type BodyOptions = {
  /** `header`: as Content-Encoding says. `zlib`: always a zlib stream, as Unreal’s. */
  packing: 'header' | 'zlib';
  /** Bytes, unpacked: what bounds a small body that unpacks to a huge one. */
  most: number;
  idleMs: number;
};

const UNPACKERS = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate } as const;

/**
 * The body, unpacked. It fails with 4001 when it breaks off, stops coming or is not what it says, and with BodyTooLargeError
 * past `most`. The request itself is never destroyed: its sender is still to be answered. Whoever has enough destroys the body.
 */
export function openBody(request: IncomingMessage, options: BodyOptions): Readable {
  const unpacker = unpackerOf(request, options);
  const body = measure(options.most);
  const fail = (error: Error) => {
    request.unpipe(unpacker);
    body.destroy(error);
  };
  const onClose = () => {
    if (!request.complete) fail(unreadable('broke off'));
  };
  const idle = watchIdle(request, options.idleMs, () => fail(unreadable('stopped coming')));
  request.on('close', onClose).on('error', onClose);
  unpacker.on('error', (cause) => fail(unreadable('is not the packed data that it says it is', cause)));
  body.once('close', () => {
    clearInterval(idle);
    request.off('close', onClose);
    request.unpipe(unpacker);
    unpacker.destroy();
  });
  if (request.destroyed) onClose();
  else request.pipe(unpacker).pipe(body);
  return body;
}

function unpackerOf(request: IncomingMessage, { packing }: BodyOptions): Transform {
  if (packing === 'zlib') return createInflate();
  const encoding = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return new PassThrough();
  const unpacker = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding as keyof typeof UNPACKERS] : undefined;
  if (unpacker === undefined)
    throw new ApiError(4001, 'Content-Encoding: not one that is read here; send gzip, deflate or nothing.');
  return unpacker();
}

function measure(most: number): Transform {
  let size = 0;
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      size += bytes.length;
      if (size > most) done(new BodyTooLargeError(`more than ${most} bytes`));
      else done(null, bytes);
    },
  });
}

function unreadable(how: string, cause?: unknown): ApiError {
  return new ApiError(4001, `The body ${how}; send it again.`, { cause });
}
