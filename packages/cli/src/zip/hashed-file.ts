// Writes a new file from start to end, in the background, and hashes it.
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MIB } from '@chauffeur/contract/limits';
import { LocalError } from '../failures.ts';

const BATCH_BYTES = MIB;

/** A new file that is written from start to end, with its size and SHA-256. */
export class HashedFile {
  /** Bytes written so far. */
  size = 0;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #batch: Buffer[] = [];
  #batchBytes = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Creates the file. Rejects with LocalError if it exists or cannot be created. */
  static async create(path: string): Promise<HashedFile> {
    const handle = await open(path, 'wx', 0o600).catch((cause: unknown) => {
      throw new LocalError(`${path} cannot be created.`, 'Choose another folder for it.', { cause });
    });
    return new HashedFile(path, handle);
  }

  /** Appends `pieces`, which must not change afterwards. They are written in batches, in the background. */
  async write(...pieces: Buffer[]): Promise<void> {
    for (const piece of pieces) {
      this.#hash.update(piece);
      this.#batch.push(piece);
      this.#batchBytes += piece.length;
      this.size += piece.length;
    }
    if (this.#batchBytes >= BATCH_BYTES) await this.#flush();
  }

  /** Waits until everything is written and closes the file. */
  async finish(): Promise<{ size: number; sha256: string }> {
    await this.#flush();
    await this.#writing;
    await this.#handle.close();
    return { size: this.size, sha256: this.#hash.digest('hex') };
  }

  /** Closes the file and removes it. */
  async discard(): Promise<void> {
    await this.#writing.catch(() => {}); // Already reported by write() or finish().
    await this.#handle.close();
    await rm(this.#path, { force: true });
  }

  async #flush(): Promise<void> {
    const batch = Buffer.concat(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
    await this.#writing;
    this.#writing = this.#handle.appendFile(batch).catch((cause: unknown) => this.#explain(cause));
    this.#writing.catch(() => {}); // The next flush awaits and reports it.
  }

  #explain(cause: unknown): never {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw cause;
    throw new LocalError(
      `There is no space left in ${dirname(this.#path)} after ${this.size} bytes.`,
      'Free some space, or choose a folder on another disk with --tmp.',
      { cause },
    );
  }
}
