// Takes a multipart body apart as it arrives: fields are handed on as texts, file parts as byte sources, one after the other.
import type { IncomingHttpHeaders } from 'node:http';
import {
  Busboy,
  type BusboyConfig,
  type BusboyFileStream,
  type BusboyHeaders,
  type BusboyInstance,
} from '@fastify/busboy';
import type { ByteSource } from './blobs/store.ts';
import type { Body } from './body.ts';
import { bytesOfOpen } from './byte-source.ts';

/** A body is not well-formed multipart/form-data, or its Content-Type names no usable boundary. */
export class MalformedMultipartError extends Error {
  override readonly name = 'MalformedMultipartError';
}

export type FilePart = {
  /** Empty where the part has none. */
  readonly name: string;
  /** As the form gives it, without folders; empty where it gives none. */
  readonly filename: string;
  /** Rejects when the form breaks off, and when it is refused. Ends early where the part is larger than `limits.fileSize`. */
  readonly bytes: ByteSource;
  /** Whether the part was larger than `limits.fileSize`; known when the bytes have ended. */
  isTruncated(): boolean;
};

export type Field = { readonly name: string; readonly value: string; readonly isTruncated: boolean };

export type MultipartOptions = {
  readonly limits: NonNullable<BusboyConfig['limits']>;
  /** Whether a part is a file; where absent, one with a file name or of type application/octet-stream. */
  readonly isFile?: (name: string, contentType: string, filename: string | undefined) => boolean;
  /** Refuses the form by throwing. */
  readonly onField: (field: Field) => void;
  /**
   * Called as a file part begins: answers what reads its bytes, called when the file parts before it are done, or null for a part to skip.
   * Refuses the form by throwing or rejecting. Bytes that it leaves unread are skipped.
   */
  readonly onFile: (part: FilePart) => (() => Promise<void>) | null;
  /** Called when there are more fields, files or parts than `limits` allows; the rest of that kind is skipped. */
  readonly onLimit: (limit: 'fieldsLimit' | 'filesLimit' | 'partsLimit') => void;
};

const HIGH_WATER_MARK = 256 * 1024;
const LIMITS_REACHED = ['fieldsLimit', 'filesLimit', 'partsLimit'] as const;

/**
 * Resolves when the form has ended and all its files are done. Rejects with the first of: MalformedMultipartError, what the body rejects with,
 * and what a callback throws. Nothing of a file is being read any more by then.
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
  /** Ends the step of the parser that is waited for. */
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
    // At the closing boundary, which may come before the body's end: what follows says nothing.
    parser.once('finish', () => {
      this.#isFinished = true;
      this.#stop(new Error('The form has ended'));
    });
    for (const limit of LIMITS_REACHED) parser.on(limit, () => this.#guard(() => options.onLimit(limit)));
  }

  async read(): Promise<void> {
    try {
      for await (const bytes of this.#body) await this.#step((done) => this.#parser.write(bytes, done));
      // The rest of the parser's work ends with `finish` or `error`, not with the call back of `end`.
      await this.#step(() => this.#parser.end());
    } catch (error) {
      if (!this.#isFinished) this.#fail(error as Error);
    }
    await this.#files;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves when the parser is done with this step or, where that comes first, with the form. */
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

  /** What `work` answers; null when it threw, which refuses the form. */
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
    throw new MalformedMultipartError('Content-Type names no usable boundary', { cause });
  }
}
