// Updates trees in memory, as a client does on disk.
import { hash } from 'node:crypto';
import { applyPack } from '../src/apply-pack.ts';
import { unpackBlock } from '../src/blocks.ts';
import { DeltaError } from '../src/error.ts';
import { BLOCK_HASH_BYTES, encodeManifest, type FileEntry, type Manifest } from '../src/manifest.ts';
import { completeDraft, decodeDifference } from '../src/manifest-difference-reader.ts';
import { PACK_HEAD_BYTES, readPackHead, readPackIndex } from '../src/pack-format.ts';
import { blockOffsets, planUpdate } from '../src/plan.ts';
import { readerOf, type TestTree, type TestZip } from './trees.ts';

/** The content of the new files, each made from the old tree and parts of the zip. */
export function updateByBlocks(oldTree: TestTree, old: Manifest, { zip, manifest }: TestZip): Map<string, Buffer> {
  const readOld = readerOf(oldTree, old);
  const plan = planUpdate(old, manifest);
  // Only what was fetched is there.
  const fetched = Buffer.alloc(zip.length);
  for (const { offset, length } of plan.ranges) zip.copy(fetched, offset, offset, offset + length);
  const made = new Map<string, Buffer>();
  for (const index of plan.kept) {
    const { path, size } = manifest.entries[index] as FileEntry;
    const before = old.entries.findIndex((entry) => entry.path === path);
    made.set(path, readOld(before, 0, size));
  }
  for (const { entry, pieces } of plan.files) {
    const file = manifest.entries[entry] as FileEntry;
    const offsets = blockOffsets(manifest, file);
    let content = Buffer.alloc(0);
    for (const piece of pieces) {
      const source = piece.kind === 'new' ? manifest.entries[piece.entry]!.path : '';
      if (piece.kind === 'old') content = Buffer.concat([content, readOld(piece.entry, piece.offset, piece.length)]);
      else if (piece.kind === 'new') {
        const written = source === file.path ? content : made.get(source)!;
        content = Buffer.concat([content, written.subarray(piece.offset, piece.offset + piece.length)]);
      } else content = Buffer.concat([content, fetchBlock(fetched, manifest, file, offsets, piece.block)]);
    }
    made.set(file.path, content);
  }
  return made;
}

function fetchBlock(fetched: Buffer, { blocks }: Manifest, file: FileEntry, offsets: number[], block: number): Buffer {
  const length = blocks.lengths[block]!;
  if (file.method === 'whole') {
    const raw = unpackBlock(fetched.subarray(file.offset, file.offset + file.packed - 2), file.size);
    const at = blocks.lengths.subarray(file.firstBlock, block).reduce((sum, other) => sum + other, 0);
    return raw.subarray(at, at + length);
  }
  const at = offsets[block - file.firstBlock]!;
  const packed = fetched.subarray(at, at + blocks.packed[block]!);
  return file.method === 'stored' ? packed : unpackBlock(packed, length);
}

/** The content of the files that a pack makes. Throws DeltaError unless the new manifest has this SHA-256. */
export function updateByPack(
  oldTree: TestTree,
  old: Manifest,
  pack: Buffer,
  sha256: Buffer,
): { made: Map<string, Buffer>; manifest: Manifest } {
  const index = readPackIndex(pack.subarray(PACK_HEAD_BYTES, PACK_HEAD_BYTES + readPackHead(pack)));
  const draft = decodeDifference(old, index.difference);
  const { entries, blocks } = draft.manifest;
  const contents = new Map<number, Buffer>();
  const steps = applyPack(old, draft, index, {
    readPack: (offset, length) => pack.subarray(offset, offset + length),
    readOld: readerOf(oldTree, old),
    readNew: (entry, offset, length) => contents.get(entry)?.subarray(offset, offset + length) ?? Buffer.alloc(0),
    write: (entry, bytes) => {
      const size = (contents.get(entry)?.length ?? 0) + bytes.length;
      if (size > 10_000_000) throw new DeltaError('Too much for a test.');
      contents.set(entry, Buffer.concat([contents.get(entry) ?? Buffer.alloc(0), bytes]));
    },
  });
  for (const _ of steps);
  const computed = new Map(
    [...draft.missing].map((entry) => {
      const file = entries[entry] as FileEntry;
      const content = contents.get(entry) ?? Buffer.alloc(0);
      let at = 0;
      const hashes = Array.from({ length: file.blocks }, (_, block) => {
        at += blocks.lengths[file.firstBlock + block]!;
        const own = content.subarray(at - blocks.lengths[file.firstBlock + block]!, at);
        return hash('sha256', own, 'buffer').subarray(0, BLOCK_HASH_BYTES);
      });
      return [entry, { sha256: hash('sha256', content, 'buffer'), blocks: Buffer.concat(hashes) }] as const;
    }),
  );
  const manifest = completeDraft(draft, computed, sha256);
  const made = new Map([...contents].map(([entry, content]) => [entries[entry]!.path, content]));
  return { made, manifest };
}

export function sha256Of(manifest: Manifest): Buffer {
  return hash('sha256', encodeManifest(manifest), 'buffer');
}
