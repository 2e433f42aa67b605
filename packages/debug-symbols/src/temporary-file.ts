// Files for what has no place in memory.
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_READ } from './byte-source.ts';
import { DebugSymbolsError } from './error.ts';

/** What a conversion may write in all. A program of 4 GB with compressed sections needs a part of it. */
const MAX_BYTES = 16 * 1024 * 1024 * 1024;

/** The limit for temporary files is reached. This is not a DebugSymbolsError: readers pass over one in a damaged part. */
export class ScratchFullError extends Error {
  override readonly name = 'ScratchFullError';
}

/** The temporary files of a conversion, with a limit on all bytes that are ever written to them. */
export class Scratch {
  readonly #folder: string;
  readonly #maximum: number;
  readonly #files = new Set<TemporaryFile>();
  readonly #inputs = new Set<TemporaryFile>();
  #written = 0;

  /** The files are in `folder`; by default, in the folder of the system for such files. */
  constructor(folder = tmpdir(), maximum = MAX_BYTES) {
    this.#folder = folder;
    this.#maximum = maximum;
  }

  create(): TemporaryFile {
    const file = new TemporaryFile(this.#folder, (bytes) => this.#count(bytes));
    this.#files.add(file);
    return file;
  }

  /** A file of unpacked input, which is not needed once the input has been read. */
  createInput(): TemporaryFile {
    const file = this.create();
    this.#inputs.add(file);
    return file;
  }

  close(file: TemporaryFile): void {
    this.#inputs.delete(file);
    if (this.#files.delete(file)) file.close();
  }

  closeInputs(): void {
    for (const file of this.#inputs) this.close(file);
  }

  closeAll(): void {
    for (const file of this.#files) this.close(file);
  }

  #count(bytes: number): void {
    this.#written += bytes;
    if (this.#written > this.#maximum)
      throw new ScratchFullError(`the conversion needs more than ${this.#maximum} bytes of temporary files`);
  }
}

/** A file without a name, where the system has such files, so that nothing remains of it after the process. */
export class TemporaryFile {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #isNamed: boolean;
  readonly #onWrite: (bytes: number) => void;
  size = 0;

  /** `onWrite` can throw in front of each write. */
  constructor(folder = tmpdir(), onWrite: (bytes: number) => void = () => undefined) {
    this.#onWrite = onWrite;
    this.#path = join(folder, `chauffeur-symbols-${process.pid}-${Math.random().toString(36).slice(2)}`);
    // Fails if there is such a file.
    this.#descriptor = openSync(this.#path, 'wx+', 0o600);
    this.#isNamed = !tryUnlink(this.#path);
  }

  append(bytes: Uint8Array): number {
    this.#onWrite(bytes.length);
    const position = this.size;
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
    this.size += bytes.length;
    return position;
  }

  /** Throws a DebugSymbolsError `truncated` outside of the file. */
  read(position: number, length: number): Buffer<ArrayBuffer> {
    if (!(position >= 0 && length >= 0 && position + length <= this.size))
      throw new DebugSymbolsError('truncated', `${length} bytes at ${position} are outside of ${this.size} bytes`);
    if (length > MAX_READ) throw new DebugSymbolsError('too-large', `${length} bytes are read at once`);
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#descriptor, bytes, done, length - done, position + done);
      if (count === 0) throw new Error('the temporary file became shorter');
      done += count;
    }
    return bytes;
  }

  /** The file in a form for other threads of the process. */
  share() {
    return { descriptor: this.#descriptor, start: 0, size: this.size };
  }

  close(): void {
    closeSync(this.#descriptor);
    if (this.#isNamed) tryUnlink(this.#path);
  }
}

function tryUnlink(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
