// Makes new files from a patch pack and the old files.
import { AddressSpace, counterpartsOf, filesOf, type ReadContent } from './address-space.ts';
import { DeltaError } from './error.ts';
import type { Manifest } from './manifest.ts';
import type { Draft } from './manifest-difference-reader.ts';
import { type PackIndex, packedBytes, SegmentReader } from './pack-format.ts';

/** Old and new content are copied in pieces of this length. */
const PIECE_BYTES = 1024 * 1024;

export type PackFiles = {
  /** Reads bytes of the pack. */
  readonly readPack: (offset: number, length: number) => Buffer;
  /** Reads the content of an entry of the old manifest. */
  readonly readOld: ReadContent;
  /** Reads the content of an entry of the new manifest, as far as it was written. */
  readonly readNew: ReadContent;
  /** Appends bytes to the content of an entry of the new manifest. The bytes change after the call. */
  readonly write: (entry: number, bytes: Buffer) => void;
};

/**
 * Writes all files of the draft whose hashes are missing. What is written can't be trusted before `completeDraft` has
 * checked it. Throws DeltaError if the pack is invalid or belongs to other files; it may be hostile. Takes up to 100 MB of
 * memory for a hostile pack, and 40 MB for others.
 */
export function applyPack(old: Manifest, draft: Draft, index: PackIndex, files: PackFiles): void {
  const oldSpace = new AddressSpace(old.entries, filesOf(old.entries));
  const newSpace = new AddressSpace(draft.manifest.entries, draft.missing);
  const counterparts = counterpartsOf(old, draft.manifest, oldSpace);
  let expected = 0;
  let made = 0;
  for (const segment of index.segments) {
    if (made + segment.newBytes > newSpace.size) throw new DeltaError('The patch pack makes more than the files.');
    const reader = new SegmentReader(segment, files.readPack(segment.offset, packedBytes(segment)));
    const end = made + segment.newBytes;
    while (made < end) {
      const file = newSpace.locate(made);
      if (made === file.start) expected = counterparts.get(file.entry) ?? expected;
      const { op, bytes } = reader.next(expected, Math.min(end, file.start + file.size) - made);
      if (op.kind !== 'literal' && !(op.address >= 0 && op.address + op.length <= oldSpace.size + made))
        throw new DeltaError('A patch refers to bytes that don’t exist.');
      if (op.kind === 'literal') files.write(file.entry, bytes);
      else copyOp(op, bytes, oldSpace, newSpace, files, file.entry);
      expected = (op.kind === 'literal' ? expected : op.address) + op.length;
      made += op.length;
    }
    reader.end();
  }
  if (made !== newSpace.size) throw new DeltaError('The patch pack makes less than the files.');
}

type Copied = { readonly address: number; readonly length: number; readonly kind: string };

function copyOp(
  op: Copied,
  added: Buffer,
  oldSpace: AddressSpace,
  newSpace: AddressSpace,
  files: PackFiles,
  entry: number,
): void {
  for (let done = 0; done < op.length; ) {
    const address = op.address + done;
    const isOld = address < oldSpace.size;
    const [space, start, read] = isOld ? [oldSpace, 0, files.readOld] : [newSpace, oldSpace.size, files.readNew];
    const wanted = Math.min(PIECE_BYTES, op.length - done, start + space.size - address);
    for (const part of space.partsOf(address - start, wanted)) {
      const bytes = read(part.entry, part.offset, part.length);
      if (bytes.length !== part.length) throw new DeltaError('A file is shorter than its manifest says.');
      files.write(entry, op.kind === 'add' ? sumOf(bytes, added.subarray(done, done + bytes.length)) : bytes);
      done += bytes.length;
    }
  }
}

function sumOf(bytes: Buffer, added: Buffer): Buffer {
  const sum = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < sum.length; at += 1) sum[at] = bytes[at]! + added[at]!;
  return sum;
}
