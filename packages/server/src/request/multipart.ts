// Parses a multipart body as it arrives: passes on fields as strings and file parts as byte sources, one after the
// other.
import type { IncomingHttpHeaders } from 'node:http';
import {
  Busboy,
  type BusboyConfig,
  type BusboyFileStream,
  type BusboyHeaders,
  type BusboyInstance,
} from '@fastify/busboy';
import { bytesOfOpen } from '../kernel/blobs/byte-source.ts';
import type { ByteSource } from '../kernel/blobs/store.ts';
import type { Body } from './body.ts';

/** A body is not well-formed multipart/form-data, or its Content-Type has no valid boundary. */
export class MalformedMultipartError extends Error {
  override readonly name = 'MalformedMultipartError';
}

export type FilePart = {
  /** Empty if the part has no name. */
  readonly name: string;
  /** The name as sent, without folders; empty if the part has none. */
  readonly filename: string;
  /** Rejects if the form is incomplete or rejected. Ends early if the part exceeds `limits.fileSize`. */
  readonly bytes: ByteSource;
  /** Whether the part exceeded `limits.fileSize`; valid once the bytes have ended. */
  isTruncated(): boolean;
};

export type Field = { readonly name: string; readonly value: string; readonly isTruncated: boolean };

export type MultipartOptions = {
  readonly limits: NonNullable<BusboyConfig['limits']>;
  /** Whether a part is a file. By default, a part with a file name or the type application/octet-stream is one. */
  readonly isFile?: (name: string, contentType: string, filename: string | undefined) => boolean;
  /** Throws to reject the form. */
  readonly onField: (field: Field) => void;
  /**
   * Called when a file part begins. Returns the function that reads its bytes, which is called when the file parts
   * before it are done, or null to skip the part. Throwing or rejecting rejects the form. Unread bytes are skipped.
   */
  readonly onFile: (part: FilePart) => (() => Promise<void>) | null;
  /**
   * Called when the form has more fields, files or parts than `limits` allows; further ones of that kind are skipped.
   */
  readonly onLimit: (limit: 'fieldsLimit' | 'filesLimit' | 'partsLimit') => void;
};

const HIGH_WATER_MARK = 256 * 1024;
const LIMITS_REACHED = ['fieldsLimit', 'filesLimit', 'partsLimit'] as const;

/**
 * Resolves when the form has ended and all its files are read. Rejects with the first of: MalformedMultipartError, an
 * error of the body, and an error of a callback. No file is being read any more by then.
 */
export async function readMultipart(
  body: Body,
  headers: IncomingHttpHeaders,
  options: MultipartOptions,
): Promise<void> {
  const reader = new MultipartReader(body, openParser(headers, options), options);
  await reader.read();
}

class MultipartReader {
  readonly #body: Body;
  readonly #parser: BusboyInstance;
  readonly #options: MultipartOptions;
  readonly #open = new Set<BusboyFileStream>();
  #files: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  #isFinished = false;
  /** Ends the pending step of the parser. */
  #interrupt: (() => void) | undefined;

  constructor(body: Body, parser: BusboyInstance, options: MultipartOptions) {
    this.#body = body;
    this.#parser = parser;
    this.#options = options;
    parser.on('error', (cause) =>
      this.#fail(new MalformedMultipartError('not well-formed multipart/form-data', { cause })),
    );
    parser.on('field', (name: string | undefined, value, isNameTruncated, isValueTruncated) =>
      this.#guard(() => options.onField({ name: name ?? '', value, isTruncated: isNameTruncated || isValueTruncated })),
    );
    parser.on('file', (name: string | undefined, stream, filename) => this.#take(name ?? '', filename ?? '', stream));
    // The parser finishes at the closing boundary, which may be before the end of the body; the rest is ignored.
    parser.once('finish', () => {
      this.#isFinished = true;
      this.#stop(new Error('The form has ended'));
    });
    for (const limit of LIMITS_REACHED) parser.on(limit, () => this.#guard(() => options.onLimit(limit)));
  }

  async read(): Promise<void> {
    try {
      for await (const bytes of this.#body) await this.#step((done) => this.#parser.write(bytes, done));
      // The parser ends with `finish` or `error`, not with the callback of `end`.
      await this.#step(() => this.#parser.end());
    } catch (error) {
      if (!this.#isFinished) this.#fail(error as Error);
    }
    await this.#files;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves when the parser is done with this step or, if that comes first, with the form. */
  #step(start: (done: () => void) => void): Promise<void> {
    if (this.#failure !== undefined || this.#isFinished) return Promise.resolve();
    return new Promise((resolve) => {
      this.#interrupt = resolve;
      start(resolve);
    });
  }

  #take(name: string, filename: string, stream: BusboyFileStream): void {
    const bytes = bytesOfOpen(stream);
    const part = { name, filename, bytes, isTruncated: () => stream.truncated === true };
    const work = this.#failure === undefined ? this.#guard(() => this.#options.onFile(part)) : null;
    if (!work) return void stream.resume();
    this.#open.add(stream);
    this.#files = this.#files
      .then(() => (this.#failure === undefined ? work() : undefined))
      .catch((error: Error) => this.#fail(error))
      .finally(() => {
        this.#open.delete(stream);
        stream.resume();
      });
  }

  /** Returns the result of `work`; null if it threw, which rejects the form. */
  #guard<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      this.#fail(error as Error);
      return null;
    }
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#stop(error);
    for (const stream of this.#open) stream.destroy(error);
  }

  #stop(reason: Error): void {
    this.#body.fail(reason);
    this.#interrupt?.();
  }
}

function openParser(headers: IncomingHttpHeaders, { limits, isFile }: MultipartOptions): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits,
      ...(isFile !== undefined && {
        isPartAFile: (name: string | undefined, contentType: string | undefined, filename: string | undefined) =>
          isFile(name ?? '', contentType ?? '', filename),
      }),
      highWaterMark: HIGH_WATER_MARK,
      fileHwm: HIGH_WATER_MARK,
    });
  } catch (cause) {
    throw new MalformedMultipartError('Content-Type has no valid boundary', { cause });
  }
}
