// Makes the patch pack from one version to another.
import { AddressSpace, counterpartsOf, filesOf, type ReadContent } from './address-space.ts';
import { AnchorIndex, SAMPLE_STEP } from './anchor-index.ts';
import { BLOCK_HASH_BYTES, type FileEntry, type Manifest } from './manifest.ts';
import { encodeDifference } from './manifest-difference.ts';
import { decodeDifference } from './manifest-difference-reader.ts';
import { Matcher } from './matcher.ts';
import { type PackedSegment, SegmentWriter, writePackIndex } from './pack-format.ts';
import { Pages } from './pages.ts';

const MIB = 1024 * 1024;
/** Content is searched in pieces of this length, so that memory is bounded. */
const PIECE_BYTES = 4 * MIB;
const SEGMENT_BYTES = 4 * MIB;
const PAGE_MEMORY = 48 * MIB;
/** Samples of old content that the new version may not have any more, and of all other content. */
const MAX_SAMPLES = 7_000_000;

/**
 * The pack as pieces of bytes. `readOld` and `readNew` read the content of the entries. Takes up to 500 MB of memory, and
 * a second for one to five megabytes of changed content, so run it in a thread. Throws what they throw.
 */
export function makePack(old: Manifest, next: Manifest, readOld: ReadContent, readNew: ReadContent): Buffer[] {
  const difference = encodeDifference(old, next, 'omitted');
  const { missing } = decodeDifference(old, difference);
  const segments = makeSegments(old, next, [...missing], readOld, readNew);
  return [writePackIndex(difference, segments), ...segments.map(({ bytes }) => bytes)];
}

function makeSegments(
  old: Manifest,
  next: Manifest,
  made: readonly number[],
  readOld: ReadContent,
  readNew: ReadContent,
): PackedSegment[] {
  const oldSpace = new AddressSpace(old.entries, filesOf(old.entries));
  const newSpace = new AddressSpace(next.entries, made);
  const pages = pagesOf(oldSpace, newSpace, readOld, readNew);
  const anchors = indexOld(old, next, oldSpace, pages);
  const matcher = new Matcher(pages, anchors);
  const counterparts = counterpartsOf(old, next, oldSpace);
  const segments: PackedSegment[] = [];
  let writer = new SegmentWriter();
  let expected = 0;
  for (const { entry, start, size } of newSpace.files) {
    expected = counterparts.get(entry) ?? expected;
    for (let offset = 0; offset < size; offset += PIECE_BYTES) {
      const content = Buffer.from(readNew(entry, offset, Math.min(PIECE_BYTES, size - offset)));
      const own = oldSpace.size + start + offset;
      let at = 0;
      for (const op of matcher.match(content, own, expected)) {
        expected = writer.add(op, bytesOf(op, content.subarray(at, at + op.length), pages), expected);
        // Other files may have the same new content.
        if (op.kind === 'literal') anchors.add(pages, own + at, op.length, SAMPLE_STEP);
        at += op.length;
      }
      if (writer.heldBytes < SEGMENT_BYTES) continue;
      segments.push(writer.finish());
      writer = new SegmentWriter();
    }
  }
  if (writer.newBytes > 0) segments.push(writer.finish());
  return segments;
}

function bytesOf(op: { kind: string; address: number; length: number }, content: Buffer, pages: Pages): Buffer {
  if (op.kind !== 'add') return content;
  const base = pages.slice(op.address, op.length);
  for (let at = 0; at < base.length; at += 1) base[at] = content[at]! - base[at]!;
  return base;
}

/** The old content and behind it the new. */
function pagesOf(oldSpace: AddressSpace, newSpace: AddressSpace, readOld: ReadContent, readNew: ReadContent): Pages {
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
