// Cuts the content of a file as it is read, and hashes it and its blocks.
import { createHash, type Hash } from 'node:crypto';
import { Cutter, type CutterSizes } from './cutter.ts';
import { BLOCK_HASH_BYTES } from './manifest.ts';

/** `hash` is the beginning of the SHA-256 of a block's content. */
export type ContentBlock = { readonly length: number; readonly hash: Buffer };

export class ContentBlocks {
  /** Null for a file that is too short to be cut. */
  readonly #cutter: Cutter | null;
  readonly #whole = createHash('sha256');
  /** The hash of the current block, which has `#current` bytes so far. */
  #hash: Hash;
  #current = 0;
  readonly #blocks: ContentBlock[] = [];

  /** `size` is the length of the content. */
  constructor(sizes: CutterSizes, size: number) {
    this.#cutter = size > sizes.uncut ? new Cutter(sizes) : null;
    this.#hash = createHash('sha256');
  }

  push(piece: Uint8Array): void {
    this.#whole.update(piece);
    let at = 0;
    for (const length of this.#cutter?.push(piece) ?? []) {
      const end = at + length - this.#current;
      this.#hash.update(piece.subarray(at, end));
      this.#blocks.push({ length, hash: beginningOf(this.#hash.digest()) });
      this.#hash = createHash('sha256');
      this.#current = 0;
      at = end;
    }
    this.#current += piece.length - at;
    if (at < piece.length) this.#hash.update(piece.subarray(at));
  }

  finish(): { sha256: Buffer; blocks: readonly ContentBlock[] } {
    const sha256 = this.#whole.digest();
    const length = this.#current;
    if (length > 0) this.#blocks.push({ length, hash: beginningOf(this.#hash.digest()) });
    return { sha256, blocks: this.#blocks };
  }
}

function beginningOf(digest: Buffer): Buffer {
  return digest.subarray(0, BLOCK_HASH_BYTES);
}
