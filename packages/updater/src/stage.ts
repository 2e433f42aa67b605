// Builds the new files in the staging folder, from the old ones and from what is downloaded. Nothing counts before its
// hash is right, and what is right is used again after an interruption.
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, type FileHandle, link, open, readdir, rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateWhole, unpackBlock } from '@chauffeur/deltas/blocks';
import { DeltaError } from '@chauffeur/deltas/error';
import type { FileEntry, Manifest } from '@chauffeur/deltas/manifest';
import { free } from '@chauffeur/deltas/memory';
import { blockOffsets, type FilePlan, type Piece } from '@chauffeur/deltas/plan';
import type { Changes } from './changes.ts';
import { canClone, clone } from './clone.ts';
import { CHUNK_BYTES, hashFile, isBlock, readExactly, writeAll } from './content.ts';
import { type Part, WrongBytesError } from './download.ts';
import { makeFolder, syncFile } from './durable.ts';
import { Handles } from './handles.ts';
import { inParallel } from './in-parallel.ts';
import { statOf } from './inside.ts';
import { checkSpace } from './space.ts';
import { Spool } from './spool.ts';
import { stagedName } from './staged-name.ts';
import type { InstallFolders } from './switch-over.ts';
import { untrusted } from './trust.ts';

/** A file of the new version that is complete in the staging folder. */
export type StagedFile = { readonly entry: FileEntry; readonly name: string; readonly stats: Stats };

export type StageOptions = {
  readonly folders: InstallFolders;
  readonly changes: Changes;
  /** Files in the staging folder that a patch made and whose hashes were checked, by their names. */
  readonly made: ReadonlyMap<string, { readonly stats: Stats }>;
  /** Downloads these parts of the zip. */
  readonly fetchParts: (parts: readonly Part[]) => Promise<void>;
  readonly signal: AbortSignal;
  /** Bytes of the zip that are to be downloaded, and bytes of new files that are complete. */
  readonly onPlanned: (downloadBytes: number) => void;
  readonly onBuilt: (bytes: number) => void;
  /** Bytes that an earlier attempt had downloaded. */
  readonly onResumed: (bytes: number) => void;
};

const PARALLEL = 4;
const SYNC_PARALLEL = 16;
/** Files that are deflated as one stream are unpacked in memory up to this size. */
const SMALL_BYTES = 8 * 1024 * 1024;
const PART = '.part';
/** What `blocks` of a file's state counts. */
const BLOCK_BYTES = 512;

/** One new file: its plan, and what is known of it. */
type Work = {
  readonly plan: FilePlan;
  readonly entry: FileEntry;
  readonly name: string;
  /** Where the complete file is, and where it is until then. */
  readonly path: string;
  readonly part: string;
  isDone: boolean;
  /** The old entry that the unfinished file began as a clone of. */
  basis: number | null;
  /** Whether its content was written by a download as a whole. */
  isWritten: boolean;
  spool: Spool | null;
};

/** Rejects with UpdaterError, or with the reason of `signal`. */
export async function stage(options: StageOptions): Promise<StagedFile[]> {
  const handles = new Handles();
  try {
    return await new Stager(options, handles).run();
  } finally {
    await handles.close();
  }
}

class Stager {
  readonly #options: StageOptions;
  readonly #handles: Handles;
  readonly #works: Work[];
  /** The files by their entries in the new version. */
  readonly #byEntry: ReadonlyMap<number, Work>;
  /** Old files whose place is taken or removed, so that they can be moved instead of copied. */
  readonly #leaving: Set<string>;

  constructor(options: StageOptions, handles: Handles) {
    this.#options = options;
    this.#handles = handles;
    const { plan, wanted, removed } = options.changes;
    const { staged } = options.folders;
    this.#works = plan.files.map((file) => {
      const entry = wanted.entries[file.entry] as FileEntry;
      const name = stagedName(entry);
      const path = join(staged, name);
      return {
        plan: file,
        entry,
        name,
        path,
        part: path + PART,
        isDone: false,
        basis: null,
        isWritten: false,
        spool: null,
      };
    });
    this.#byEntry = new Map(this.#works.map((work) => [work.plan.entry, work]));
    this.#leaving = new Set([...removed.map(({ path }) => path), ...this.#works.map(({ entry }) => entry.path)]);
  }

  async run(): Promise<StagedFile[]> {
    const { folders, signal, onPlanned } = this.#options;
    await makeFolder(folders.staged);
    await this.#clear();
    await inParallel(this.#works, PARALLEL, (work) => this.#resume(work), signal);
    const open = this.#works.filter(({ isDone }) => !isDone);
    const parts: Part[] = [];
    for (const work of open) parts.push(...(await this.#partsOf(work)));
    const downloadBytes = parts.reduce((sum, { length }) => sum + length, 0);
    await checkSpace(folders.staged, await this.#neededBytes(open));
    onPlanned(downloadBytes);
    await this.#options.fetchParts(parts);
    // Small files are complete when they arrive; the others are put together now.
    await this.#unpackSpools(open);
    await inParallel(open, PARALLEL, (work) => this.#build(work), signal);
    await this.#correct(open.filter(({ isDone }) => !isDone));
    await this.#handles.close();
    await inParallel(this.#works, SYNC_PARALLEL, ({ path }) => syncFile(path), signal);
    return Promise.all(
      this.#works.map(async ({ entry, name, path }) => ({ entry, name, stats: (await statOf(path))! })),
    );
  }

  /** Removes what an attempt to install something else left. */
  async #clear(): Promise<void> {
    const { staged } = this.#options.folders;
    const wanted = new Set(this.#works.flatMap(({ name }) => [name, name + PART, ...Spool.namesOf(name)]));
    for (const name of await readdir(staged))
      if (!wanted.has(name)) await rm(join(staged, name), { recursive: true, force: true });
  }

  /** Finds a file that an earlier attempt completed. */
  async #resume(work: Work): Promise<void> {
    const stats = await statOf(work.path);
    if (stats === null) return;
    const { sha256, size } = work.entry;
    const made = this.#options.made.get(work.name)?.stats;
    if (made !== undefined && made.mtimeMs === stats.mtimeMs && made.size === stats.size && made.ino === stats.ino) {
      // Counted when it was made.
      work.isDone = true;
      return;
    }
    if (stats.isFile() && stats.size === size && (await hashFile(work.path, this.#options.signal))?.equals(sha256)) {
      this.#finish(work);
      this.#options.onResumed(0);
      return;
    }
    await rm(work.path, { recursive: true, force: true });
  }

  #finish(work: Work): void {
    work.isDone = true;
    this.#options.onBuilt(work.entry.size);
  }

  /** What has to be downloaded for a file. Blocks that are in place from an earlier attempt are left out. */
  async #partsOf(work: Work, blocks: readonly number[] = fetchedBlocks(work.plan)): Promise<Part[]> {
    const { entry, part } = work;
    if (blocks.length === 0) return [];
    if (entry.method === 'whole') return this.#partsOfWhole(work);
    const { blocks: table } = this.#options.changes.wanted;
    const offsets = blockOffsets(this.#options.changes.wanted, entry);
    if (isOneBlock(work)) return [this.#partOfBlock(work, blocks[0]!, { offset: offsets[0]!, place: 0 })];
    const places = placesOf(this.#options.changes.wanted, entry);
    await this.#copyDamaged(work);
    const missing = await this.#missingBlocks(work, blocks, places);
    const present = blocks.filter((block) => !missing.has(block));
    this.#options.onResumed(present.reduce((sum, block) => sum + table.packed[block]!, 0));
    if (missing.size > 0 && (await statOf(part)) === null) await this.#create(work);
    return Array.from(missing, (block) => {
      const index = block - entry.firstBlock;
      return this.#partOfBlock(work, block, { offset: offsets[index]!, place: places[index]! });
    });
  }

  /** A file that `repair` replaces may have most of its blocks. */
  async #copyDamaged({ entry, part }: Work): Promise<void> {
    const { changes, folders } = this.#options;
    if (!changes.replaced.includes(entry.path) || (await statOf(part)) !== null) return;
    const stats = await statOf(join(folders.game, entry.path));
    if (stats?.isFile() !== true || stats.size > 2 * entry.size) return;
    await copyFile(join(folders.game, entry.path), part, constants.COPYFILE_FICLONE);
    await chmod(part, 0o644);
  }

  /** Which of the blocks aren't in the unfinished file. */
  async #missingBlocks(work: Work, blocks: readonly number[], places: readonly number[]): Promise<Set<number>> {
    const { entry, part } = work;
    const stats = await statOf(part);
    if (stats === null || !stats.isFile()) {
      await rm(part, { recursive: true, force: true });
      return new Set(blocks);
    }
    if (stats.size !== entry.size) await truncate(part, entry.size);
    const { blocks: table } = this.#options.changes.wanted;
    const missing = new Set<number>();
    const buffer = Buffer.allocUnsafe(blocks.reduce((most, block) => Math.max(most, table.lengths[block]!), 0));
    await using handle = await open(part, 'r');
    for (const block of blocks) {
      this.#options.signal.throwIfAborted();
      const bytes = buffer.subarray(0, table.lengths[block]!);
      const isThere = await readExactly(handle, bytes, bytes.length, places[block - entry.firstBlock]!);
      if (!isThere || !isBlock(table, block, bytes)) missing.add(block);
    }
    return missing;
  }

  /** `offset` is where the block is in the zip, and `place` where it is in the file. */
  #partOfBlock(work: Work, block: number, { offset, place }: { offset: number; place: number }): Part {
    const { wanted } = this.#options.changes;
    const { entry, part, path } = work;
    const { lengths, packed } = wanted.blocks;
    return {
      offset,
      length: packed[block]!,
      use: async (bytes) => {
        const raw = entry.method === 'stored' ? bytes : unpack(bytes, lengths[block]!);
        if (!isBlock(wanted.blocks, block, raw)) throw new WrongBytesError();
        if (isOneBlock(work)) {
          if (!createHash('sha256').update(raw).digest().equals(entry.sha256)) throw new WrongBytesError();
          await writeWhole(part, raw);
          await rename(part, path);
          this.#finish(work);
        } else await this.#handles.use(part, (handle) => writeAll(handle, raw, place));
        if (raw !== bytes) free(raw);
      },
    };
  }

  /** A file that is one deflate stream is downloaded as a whole. */
  async #partsOfWhole(work: Work): Promise<Part[]> {
    const { entry, part, path } = work;
    if (Math.max(entry.size, entry.packed) > SMALL_BYTES) {
      work.spool = await Spool.open(path, entry.packed, this.#handles);
      this.#options.onResumed(work.spool.presentBytes);
      return work.spool.parts(entry.offset);
    }
    const use = async (bytes: Buffer): Promise<void> => {
      const raw = inflate(bytes, entry);
      if (!createHash('sha256').update(raw).digest().equals(entry.sha256)) throw new WrongBytesError();
      await writeWhole(part, raw);
      free(raw);
      await rename(part, path);
      this.#finish(work);
    };
    return [{ offset: entry.offset, length: entry.packed, use }];
  }

  async #unpackSpools(works: readonly Work[]): Promise<void> {
    await this.#handles.close();
    for (const work of works) {
      if (work.spool === null) continue;
      work.isWritten = await work.spool.unpackTo(work.part, work.entry.size, this.#options.signal);
    }
  }

  /** Puts a file together, and checks it. */
  async #build(work: Work): Promise<void> {
    if (work.isDone) return;
    const { entry, part, path, plan } = work;
    if (await this.#move(work)) return;
    if ((await statOf(part)) === null) await this.#create(work);
    const handle = await open(part, 'r+');
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, entry.size)));
    try {
      await handle.truncate(entry.size);
      const hash = createHash('sha256');
      let at = 0;
      for (const piece of work.isWritten ? [wholePiece(entry)] : mergeFetched(plan.pieces)) {
        for await (const bytes of this.#addPiece(work, { handle, piece, at, buffer })) hash.update(bytes);
        at += piece.length;
      }
      if (!hash.digest().equals(entry.sha256)) return;
    } finally {
      free(buffer);
      await handle.close();
    }
    await rename(part, path);
    await work.spool?.remove();
    this.#finish(work);
  }

  /**
   * A file that only has another path now is linked, if its old place goes: the switch then takes no time. Returns whether
   * that was so.
   */
  async #move(work: Work): Promise<boolean> {
    const { folders, changes, signal } = this.#options;
    const { entry, path, plan } = work;
    const [piece, ...others] = plan.pieces;
    if (work.isWritten || piece?.kind !== 'old' || others.length > 0 || piece.length !== entry.size) return false;
    const source = changes.old.entries[piece.entry]!.path;
    if (!this.#leaving.delete(source)) return false;
    try {
      await link(join(folders.game, source), path);
    } catch {
      // Not all file systems have hard links.
      return false;
    }
    if ((await hashFile(path, signal))?.equals(entry.sha256)) {
      this.#finish(work);
      return true;
    }
    await rm(path, { force: true });
    return false;
  }

  /** Creates the unfinished file, as a clone of the old one where the file system can do that. */
  async #create(work: Work): Promise<void> {
    const basis = this.#basisOf(work);
    if (basis !== null && clone(this.#oldPath(basis), work.part)) work.basis = basis;
    else await createSparse(work.part, work.entry.size);
  }

  #oldPath(entry: number): string {
    return join(this.#options.folders.game, this.#options.changes.old.entries[entry]!.path);
  }

  /** The old file that most of the new one is a copy of, at the same places. */
  #basisOf({ plan, isWritten }: Work): number | null {
    if (isWritten) return null;
    const counts = new Map<number, number>();
    let at = 0;
    for (const piece of plan.pieces) {
      if (piece.kind === 'old' && piece.offset === at)
        counts.set(piece.entry, (counts.get(piece.entry) ?? 0) + piece.length);
      at += piece.length;
    }
    const [best] = [...counts].sort(([, a], [, b]) => b - a);
    return best?.[0] ?? null;
  }

  /** Writes a piece of a file at `at`, unless it is there already, and yields its bytes. */
  async *#addPiece(
    work: Work,
    { handle: target, piece, at, buffer }: { handle: FileHandle; piece: Piece; at: number; buffer: Buffer },
  ): AsyncGenerator<Buffer, void> {
    const { signal } = this.#options;
    const source = await this.#sourceOf(work, target, piece, at);
    try {
      for (let done = 0; done < piece.length; done += buffer.length) {
        signal.throwIfAborted();
        const bytes = buffer.subarray(0, Math.min(buffer.length, piece.length - done));
        // A file that became shorter gives a wrong hash, and is corrected.
        const read = readExactly(source.handle, bytes, bytes.length, source.offset + done);
        if (!(await read.catch(() => false))) bytes.fill(0);
        if (source.handle !== target) await writeAll(target, bytes, at + done);
        yield bytes;
      }
    } finally {
      await source.close();
    }
  }

  async #sourceOf(
    work: Work,
    target: FileHandle,
    piece: Piece,
    at: number,
  ): Promise<{ handle: FileHandle; offset: number; close: () => Promise<void> }> {
    const close = async () => {};
    const isCloned = piece.kind === 'old' && piece.entry === work.basis && piece.offset === at;
    if (piece.kind === 'fetched' || isCloned) return { handle: target, offset: at, close };
    if (piece.kind === 'new' && piece.entry === work.plan.entry) {
      // Reading another place of the same file.
      const handle = await open(work.part, 'r');
      return { handle, offset: piece.offset, close: () => handle.close() };
    }
    const handle =
      piece.kind === 'old'
        ? await openOrNull(this.#oldPath(piece.entry))
        : await openFirst(this.#byEntry.get(piece.entry)!);
    if (handle === null) return { handle: target, offset: at, close };
    return { handle, offset: piece.offset, close: () => handle.close() };
  }

  /** Downloads what is wrong in files that were made from old ones: the disk may have changed some of their bytes. */
  async #correct(works: readonly Work[]): Promise<void> {
    if (works.length === 0) return;
    const parts: Part[] = [];
    for (const work of works) {
      await work.spool?.remove();
      work.isWritten = false;
      parts.push(...(await this.#partsOf(work, allBlocks(work.entry))));
    }
    this.#options.onPlanned(parts.reduce((sum, { length }) => sum + length, 0));
    await this.#options.fetchParts(parts);
    await this.#unpackSpools(works);
    for (const work of works) {
      if (work.isDone) continue;
      await this.#handles.close();
      const { entry, part, path } = work;
      if ((await hashFile(part, this.#options.signal))?.equals(entry.sha256) !== true)
        throw untrusted('A file of the update isn’t what the server signed.');
      await rename(part, path);
      await work.spool?.remove();
      this.#finish(work);
    }
  }

  /** What is written at most, without what is there already. */
  async #neededBytes(works: readonly Work[]): Promise<number> {
    let bytes = 0;
    let clones: boolean | undefined;
    for (const { entry, plan, part, spool, basis } of works) {
      if (spool !== null) bytes += entry.packed - spool.presentBytes;
      const [piece] = plan.pieces;
      const isMove = piece?.kind === 'old' && piece.length === entry.size;
      if (isMove && this.#leaving.has(this.#options.changes.old.entries[piece.entry]!.path)) continue;
      const stats = await statOf(part);
      const from = stats === null ? this.#basisOf(this.#byEntry.get(plan.entry)!) : basis;
      if (from !== null) clones ??= basis !== null || canClone(this.#oldPath(from), `${part}.clone`);
      const present = stats === null ? 0 : Math.min(entry.size, BLOCK_BYTES * (stats.blocks ?? 0));
      bytes += from !== null && clones === true ? copiedBytes(plan) : entry.size - present;
    }
    return bytes;
  }
}

function fetchedBlocks({ pieces }: FilePlan): number[] {
  return pieces.flatMap((piece) => (piece.kind === 'fetched' ? [piece.block] : []));
}

function allBlocks({ firstBlock, blocks }: FileEntry): number[] {
  return Array.from({ length: blocks }, (_, index) => firstBlock + index);
}

/** Whether the file consists of one block that is downloaded. */
function isOneBlock({ entry, plan }: Work): boolean {
  return (
    entry.blocks === 1 && entry.method !== 'whole' && plan.pieces.length === 1 && plan.pieces[0]!.kind === 'fetched'
  );
}

/** Where each block of a file is in it. */
function placesOf({ blocks }: Manifest, entry: FileEntry): number[] {
  let at = 0;
  return allBlocks(entry).map((block) => {
    at += blocks.lengths[block]!;
    return at - blocks.lengths[block]!;
  });
}

function wholePiece(entry: FileEntry): Piece {
  return { kind: 'fetched', block: entry.firstBlock, length: entry.size };
}

/** Downloaded blocks that follow each other are read as one piece. */
function mergeFetched(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (piece.kind === 'fetched' && last?.kind === 'fetched')
      merged[merged.length - 1] = { ...last, length: last.length + piece.length };
    else merged.push(piece);
  }
  return merged;
}

/** Bytes of a file that aren't where they were in the old one. */
function copiedBytes({ pieces }: FilePlan): number {
  let [at, bytes] = [0, 0];
  for (const piece of pieces) {
    if (piece.kind !== 'old' || piece.offset !== at) bytes += piece.length;
    at += piece.length;
  }
  return bytes;
}

function unpack(packed: Buffer, length: number): Buffer {
  try {
    return unpackBlock(packed, length);
  } catch (cause) {
    if (cause instanceof DeltaError) throw new WrongBytesError(cause.message, { cause });
    throw cause;
  }
}

function inflate(packed: Buffer, { size }: FileEntry): Buffer {
  try {
    return inflateWhole(packed, size);
  } catch (cause) {
    throw new WrongBytesError('A file is damaged.', { cause });
  }
}

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  await rm(path, { force: true });
  await using handle = await open(path, 'wx', 0o644);
  await writeAll(handle, bytes, 0);
}

async function createSparse(path: string, size: number): Promise<void> {
  await using handle = await open(path, 'wx', 0o644);
  await handle.truncate(size);
}

async function openOrNull(path: string): Promise<FileHandle | null> {
  return open(path, 'r').catch(() => null);
}

/** Another file of this version may be finished while it is read. */
async function openFirst({ part, path }: Work): Promise<FileHandle | null> {
  return (await openOrNull(part)) ?? (await openOrNull(path)) ?? openOrNull(part);
}
