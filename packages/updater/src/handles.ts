// Keeps a few files open that are written piece by piece.
import { type FileHandle, open } from 'node:fs/promises';

const MAX_OPEN = 32;

type Opened = { readonly handle: Promise<FileHandle>; users: number };

export class Handles {
  readonly #opened = new Map<string, Opened>();

  /** Calls `work` with the file, which exists, open for reading and writing. */
  async use(path: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
    const opened = this.#opened.get(path) ?? { handle: open(path, 'r+'), users: 0 };
    // The file that was used last is at the end.
    this.#opened.delete(path);
    this.#opened.set(path, opened);
    opened.users += 1;
    try {
      await work(await opened.handle);
    } finally {
      opened.users -= 1;
      await this.#closeSome();
    }
  }

  async #closeSome(): Promise<void> {
    for (const [path, { handle, users }] of this.#opened) {
      if (this.#opened.size <= MAX_OPEN) return;
      if (users > 0) continue;
      this.#opened.delete(path);
      await closeOpened(handle);
    }
  }

  /** Closes all files. */
  async close(): Promise<void> {
    const all = [...this.#opened.values()];
    this.#opened.clear();
    for (const { handle } of all) await closeOpened(handle);
  }
}

/** A file that couldn't be opened isn't closed. */
async function closeOpened(handle: Promise<FileHandle>): Promise<void> {
  const opened = await handle.catch(() => null);
  await opened?.close();
}
