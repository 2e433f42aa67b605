// Makes new files from a patch pack and the old files.
import { AddressSpace, counterpartsOf, filesOf, type ReadContent } from './address-space.ts';
import { DeltaError } from './error.ts';
import type { Manifest } from './manifest.ts';
import type { Draft } from './manifest-difference-reader.ts';
import type { Op } from './matcher.ts';
import { type PackIndex, packedBytes, SegmentReader } from './pack-format.ts';

/** Old and new content are copied in pieces of this length. */
const PIECE_BYTES = 1024 * 1024;
/** How much is made in one step. */
const STEP_BYTES = 4 * 1024 * 1024;

/** Where bytes were copied from. */
export type CopiedFrom = { readonly tree: 'old' | 'new'; readonly entry: number; readonly offset: number };

export type PackFiles = {
  /** Reads bytes of the pack. The result is only read before the next call. */
  readonly readPack: (offset: number, length: number) => Buffer;
  /** Reads the content of an entry of the old manifest. */
  readonly readOld: ReadContent;
  /** Reads the content of an entry of the new manifest, as far as it was written. */
  readonly readNew: ReadContent;
  /**
   * Appends bytes to the content of an entry of the new manifest. The bytes change after the call. `from` is null unless they
   * were copied as they are.
   */
  readonly write: (entry: number, bytes: Buffer, from: CopiedFrom | null) => void;
};

/**
 * Writes all files of the draft whose hashes are missing, one after the other, while the result is iterated: each step makes
 * up to a few megabytes and yields their number. What is written can't be trusted before `completeDraft` has checked it.
 * Throws DeltaError if the pack is invalid or belongs to other files; it may be hostile. Takes up to 100 MB of memory for a
 * hostile pack, and 30 MB for others.
 */
export function* applyPack(
  old: Manifest,
  draft: Draft,
  index: PackIndex,
  files: PackFiles,
): Generator<number, void, undefined> {
  const oldSpace = new AddressSpace(old.entries, filesOf(old.entries));
  const newSpace = new AddressSpace(draft.manifest.entries, draft.missing);
  const counterparts = counterpartsOf(old, draft.manifest, oldSpace);
  const copy = new Copier(oldSpace, newSpace, files);
  let expected = 0;
  let made = 0;
  for (const segment of index.segments) {
    if (made + segment.newBytes > newSpace.size) throw new DeltaError('The patch pack makes more than the files.');
    const reader = new SegmentReader(segment, files.readPack(segment.offset, packedBytes(segment)));
    const end = made + segment.newBytes;
    let unreported = 0;
    try {
      while (made < end) {
        const file = newSpace.locate(made);
        if (made === file.start) expected = counterparts.get(file.entry) ?? expected;
        const { op, bytes } = reader.next(expected, Math.min(end, file.start + file.size) - made);
        if (op.kind !== 'literal' && !(op.address >= 0 && op.address + op.length <= oldSpace.size + made))
          throw new DeltaError('A patch refers to bytes that don’t exist.');
        if (op.kind === 'literal') files.write(file.entry, bytes, null);
        else {
          for (const length of copy.run(op, bytes, file.entry)) {
            unreported += length;
            if (unreported < STEP_BYTES) continue;
            yield unreported;
            unreported = 0;
          }
        }
        if (op.kind === 'literal') unreported += op.length;
        expected = (op.kind === 'literal' ? expected : op.address) + op.length;
        made += op.length;
      }
      reader.end();
    } finally {
      reader.close();
    }
    yield unreported;
  }
  if (made !== newSpace.size) throw new DeltaError('The patch pack makes less than the files.');
}

/** Copies bytes that the client has, or adds to them. */
class Copier {
  readonly #oldSpace: AddressSpace;
  readonly #newSpace: AddressSpace;
  readonly #files: PackFiles;
  /** Used again and again, because memory would grow faster than it is collected. */
  readonly #sums = Buffer.allocUnsafeSlow(PIECE_BYTES);

  constructor(oldSpace: AddressSpace, newSpace: AddressSpace, files: PackFiles) {
    this.#oldSpace = oldSpace;
    this.#newSpace = newSpace;
    this.#files = files;
  }

  /** Yields the lengths of the pieces that it has written. */
  *run(op: Op, added: Buffer, entry: number): Generator<number, void, undefined> {
    const [oldSpace, newSpace, files] = [this.#oldSpace, this.#newSpace, this.#files];
    for (let done = 0; done < op.length; ) {
      const address = op.address + done;
      const isOld = address < oldSpace.size;
      const [space, start, read] = isOld ? [oldSpace, 0, files.readOld] : [newSpace, oldSpace.size, files.readNew];
      const wanted = Math.min(PIECE_BYTES, op.length - done, start + space.size - address);
      for (const part of space.partsOf(address - start, wanted)) {
        const bytes = read(part.entry, part.offset, part.length);
        if (bytes.length !== part.length) throw new DeltaError('A file is shorter than its manifest says.');
        if (op.kind === 'copy')
          files.write(entry, bytes, { tree: isOld ? 'old' : 'new', entry: part.entry, offset: part.offset });
        else files.write(entry, this.#sumOf(bytes, added, done), null);
        done += part.length;
      }
      yield wanted;
    }
  }

  #sumOf(bytes: Buffer, added: Buffer, from: number): Buffer {
    const sums = this.#sums;
    for (let at = 0; at < bytes.length; at += 1) sums[at] = bytes[at]! + added[from + at]!;
    return sums.subarray(0, bytes.length);
  }
}
