// What a new manifest has that an old one doesn't have.
import { hash } from 'node:crypto';
import { ByteWriter, compress } from './bytes.ts';
import {
  blockHash,
  encodeManifest,
  type FileEntry,
  gapsOf,
  kindOf,
  type Manifest,
  type Origin,
  writePath,
} from './manifest.ts';
import { isSameContent } from './plan.ts';

export const MAGIC = Buffer.from('CHMD\x01', 'latin1');
const COMPRESSION_LEVEL = 19;
/** The beginning of the SHA-256 of each manifest, to tell differences apart. */
export const ID_BYTES = 8;

/**
 * With `omitted` hashes, the difference leaves out the hashes of new content, which can't be compressed. They are for
 * clients that make that content from a pack: they compute the hashes, and then know from the SHA-256 of the whole manifest
 * whether everything is right.
 */
export type Hashes = 'included' | 'omitted';

/** The difference as bytes. Both manifests must be valid. */
export function encodeDifference(old: Manifest, next: Manifest, hashes: Hashes): Buffer {
  const writer = new ByteWriter();
  writer.bytes(MAGIC);
  writer.varint(hashes === 'omitted' ? 1 : 0);
  for (const manifest of [old, next]) writer.bytes(idOf(manifest));
  const body = encodeBody(old, next, hashes);
  writer.varint(body.length);
  writer.bytes(compress(body, COMPRESSION_LEVEL));
  return writer.finish();
}

/** Identifies a manifest in a difference. */
export function idOf(manifest: Manifest): Buffer {
  return hash('sha256', encodeManifest(manifest), 'buffer').subarray(0, ID_BYTES);
}

/** What happens to the next old entries; `change` replaces them by entries with the same paths, `add` inserts others. */
export const OPS = ['keep', 'drop', 'change', 'add'] as const;
type Op = (typeof OPS)[number];
/** An entry of the new manifest that isn't like one of the old. `before` is the old entry at its path. */
type Fresh = { readonly index: number; readonly before: number | null };

function encodeBody(old: Manifest, next: Manifest, hashes: Hashes): Buffer {
  const writer = new ByteWriter();
  encodeHeader(writer, old, next);
  const { ops, fresh } = compareEntries(old, next);
  writer.varint(ops.length);
  for (const { op, count } of ops) writer.varint(OPS.indexOf(op) + OPS.length * (count - 1));
  for (const column of freshColumns(old, next, fresh, hashes)) writer.bytes(column.finish());
  return writer.finish();
}

function encodeHeader(writer: ByteWriter, old: Manifest, next: Manifest): void {
  const isSameSizes = JSON.stringify(old.sizes) === JSON.stringify(next.sizes);
  writer.varint(isSameSizes ? 1 : 0);
  if (!isSameSizes)
    for (const { uncut, min, average, max } of [next.sizes.stored, next.sizes.packed])
      for (const size of [uncut, min, average, max]) writer.varint(size);
  writer.varint(next.zip.size);
  writer.bytes(next.zip.sha256);
  for (const name of ORIGIN) {
    const isSame = old.origin[name] === next.origin[name];
    writer.varint(isSame ? 1 : 0);
    if (!isSame) writer.text(next.origin[name]);
  }
}

export const ORIGIN = ['game', 'build', 'file', 'version', 'os', 'arch'] as const satisfies readonly (keyof Origin)[];

type Counted = { op: Op; count: number };

/** The new entries as a sequence of operations on the old ones. */
function compareEntries(old: Manifest, next: Manifest): { ops: Counted[]; fresh: Fresh[] } {
  const places = new Map(old.entries.map(({ path }, index) => [path, index]));
  const [oldGaps, gaps] = [gapsOf(old.entries), gapsOf(next.entries)];
  const ops: Counted[] = [];
  const fresh: Fresh[] = [];
  const add = (op: Op, count: number) => {
    const last = ops.at(-1);
    if (count === 0) return;
    if (last?.op === op) last.count += count;
    else ops.push({ op, count });
  };
  let at = 0;
  for (const [index, entry] of next.entries.entries()) {
    const before = places.get(entry.path);
    if (before === undefined || before < at) {
      add('add', 1);
      fresh.push({ index, before: null });
      continue;
    }
    add('drop', before - at);
    at = before + 1;
    const isKept = oldGaps[before] === gaps[index] && isSameEntry(old, before, next, index);
    add(isKept ? 'keep' : 'change', 1);
    if (!isKept) fresh.push({ index, before });
  }
  return { ops, fresh };
}

function isSameEntry(old: Manifest, before: number, next: Manifest, index: number): boolean {
  const [a, b] = [old.entries[before]!, next.entries[index]!];
  if (kindOf(a) !== kindOf(b)) return false;
  if (a.type === 'link' || b.type === 'link') return a.type === 'link' && b.type === 'link' && a.target === b.target;
  if (a.mode !== b.mode) return false;
  return a.type === 'folder' || (b.type === 'file' && isSamePacked(old, a, next, b));
}

/** Whether two files have the same content in the same blocks with the same packed lengths. */
function isSamePacked(old: Manifest, a: FileEntry, next: Manifest, b: FileEntry): boolean {
  if (!isSameContent(a, b) || a.method !== b.method || a.packed !== b.packed || a.blocks !== b.blocks) return false;
  for (let block = 0; block < a.blocks; block += 1)
    if (!isSameBlock(old, a.firstBlock + block, next, b.firstBlock + block)) return false;
  return true;
}

function isSameBlock(old: Manifest, a: number, next: Manifest, b: number): boolean {
  return (
    old.blocks.lengths[a] === next.blocks.lengths[b] &&
    old.blocks.packed[a] === next.blocks.packed[b] &&
    blockHash(old.blocks, a).equals(blockHash(next.blocks, b))
  );
}

/** The columns of the entries that aren't kept, in their order. */
function freshColumns(old: Manifest, next: Manifest, fresh: readonly Fresh[], hashes: Hashes): ByteWriter[] {
  const column = () => new ByteWriter();
  const [shared, suffixes, kinds, modes, targets] = [column(), column(), column(), column(), column()];
  const [origins, gaps, sizes, packed, sha256s] = [column(), column(), column(), column(), column()];
  const [counts, runs, lengths, blockPacked, blockHashes] = [column(), column(), column(), column(), column()];
  const nextGaps = gapsOf(next.entries);
  const contents = new Map(
    old.entries.flatMap((entry, index) => (entry.type === 'file' ? [[entry.sha256.toString('latin1'), index]] : [])),
  );
  const oldBlocks = indexBlocks(old);
  let path = Buffer.alloc(0);
  let expected = 0;
  for (const { index, before } of fresh) {
    const entry = next.entries[index]!;
    if (before === null) path = writePath(shared, suffixes, path, entry.path);
    kinds.varint(kindOf(entry));
    if (entry.type === 'link') targets.text(entry.target);
    else modes.varint(entry.mode);
    if (entry.type !== 'file') continue;
    gaps.signed(nextGaps[index]!);
    const source = contents.get(entry.sha256.toString('latin1'));
    const isCopy = source !== undefined && isSamePacked(old, old.entries[source] as FileEntry, next, entry);
    origins.varint(isCopy ? source + 1 : 0);
    if (isCopy) continue;
    sizes.signed(entry.size - sizeOf(old, before));
    if (entry.size === 0) continue;
    if (entry.method === 'whole') packed.varint(entry.packed);
    if (hashes === 'included') sha256s.bytes(entry.sha256);
    counts.varint(entry.blocks);
    if (before !== null) expected = firstBlockOf(old, before) ?? expected;
    for (const run of runsOf(old, oldBlocks, next, entry)) {
      const isOld = run.source !== null;
      runs.varint(2 * (run.count - 1) + (isOld ? 1 : 0));
      if (run.source !== null) runs.signed(run.source - expected);
      expected = (run.source ?? expected) + run.count;
      for (let block = run.first; block < run.first + run.count && !isOld; block += 1) {
        if (entry.blocks > 1) lengths.varint(next.blocks.lengths[block]!);
        if (entry.method === 'blocks') blockPacked.varint(next.blocks.packed[block]!);
        if (entry.blocks > 1 && hashes === 'included') blockHashes.bytes(blockHash(next.blocks, block));
      }
    }
  }
  return [
    ...[shared, suffixes, kinds, modes, targets, gaps, origins, sizes, packed, sha256s],
    ...[counts, runs, lengths, blockPacked, blockHashes],
  ];
}

function sizeOf(old: Manifest, before: number | null): number {
  const entry = before === null ? undefined : old.entries[before];
  return entry?.type === 'file' ? entry.size : 0;
}

function firstBlockOf(old: Manifest, before: number): number | undefined {
  const entry = old.entries[before];
  return entry?.type === 'file' ? entry.firstBlock : undefined;
}

function indexBlocks({ blocks }: Manifest): Map<string, number> {
  return new Map(Array.from(blocks.lengths, (_, index) => [blockHash(blocks, index).toString('latin1'), index]));
}

/** Consecutive blocks: either old ones, which start at `source` in the old table, or new ones. */
type Run = { readonly first: number; count: number; readonly source: number | null };

function runsOf(old: Manifest, oldBlocks: ReadonlyMap<string, number>, next: Manifest, entry: FileEntry): Run[] {
  const runs: Run[] = [];
  for (let block = entry.firstBlock; block < entry.firstBlock + entry.blocks; block += 1) {
    const last = runs.at(-1);
    const following = last?.source == null ? undefined : last.source + last.count;
    const found = oldBlocks.get(blockHash(next.blocks, block).toString('latin1'));
    // The next old block is preferred, because equal blocks can be in several places.
    const candidates = [following, found].filter((source) => source !== undefined && source < old.blocks.count);
    const source = candidates.find((candidate) => isSameBlock(old, candidate!, next, block)) ?? null;
    const continues = last !== undefined && (source === null ? last.source === null : source === following);
    if (continues) last.count += 1;
    else runs.push({ first: block, count: 1, source });
  }
  return runs;
}
