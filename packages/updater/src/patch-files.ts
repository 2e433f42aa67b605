// Reads and writes files while a patch pack is applied: step by step, so that a launcher can do something else between
// the steps.
import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CopiedFrom } from '@chauffeur/deltas/apply-pack';
import { BLOCK_HASH_BYTES, type FileEntry, type Manifest } from '@chauffeur/deltas/manifest';
import { type ContentHashes, isUnknownBlock } from '@chauffeur/deltas/manifest-difference-reader';
import { clone } from './clone.ts';

const MAX_OPEN = 64;

/** Reads pieces of files, a few of which it keeps open. */
export class FilePieces {
  readonly #open = new Map<string, number | null>();
  /** Used again and again, because memory would grow faster than it is collected. */
  #memory = Buffer.alloc(0);

  /** The bytes are valid until the next call. What is missing in the file is zero. */
  read(path: string, offset: number, length: number): Buffer {
    if (this.#memory.length < length) this.#memory = Buffer.allocUnsafeSlow(length);
    const bytes = this.#memory.subarray(0, length);
    const file = this.#handleOf(path);
    let done = 0;
    while (file !== null && done < length) {
      const count = readSync(file, bytes, done, length - done, offset + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.fill(0, done);
  }

  /** A path that is a link or can't be opened is null. */
  #handleOf(path: string): number | null {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    if (this.#open.size >= MAX_OPEN) this.close();
    const file = openOrNull(path);
    this.#open.set(path, file);
    return file;
  }

  close(): void {
    for (const file of this.#open.values()) if (file !== null) closeSync(file);
    this.#open.clear();
  }
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return null;
  }
}

/** A file that is complete. */
export type MadeFile = {
  readonly sha256: Buffer;
  readonly hashes: ContentHashes;
  readonly stats: Stats;
  newBytes: number;
};

/** Writes the files of a draft one after the other, and computes their hashes. */
export class MadeFiles {
  readonly #folder: string;
  readonly #manifest: Manifest;
  /** The old file that a new one may begin as a clone of, with its path. */
  readonly #basisOf: (entry: number) => { readonly entry: number; readonly path: string } | null;
  readonly #nameOf: (entry: FileEntry) => string;
  readonly #made = new Map<number, MadeFile>();
  readonly #paths = new Map<number, string>();
  #canClone = true;
  /** Bytes that were written instead of cloned. */
  writtenBytes = 0;
  #current: Writing | null = null;

  constructor(
    folder: string,
    manifest: Manifest,
    basisOf: (entry: number) => { readonly entry: number; readonly path: string } | null,
    nameOf: (entry: FileEntry) => string,
  ) {
    this.#folder = folder;
    this.#manifest = manifest;
    this.#basisOf = basisOf;
    this.#nameOf = nameOf;
  }

  /** Where the content of an entry is, as far as it was written. */
  pathOf(entry: number): string {
    return this.#paths.get(entry) ?? '';
  }

  write(entry: number, bytes: Buffer, from: CopiedFrom | null): void {
    if (this.#current?.entry !== entry) {
      this.#finish();
      this.#begin(entry);
    }
    this.writtenBytes += this.#current!.append(bytes, from);
  }

  /** Finishes the last file. Returns all. */
  finish(): ReadonlyMap<number, MadeFile> {
    this.#finish();
    return this.#made;
  }

  /** Closes the file that is being written, if an error ended the work. */
  close(): void {
    this.#current?.close();
    this.#current = null;
  }

  #begin(entry: number): void {
    const path = join(this.#folder, `${entry}.made`);
    rmSync(path, { force: true, recursive: true });
    const basis = this.#canClone ? this.#basisOf(entry) : null;
    if (basis !== null) this.#canClone = clone(basis.path, path);
    const clonedFrom = basis !== null && this.#canClone ? basis.entry : null;
    const file = openSync(path, clonedFrom === null ? 'wx+' : 'r+', 0o644);
    this.#paths.set(entry, path);
    this.#current = new Writing(this.#manifest, entry, file, clonedFrom);
  }

  #finish(): void {
    if (this.#current === null) return;
    const writing = this.#current;
    this.#current = null;
    const { entry } = writing;
    const made = writing.finish();
    const name = this.#nameOf({ ...(this.#manifest.entries[entry] as FileEntry), sha256: made.sha256 });
    const path = join(this.#folder, name);
    rmSync(path, { force: true, recursive: true });
    renameSync(this.pathOf(entry), path);
    this.#paths.set(entry, path);
    this.#made.set(entry, made);
  }
}

/** One file that is being written. */
class Writing {
  readonly entry: number;
  readonly #file: number;
  readonly #clonedFrom: number | null;
  readonly #whole = createHash('sha256');
  readonly #manifest: Manifest;
  readonly #hashes: Buffer;
  #position = 0;
  #newBytes = 0;
  /** The block in which the position is, counted in the file, and how much of it is left. */
  #block = -1;
  #left = 0;
  #blockHash: Hash | null = null;

  constructor(manifest: Manifest, entry: number, file: number, clonedFrom: number | null) {
    this.#manifest = manifest;
    this.entry = entry;
    this.#file = file;
    this.#clonedFrom = clonedFrom;
    this.#hashes = Buffer.alloc(this.#own.blocks * BLOCK_HASH_BYTES);
  }

  get #own(): FileEntry {
    return this.#manifest.entries[this.entry] as FileEntry;
  }

  /** Returns how many bytes weren't there already. */
  append(bytes: Buffer, from: CopiedFrom | null): number {
    const isThere = from?.tree === 'old' && from.entry === this.#clonedFrom && from.offset === this.#position;
    for (let done = 0; !isThere && done < bytes.length; )
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#position + done);
    if (from === null) this.#newBytes += bytes.length;
    this.#position += bytes.length;
    this.#whole.update(bytes);
    if (this.#own.blocks > 1) this.#hashBlocks(bytes);
    return isThere ? 0 : bytes.length;
  }

  /** Only blocks that the draft has no hash of. */
  #hashBlocks(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0) this.#beginBlock();
      const length = Math.min(this.#left, bytes.length - at);
      this.#blockHash?.update(bytes.subarray(at, at + length));
      at += length;
      this.#left -= length;
      if (this.#left === 0)
        this.#blockHash?.digest().copy(this.#hashes, this.#block * BLOCK_HASH_BYTES, 0, BLOCK_HASH_BYTES);
    }
  }

  #beginBlock(): void {
    this.#block += 1;
    const { blocks } = this.#manifest;
    const index = this.#own.firstBlock + this.#block;
    this.#left = blocks.lengths[index]!;
    this.#blockHash = isUnknownBlock(blocks, index) ? createHash('sha256') : null;
  }

  finish(): MadeFile {
    try {
      ftruncateSync(this.#file, this.#position);
      const sha256 = this.#whole.digest();
      if (this.#own.blocks === 1) sha256.copy(this.#hashes, 0, 0, BLOCK_HASH_BYTES);
      const hashes = { sha256, blocks: this.#hashes };
      return { sha256, hashes, stats: fstatSync(this.#file), newBytes: this.#newBytes };
    } finally {
      this.close();
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}
