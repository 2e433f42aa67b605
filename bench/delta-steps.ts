// The steps of an update, each in its own process so that its time and memory can be measured. bench/deltas.ts runs them.
import { createHash, hash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { applyPack } from '@chauffeur/deltas/apply-pack';
import { unpackBlock } from '@chauffeur/deltas/blocks';
import { makePack, planPack } from '@chauffeur/deltas/make-pack';
import {
  BLOCK_HASH_BYTES,
  blockHash,
  decodeManifest,
  encodeManifest,
  type FileEntry,
  type Manifest,
  packManifest,
} from '@chauffeur/deltas/manifest';
import { encodeDifference } from '@chauffeur/deltas/manifest-difference';
import { type ContentHashes, completeDraft, decodeDifference } from '@chauffeur/deltas/manifest-difference-reader';
import { PACK_HEAD_BYTES, readPackHead, readPackIndex } from '@chauffeur/deltas/pack-format';
import { blockOffsets, planUpdate } from '@chauffeur/deltas/plan';
import { zipInBlocks } from './delta-zips.ts';

/** Files of one pair. */
export type Paths = {
  readonly old: string;
  readonly new: string;
  /** A folder for what the steps write: zips, manifests, the pack and the updated tree. */
  readonly work: string;
};

const zipOf = (work: string, side: string) => join(work, `${side}.zip`);
const manifestOf = (work: string, side: string) => join(work, `${side}.manifest`);
const readManifest = (work: string, side: string) => decodeManifest(readFileSync(manifestOf(work, side)));

type Step = (paths: Paths) => Promise<Record<string, number>> | Record<string, number>;

const STEPS: Readonly<Record<string, Step>> = {
  async zip({ work, ...folders }) {
    const sizes: number[] = [];
    for (const side of ['old', 'new'] as const) {
      const { manifest } = await zipInBlocks(folders[side], zipOf(work, side), { origin: side });
      writeFileSync(manifestOf(work, side), encodeManifest(manifest));
      sizes.push(manifest.zip.size);
    }
    return { zip: sizes[1]! };
  },

  /** Updates with blocks from the zip. */
  blocks(paths) {
    const { work } = paths;
    const [old, next] = [readManifest(work, 'old'), readManifest(work, 'new')];
    const difference = encodeDifference(old, next, 'included');
    const before = performance.now();
    const trusted = hash('sha256', readFileSync(manifestOf(work, 'new')), 'buffer');
    const received = completeDraft(decodeDifference(old, difference), new Map(), trusted);
    const plan = planUpdate(old, received);
    const planned = performance.now();
    const target = join(work, 'by-blocks');
    keep(paths, next, plan.kept, target);
    const [zip, files] = [openSync(zipOf(work, 'new'), 'r'), new OpenFiles()];
    const read = (offset: number, length: number) => readAt(zip, offset, length);
    for (const { entry, pieces } of plan.files) {
      const file = received.entries[entry] as FileEntry;
      const path = join(target, file.path);
      files.create(path);
      const offsets = blockOffsets(received, file);
      for (const piece of pieces) {
        if (piece.kind === 'fetched') {
          const { blocks } = received;
          const packed = read(offsets[piece.block - file.firstBlock]!, blocks.packed[piece.block]!);
          const raw = file.method === 'stored' ? packed : unpackBlock(packed, piece.length);
          if (!hash('sha256', raw, 'buffer').subarray(0, BLOCK_HASH_BYTES).equals(blockHash(blocks, piece.block)))
            throw new Error(`${file.path}: a block has another hash`);
          files.append(path, raw);
        } else
          copy(
            files,
            join(piece.kind === 'old' ? paths.old : target, pathOf(piece.kind === 'old' ? old : next, piece.entry)),
            path,
            piece.offset,
            piece.length,
          );
      }
    }
    files.close();
    verify(target, next);
    const seconds = (performance.now() - planned) / 1000;
    const missing = plan.files.flatMap(({ pieces }) =>
      pieces.flatMap((piece) => (piece.kind === 'fetched' ? [next.blocks.packed[piece.block]!] : [])),
    );
    return {
      fetched: plan.fetchedBytes,
      missing: missing.reduce((sum, length) => sum + length, 0),
      ranges: plan.ranges.length,
      difference: difference.length,
      manifest: packManifest(encodeManifest(next)).length,
      planSeconds: (planned - before) / 1000,
      applySeconds: seconds,
    };
  },

  make({ work, ...folders }) {
    const [old, next] = [readManifest(work, 'old'), readManifest(work, 'new')];
    const files = new OpenFiles();
    const reader = (manifest: Manifest, folder: string) => (entry: number, offset: number, length: number) =>
      files.read(join(folder, pathOf(manifest, entry)), offset, length);
    const pieces: Buffer[] = [];
    const index = makePack(planPack(old, next), {
      readOld: reader(old, folders.old),
      readNew: reader(next, folders.new),
      write: (bytes) => pieces.push(bytes),
    });
    writeFileSync(join(work, 'pack'), Buffer.concat([index, ...pieces]));
    return { pack: statSync(join(work, 'pack')).size };
  },

  /** Updates with the pack. */
  apply(paths) {
    const { work } = paths;
    const old = readManifest(work, 'old');
    const trusted = hash('sha256', readFileSync(manifestOf(work, 'new')), 'buffer');
    const start = performance.now();
    const pack = openSync(join(work, 'pack'), 'r');
    const index = readPackIndex(readAt(pack, PACK_HEAD_BYTES, readPackHead(readAt(pack, 0, PACK_HEAD_BYTES))));
    const draft = decodeDifference(old, index.difference);
    const next = draft.manifest;
    const target = join(work, 'by-pack');
    const files = new OpenFiles();
    for (const entry of draft.missing) files.create(join(target, pathOf(next, entry)));
    const steps = applyPack(old, draft, index, {
      readPack: (offset, length) => readAt(pack, offset, length),
      readOld: (entry, offset, length) => files.read(join(paths.old, pathOf(old, entry)), offset, length),
      readNew: (entry, offset, length) => files.read(join(target, pathOf(next, entry)), offset, length),
      write: (entry, bytes) => files.append(join(target, pathOf(next, entry)), bytes),
    });
    for (const _ of steps);
    const computed = new Map([...draft.missing].map((entry) => [entry, hashesOf(files, target, next, entry)]));
    const received = completeDraft(draft, computed, trusted);
    const applied = performance.now();
    const plan = planUpdate(old, received);
    keep(paths, received, plan.kept, target);
    for (const { entry, pieces } of plan.files) {
      if (draft.missing.has(entry)) continue;
      // Renamed files, and empty ones.
      const path = join(target, pathOf(received, entry));
      files.create(path);
      for (const piece of pieces)
        if (piece.kind === 'old')
          copy(files, join(paths.old, pathOf(old, piece.entry)), path, piece.offset, piece.length);
    }
    files.close();
    verify(target, received);
    return { difference: index.difference.length, applySeconds: (applied - start) / 1000 };
  },
};

function pathOf(manifest: Manifest, entry: number): string {
  return manifest.entries[entry]!.path;
}

/** Reads into `target`, or into new memory. */
function readAt(file: number, offset: number, length: number, target = Buffer.allocUnsafeSlow(length)): Buffer {
  return target.subarray(0, readSync(file, target, 0, length, offset));
}

/** Files that are open for reading or writing, so that small parts don't open them each time. */
class OpenFiles {
  readonly #open = new Map<string, number>();
  #memory = Buffer.allocUnsafeSlow(1024);

  create(path: string): void {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'w'));
  }

  append(path: string, bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#handle(path, 'a+'), bytes, done);
  }

  /** The result changes with the next call. */
  read(path: string, offset: number, length: number): Buffer {
    if (this.#memory.length < length) this.#memory = Buffer.allocUnsafeSlow(length);
    return readAt(this.#handle(path, 'r'), offset, length, this.#memory);
  }

  close(): void {
    for (const file of this.#open.values()) closeSync(file);
    this.#open.clear();
  }

  #handle(path: string, flags: string): number {
    const key = `${flags} ${path}`;
    const open = this.#open.get(key);
    if (open !== undefined) return open;
    if (this.#open.size > 200) this.close();
    const file = openSync(path, flags);
    this.#open.set(key, file);
    return file;
  }
}

const PIECE_BYTES = 1024 * 1024;

function copy(files: OpenFiles, from: string, to: string, offset: number, length: number): void {
  for (let done = 0; done < length; done += PIECE_BYTES)
    files.append(to, files.read(from, offset + done, Math.min(PIECE_BYTES, length - done)));
}

/** Folders, links and files that stay as they are. */
function keep(paths: Paths, next: Manifest, kept: readonly number[], target: string): void {
  mkdirSync(target, { recursive: true });
  for (const entry of next.entries) {
    if (entry.type === 'folder') mkdirSync(join(target, entry.path), { recursive: true });
    if (entry.type !== 'link') continue;
    mkdirSync(dirname(join(target, entry.path)), { recursive: true });
    symlinkSync(entry.target, join(target, entry.path));
  }
  for (const index of kept) cpSync(join(paths.old, pathOf(next, index)), join(target, pathOf(next, index)));
}

function hashesOf(files: OpenFiles, target: string, manifest: Manifest, index: number): ContentHashes {
  const entry = manifest.entries[index] as FileEntry;
  const path = join(target, entry.path);
  const [whole, hashes] = [createHash('sha256'), [] as Buffer[]];
  let offset = 0;
  for (let block = entry.firstBlock; block < entry.firstBlock + entry.blocks; block += 1) {
    const length = manifest.blocks.lengths[block]!;
    const content = files.read(path, offset, length);
    whole.update(content);
    hashes.push(hash('sha256', content, 'buffer').subarray(0, BLOCK_HASH_BYTES));
    offset += length;
  }
  return { sha256: whole.digest(), blocks: Buffer.concat(hashes) };
}

/** Throws unless every entry of the manifest is in the folder as it says. */
function verify(folder: string, manifest: Manifest): void {
  const files = new OpenFiles();
  for (const entry of manifest.entries) {
    if (entry.type !== 'file') continue;
    if (statSync(join(folder, entry.path)).size !== entry.size) throw new Error(`${entry.path}: has another size`);
    const content = createHash('sha256');
    for (let at = 0; at < entry.size; at += PIECE_BYTES)
      content.update(files.read(join(folder, entry.path), at, Math.min(PIECE_BYTES, entry.size - at)));
    if (!content.digest().equals(entry.sha256)) throw new Error(`${entry.path}: differs`);
  }
  files.close();
}

/** Runs a step and prints its figures as JSON. */
export async function runStep(name: string, paths: Paths): Promise<void> {
  const start = performance.now();
  const figures = await STEPS[name]!(paths);
  const seconds = (performance.now() - start) / 1000;
  const megabytes = (process.resourceUsage().maxRSS * 1024) / 1e6;
  process.stdout.write(JSON.stringify({ ...figures, seconds, megabytes }));
}
