// Makes the patch pack from one version to another.
import { AddressSpace, counterpartsOf, filesOf, type ReadContent } from './address-space.ts';
import { AnchorIndex, SAMPLE_STEP } from './anchor-index.ts';
import { BLOCK_HASH_BYTES, type FileEntry, type Manifest } from './manifest.ts';
import { encodeDifference } from './manifest-difference.ts';
import { decodeDifference } from './manifest-difference-reader.ts';
import { Matcher, type Op } from './matcher.ts';
import { free } from './memory.ts';
import { type SegmentLengths, SegmentWriter, writePackIndex } from './pack-format.ts';
import { Pages } from './pages.ts';

const MIB = 1024 * 1024;
/** Content is searched in pieces of this length, so that memory is bounded. */
const PIECE_BYTES = MIB;
const SEGMENT_BYTES = 4 * MIB;
const PAGE_MEMORY = 24 * MIB;
/** Samples of old content that the new version may not have any more, and of all other content. */
const MAX_SAMPLES = 3_500_000;

/** What a pack has to make. */
export type PackPlan = {
  readonly old: Manifest;
  readonly next: Manifest;
  readonly difference: Buffer;
  /** The entries of the new version whose content the pack makes. */
  readonly made: readonly number[];
};

export function planPack(old: Manifest, next: Manifest): PackPlan {
  const difference = encodeDifference(old, next, 'omitted');
  return { old, next, difference, made: [...decodeDifference(old, difference).missing] };
}

export type PackContent = {
  /** Reads the content of an entry of the old manifest. */
  readonly readOld: ReadContent;
  /** Reads the content of an entry that the pack makes. */
  readonly readNew: ReadContent;
  /** The entries of the old manifest that can be read; all if absent. */
  readonly isReadable?: (entry: number) => boolean;
  /** Takes the bytes of the pack that follow its index, in pieces. */
  readonly write: (bytes: Buffer) => void;
};

/**
 * Makes a pack and returns its index, with which it begins. Takes up to 300 MB of memory, and a second for one to five
 * megabytes of changed content, so run it in a thread. Throws what the functions throw.
 */
export function makePack({ old, next, difference, made }: PackPlan, content: PackContent): Buffer {
  const { isReadable = () => true } = content;
  const space = new AddressSpace(old.entries, filesOf(old.entries));
  const readable = new AddressSpace(old.entries, filesOf(old.entries).filter(isReadable));
  const newSpace = new AddressSpace(next.entries, made);
  const pages = pagesOf(readable, newSpace, content);
  const anchors = indexOld(old, next, readable, pages);
  const matcher = new Matcher(pages, anchors);
  const output = new PackOutput(space, readable, content.write);
  const [counterparts, starts] = [counterpartsOf(old, next, readable), counterpartsOf(old, next, space)];
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let expected = 0;
  for (const { entry, start, size } of newSpace.files) {
    expected = counterparts.get(entry) ?? expected;
    output.beginFile(starts.get(entry));
    for (let offset = 0; offset < size; offset += PIECE_BYTES) {
      const bytes = piece.subarray(0, Math.min(PIECE_BYTES, size - offset));
      content.readNew(entry, offset, bytes.length).copy(bytes);
      const own = readable.size + start + offset;
      let at = 0;
      for (const op of matcher.match(bytes, own, expected)) {
        const taken = bytesOf(op, bytes.subarray(at, at + op.length), pages);
        output.add(op, taken);
        if (op.kind === 'add') free(taken);
        // Other files may have the same new content.
        if (op.kind === 'literal') anchors.add(pages, own + at, op.length, SAMPLE_STEP);
        expected = (op.kind === 'literal' ? expected : op.address) + op.length;
        at += op.length;
      }
      output.endPiece();
    }
  }
  return writePackIndex(difference, output.finish());
}

/** Writes operations, whose addresses are in the readable old content, with addresses in all old content. */
class PackOutput {
  readonly #space: AddressSpace;
  readonly #readable: AddressSpace;
  readonly #write: (bytes: Buffer) => void;
  readonly #segments: SegmentLengths[] = [];
  #writer = new SegmentWriter();
  #expected = 0;

  constructor(space: AddressSpace, readable: AddressSpace, write: (bytes: Buffer) => void) {
    this.#space = space;
    this.#readable = readable;
    this.#write = write;
  }

  beginFile(counterpart: number | undefined): void {
    this.#expected = counterpart ?? this.#expected;
  }

  add(op: Op, bytes: Buffer): void {
    if (op.kind === 'literal') {
      this.#expected = this.#writer.add(op, bytes, this.#expected);
      return;
    }
    let done = 0;
    for (const { address, length } of this.#partsOf(op)) {
      this.#expected = this.#writer.add(
        { ...op, address, length },
        bytes.subarray(done, done + length),
        this.#expected,
      );
      done += length;
    }
  }

  /** Ends the segment if it is long enough. */
  endPiece(): void {
    if (this.#writer.heldBytes >= SEGMENT_BYTES) this.#endSegment();
  }

  finish(): readonly SegmentLengths[] {
    if (this.#writer.newBytes > 0) this.#endSegment();
    return this.#segments;
  }

  #endSegment(): void {
    const { bytes, ...lengths } = this.#writer.finish();
    this.#write(bytes);
    this.#segments.push(lengths);
    this.#writer = new SegmentWriter();
  }

  /** Files that are neighbours in the readable content may be apart in all content. */
  #partsOf({ address, length }: Op): { address: number; length: number }[] {
    const parts: { address: number; length: number }[] = [];
    const append = (from: number, bytes: number) => {
      const last = parts.at(-1);
      if (last !== undefined && last.address + last.length === from) last.length += bytes;
      else parts.push({ address: from, length: bytes });
    };
    const oldBytes = Math.max(0, Math.min(length, this.#readable.size - address));
    for (const part of this.#readable.partsOf(address, oldBytes))
      append(this.#space.startOf(part.entry)! + part.offset, part.length);
    if (oldBytes < length) append(this.#space.size + address + oldBytes - this.#readable.size, length - oldBytes);
    return parts;
  }
}

function bytesOf(op: { kind: string; address: number; length: number }, content: Buffer, pages: Pages): Buffer {
  if (op.kind !== 'add') return content;
  const base = pages.slice(op.address, op.length);
  for (let at = 0; at < base.length; at += 1) base[at] = content[at]! - base[at]!;
  return base;
}

/** The old content and behind it the new. */
function pagesOf(oldSpace: AddressSpace, newSpace: AddressSpace, { readOld, readNew }: PackContent): Pages {
  const read = (address: number, target: Buffer) => {
    const oldBytes = Math.max(0, Math.min(target.length, oldSpace.size - address));
    let done = 0;
    for (const { entry, offset, length } of oldSpace.partsOf(address, oldBytes))
      done += readOld(entry, offset, length).copy(target, done);
    for (const { entry, offset, length } of newSpace.partsOf(address + done - oldSpace.size, target.length - done))
      done += readNew(entry, offset, length).copy(target, done);
  };
  return new Pages(oldSpace.size + newSpace.size, read, PAGE_MEMORY);
}

/** Samples the old content: most of all what isn't in the new version as it was, since it was probably changed. */
function indexOld(old: Manifest, next: Manifest, space: AddressSpace, pages: Pages): AnchorIndex {
  const spans = spansOf(old, next, space);
  const [changed, same] = [spans.filter(({ isKept }) => !isKept), spans.filter(({ isKept }) => isKept)];
  const steps = [stepOf(changed), Math.max(stepOf(same), stepOf(changed), 4 * SAMPLE_STEP)] as const;
  const samples = lengthOf(changed) / steps[0] + lengthOf(same) / steps[1];
  const anchors = new AnchorIndex(Math.max(samples, 1000));
  for (const [index, list] of [changed, same].entries())
    for (const { address, length } of list) anchors.add(pages, address, length, steps[index as 0 | 1]);
  return anchors;
}

type Span = { readonly address: number; length: number; readonly isKept: boolean };

/** The old content in parts, by whether the new version has their blocks too. */
function spansOf(old: Manifest, next: Manifest, space: AddressSpace): Span[] {
  const keyOf = ({ blocks }: Manifest, index: number) =>
    blocks.hashes.toString('latin1', index * BLOCK_HASH_BYTES, (index + 1) * BLOCK_HASH_BYTES);
  const kept = new Set(Array.from(next.blocks.lengths, (_, index) => keyOf(next, index)));
  const spans: Span[] = [];
  for (const { entry, start } of space.files) {
    const file = old.entries[entry] as FileEntry;
    let address = start;
    for (let block = file.firstBlock; block < file.firstBlock + file.blocks; block += 1) {
      const [length, isKept, last] = [old.blocks.lengths[block]!, kept.has(keyOf(old, block)), spans.at(-1)];
      if (last?.isKept === isKept) last.length += length;
      else spans.push({ address, length, isKept });
      address += length;
    }
  }
  return spans;
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { length }) => sum + length, 0);
}

/** The smallest step, as a power of two, with which there aren't too many samples. */
function stepOf(spans: readonly Span[]): number {
  const step = lengthOf(spans) / MAX_SAMPLES;
  return 2 ** Math.max(Math.ceil(Math.log2(Math.max(step, 1))), Math.log2(SAMPLE_STEP));
}
