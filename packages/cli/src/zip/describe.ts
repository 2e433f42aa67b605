// Describes the zip of a folder without writing it: what it has, and the blocks of its files. Reads each file once.
import { crc32 } from 'node:zlib';
import type { Platform } from '@chauffeur/contract/identity';
import { makeRecipe, type Recipe, type RecipeEntry } from '@chauffeur/deltas/bundle';
import { type ContentBlock, ContentBlocks } from '@chauffeur/deltas/content-blocks';
import { DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import type { Entry } from './entries.ts';
import { mapInOrder } from './in-order.ts';
import { permissionsOf } from './names.ts';
import { PARTS_AHEAD, partReader, partsOf, type ReadPart, readRange } from './parts.ts';
import { packPart } from './zip.ts';

export type Description = {
  readonly recipe: Recipe;
  /** The CRC-32 of each file that isn't empty. */
  readonly crcs: Uint32Array;
  /** Where the bytes of each block are. */
  readonly places: readonly BlockPlace[];
};

type RecipeFile = Extract<RecipeEntry, { type: 'file' }>;

/** Bytes of a file on disk, and its entry in the recipe. */
export type BlockPlace = {
  readonly source: Entry;
  readonly file: RecipeFile;
  readonly start: number;
  readonly length: number;
};

type Options = {
  readonly build: Pick<Platform, 'os' | 'arch'> & { readonly build_id: string; readonly version: string };
  readonly signal: AbortSignal;
  /** Called with the bytes of files read so far and in total. */
  readonly onProgress: (done: number, total: number) => void;
};

/** Rejects with LocalError if a file cannot be read, or has changed since it was listed. */
export async function describeZip(
  entries: readonly Entry[],
  { build, signal, onProgress }: Options,
): Promise<Description> {
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  const writer = new RecipeWriter();
  let done = 0;
  for await (const part of mapInOrder(partsOf(entries), PARTS_AHEAD, partReader(true))) {
    signal.throwIfAborted();
    writer.push(part);
    done += part.entry.kind === 'file' ? part.raw.length : 0;
    onProgress(done, total);
  }
  const { os, arch, version, build_id } = build;
  return writer.finish({ game: '', build: build_id, file: '', version, os, arch });
}

class RecipeWriter {
  readonly #entries: RecipeEntry[] = [];
  readonly #crcs: number[] = [];
  readonly #places: BlockPlace[] = [];
  readonly #blocks: ContentBlock[] = [];
  /** The file that is being read. */
  #content = new ContentBlocks(DEFAULT_SIZES.stored, 0);
  #crc = 0;
  #mode = 0;

  push(part: ReadPart): void {
    const { entry } = part;
    if (entry.kind === 'folder') this.#entries.push({ path: entry.path.slice(0, -1), type: 'folder', mode: 0o755 });
    else if (entry.kind === 'symlink') this.#entries.push({ path: entry.path, type: 'link', target: entry.target });
    else this.#pushFile(part);
  }

  #pushFile({ entry, raw, isFirst, isLast, isStored }: ReadPart): void {
    if (isFirst) {
      this.#content = new ContentBlocks(isStored ? DEFAULT_SIZES.stored : DEFAULT_SIZES.packed, entry.size);
      this.#crc = 0;
      this.#mode = permissionsOf(entry, raw);
    }
    this.#content.push(raw);
    this.#crc = crc32(raw, this.#crc);
    if (!isLast) return;
    const { sha256, blocks } = this.#content.finish();
    const file: RecipeFile = {
      ...{ path: entry.path, type: 'file', mode: this.#mode, size: entry.size, sha256 },
      ...{ method: isStored ? 'stored' : 'blocks', firstBlock: this.#blocks.length, blocks: blocks.length },
    };
    this.#entries.push(file);
    if (entry.size > 0) this.#crcs.push(this.#crc);
    let start = 0;
    for (const block of blocks) {
      this.#blocks.push(block);
      this.#places.push({ source: entry, file, start, length: block.length });
      start += block.length;
    }
  }

  finish(origin: Recipe['origin']): Description {
    const blocks = {
      count: this.#blocks.length,
      hashes: Buffer.concat(this.#blocks.map(({ hash }) => hash)),
      lengths: Uint32Array.from(this.#blocks, ({ length }) => length),
    };
    const recipe = makeRecipe({ origin, sizes: DEFAULT_SIZES, entries: this.#entries, blocks });
    return { recipe, crcs: Uint32Array.from(this.#crcs), places: this.#places };
  }
}

/** The bytes of a block, and their form in the zip. Rejects with LocalError if the file has changed since it was listed. */
export async function packBlockAt({
  source,
  file,
  start,
  length,
}: BlockPlace): Promise<{ raw: Buffer; packed: Buffer }> {
  const raw = await readRange(source, start, start + length);
  if (file.method === 'stored') return { raw, packed: raw };
  const isOnly = length === file.size;
  return { raw, packed: await packPart({ raw, isFirst: isOnly, isLast: isOnly }) };
}
