// Watches the room on the disk while files are written whose bytes partly take none.
import { checkSpace } from './space.ts';

/** More than is written between two looks. */
export const AHEAD_BYTES = 64 * 1024 * 1024;

/** Room for up to `total` bytes. How many of them take room is only known once they are written. */
export class Room {
  readonly #folder: string;
  readonly #total: number;
  /** So many bytes have room. */
  #checked = 0;

  constructor(folder: string, total: number) {
    this.#folder = folder;
    this.#total = total;
  }

  /** Rejects with UpdaterError unless there is room for `bytes`. */
  async reserve(bytes: number): Promise<void> {
    this.#checked = Math.min(this.#total, bytes);
    await checkSpace(this.#folder, this.#checked);
  }

  /** Rejects with UpdaterError unless more can be written after `writtenBytes`. */
  async ensure(writtenBytes: number): Promise<void> {
    if (this.#checked >= Math.min(this.#total, writtenBytes + AHEAD_BYTES)) return;
    const more = Math.min(this.#total - writtenBytes, 4 * AHEAD_BYTES);
    await checkSpace(this.#folder, more);
    this.#checked = writtenBytes + more;
  }
}
