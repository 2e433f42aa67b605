// A file for what has no place in memory.
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file without a name, where the system has such files, so that nothing remains of it after the process. */
export class TemporaryFile {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #isNamed: boolean;
  size = 0;

  /** The file is in `folder`; by default, in the folder of the system for such files. */
  constructor(folder = tmpdir()) {
    this.#path = join(folder, `chauffeur-symbols-${process.pid}-${Math.random().toString(36).slice(2)}`);
    // Fails if there is such a file.
    this.#descriptor = openSync(this.#path, 'wx+', 0o600);
    this.#isNamed = !tryUnlink(this.#path);
  }

  append(bytes: Uint8Array): number {
    const position = this.size;
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
    this.size += bytes.length;
    return position;
  }

  read(position: number, length: number): Buffer<ArrayBuffer> {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#descriptor, bytes, done, length - done, position + done);
      if (count === 0) throw new Error('the temporary file became shorter');
      done += count;
    }
    return bytes;
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
