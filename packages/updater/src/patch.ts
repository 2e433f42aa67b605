// Updates with a patch pack: downloads it, and makes the changed files from it and the old ones. The result is only used
// if the whole manifest is what the server signed; otherwise blocks of the zip replace what is wrong.
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { applyPack } from '@chauffeur/deltas/apply-pack';
import { DeltaError } from '@chauffeur/deltas/error';
import type { FileEntry, Manifest } from '@chauffeur/deltas/manifest';
import { type Draft, decodeDifference, encodeDraft } from '@chauffeur/deltas/manifest-difference-reader';
import {
  PACK_HEAD_BYTES,
  type PackIndex,
  packedBytes,
  readPackHead,
  readPackIndex,
} from '@chauffeur/deltas/pack-format';
import { canClone } from './clone.ts';
import type { Source } from './download.ts';
import { makeFolder } from './durable.ts';
import { Handles } from './handles.ts';
import { FilePieces, type MadeFile, MadeFiles } from './patch-files.ts';
import { AHEAD_BYTES, Room } from './room.ts';
import { checkSpace } from './space.ts';
import { Spool } from './spool.ts';
import { stagedName } from './staged-name.ts';
import type { InstallFolders } from './switch-over.ts';
import type { Transfer } from './transfer.ts';
import { UnfitError } from './zip-source.ts';

/** Few games compress to less than an eighth. */
const UNPACKED_RATIO = 8;

/** Why a pack can't be used. Blocks can. */
export class PatchProblem extends Error {
  override readonly name = 'PatchProblem';
}

export type PatchOptions = {
  readonly folders: InstallFolders;
  /** The installed version, and which of its entries are as they were installed. */
  readonly old: Manifest;
  readonly isUsable: (entry: number) => boolean;
  /** Identifies the pack. */
  readonly name: string;
  readonly url: string;
  readonly size: number;
  /** Bytes of the zip of the new version. */
  readonly zipSize: number;
  readonly transfer: Transfer;
  readonly signal: AbortSignal;
};

export type Patched = {
  /** The manifest of the new version. It can't be trusted before its signature was checked. */
  readonly encoded: Buffer;
  /** The files that were made, by their names in the staging folder. */
  readonly files: ReadonlyMap<string, MadeFile>;
  /** Removes the pack. */
  readonly remove: () => Promise<void>;
};

/**
 * Rejects with PatchProblem or DeltaError if the pack is of no use, with UpdaterError if it can't be downloaded, or with the
 * reason of `signal`. Files that were made stay in the staging folder; the right ones are used by an update with blocks.
 */
export async function updateByPatch(options: PatchOptions): Promise<Patched> {
  const handles = new Handles();
  const spool = await Spool.open(join(options.folders.state, options.name), options.size, handles);
  try {
    const { draft, index, room } = await fetchPack(spool, handles, options);
    const made = await makeFiles(spool.path, draft, index, room, options);
    const hashes = new Map(Array.from(made, ([entry, file]) => [entry, file.hashes]));
    const nameOf = (entry: number, { sha256 }: MadeFile) =>
      stagedName({ ...(draft.manifest.entries[entry] as FileEntry), sha256 });
    const files = new Map(Array.from(made, ([entry, file]) => [nameOf(entry, file), file]));
    return { encoded: encodeDraft(draft, hashes), files, remove: () => spool.remove() };
  } catch (error) {
    if (error instanceof DeltaError || error instanceof PatchProblem) await spool.remove();
    throw error;
  } finally {
    await handles.close();
  }
}

/** Downloads the front of the pack first, because it shows whether the rest can be used. */
async function fetchPack(
  spool: Spool,
  handles: Handles,
  options: PatchOptions,
): Promise<{ draft: Draft; index: PackIndex; room: Room }> {
  const { folders, old, size, transfer, signal } = options;
  const source = strict(transfer.sourceOf(options.url, size));
  await checkSpace(folders.state, size - spool.presentBytes);
  transfer.resumed(spool.presentBytes);
  transfer.plan(size - spool.presentBytes);
  const fetchUntil = async (end: number) => {
    const parts = spool.parts(0).filter(({ offset }) => offset < end);
    await transfer.fetch(source, size, parts, signal);
    await handles.close();
  };
  try {
    await fetchUntil(PACK_HEAD_BYTES);
    const indexBytes = readPackHead(readFrom(spool.path, 0, Math.min(size, PACK_HEAD_BYTES)));
    if (PACK_HEAD_BYTES + indexBytes > size) throw new DeltaError('The patch pack is shorter than its index.');
    await fetchUntil(PACK_HEAD_BYTES + indexBytes);
    const index = readPackIndex(readFrom(spool.path, PACK_HEAD_BYTES, indexBytes));
    const { offset, ...last } = index.segments.at(-1) ?? { offset: PACK_HEAD_BYTES + indexBytes, streams: null };
    if (offset + (last.streams === null ? 0 : packedBytes({ streams: last.streams })) !== size)
      throw new DeltaError('The patch pack has another length than its index says.');
    const draft = decodeDifference(old, index.difference);
    requireBases(draft, options);
    requirePlausible(draft, options);
    const room = await reserveRoom(draft, index, options);
    await fetchUntil(size);
    return { draft, index, room };
  } catch (error) {
    // The rest isn't downloaded.
    transfer.plan(-spool.parts(0).reduce((sum, { length }) => sum + length, 0));
    throw error;
  }
}

/** A pack changes files that are at the same path before and after. A file that the player changed can't be the base. */
function requireBases({ manifest, missing }: Draft, { old, isUsable }: PatchOptions): void {
  const before = new Map(old.entries.map(({ path }, index) => [path, index]));
  for (const entry of missing) {
    const index = before.get(manifest.entries[entry]!.path);
    if (index !== undefined && !isUsable(index)) throw new PatchProblem('The player changed a file.');
  }
}

/**
 * The sizes in a pack aren't signed, and a few bytes can copy a lot. What is signed are the installed version and the size of
 * the new zip.
 */
function requirePlausible({ manifest, missing }: Draft, { old, zipSize }: PatchOptions): void {
  const installed = sizeOf(old, old.entries.keys());
  if (sizeOf(manifest, missing) > 2 * installed + UNPACKED_RATIO * zipSize)
    throw new PatchProblem('The patch pack makes implausibly large files.');
}

function sizeOf({ entries }: Manifest, indices: Iterable<number>): number {
  return Array.from(indices, (index) => entries[index]!).reduce(
    (sum, entry) => sum + (entry.type === 'file' ? entry.size : 0),
    0,
  );
}

/** Rejects with UpdaterError unless the disk has room for what isn't a clone of an old file, as far as that is known. */
async function reserveRoom(
  { manifest, missing }: Draft,
  { segments }: PackIndex,
  options: PatchOptions,
): Promise<Room> {
  const { folders, old, isUsable } = options;
  const first = old.entries.findIndex(({ type }, index) => type === 'file' && isUsable(index));
  const path = first < 0 ? null : join(folders.game, old.entries[first]!.path);
  const total = sizeOf(manifest, missing);
  const changed = segments.reduce((sum, { streams }) => sum + streams.added.unpacked + streams.literals.unpacked, 0);
  const clones = path !== null && canClone(path, join(folders.state, 'clone'));
  const room = new Room(folders.state, total);
  await room.reserve(clones ? changed + AHEAD_BYTES : total);
  return room;
}

async function makeFiles(
  pack: string,
  draft: Draft,
  index: PackIndex,
  room: Room,
  options: PatchOptions,
): Promise<ReadonlyMap<number, MadeFile>> {
  const { folders, old, isUsable, transfer, signal } = options;
  await makeFolder(folders.staged);
  const placeOf = (entry: number) => join(folders.game, old.entries[entry]!.path);
  const before = new Map(old.entries.map(({ path, type }, index) => [path, type === 'file' ? index : -1]));
  const basisOf = (entry: number) => {
    const index = before.get(draft.manifest.entries[entry]!.path) ?? -1;
    return index >= 0 && isUsable(index) ? { entry: index, path: placeOf(index) } : null;
  };
  const [packPieces, pieces] = [new FilePieces(), new FilePieces()];
  const files = new MadeFiles(folders.staged, draft.manifest, basisOf, stagedName);
  const total = sizeOf(draft.manifest, draft.missing);
  try {
    const steps = applyPack(old, draft, index, {
      readPack: (offset, length) => packPieces.read(pack, offset, length),
      // What the player changed gives wrong content, which is found by its hash.
      readOld: (entry, offset, length) => pieces.read(isUsable(entry) ? placeOf(entry) : '', offset, length),
      readNew: (entry, offset, length) => pieces.read(files.pathOf(entry), offset, length),
      write: (entry, bytes, from) => files.write(entry, bytes, from),
    });
    for (const bytes of steps) {
      signal.throwIfAborted();
      transfer.patched(bytes, total);
      await room.ensure(files.writtenBytes);
      await pause();
    }
    return files.finish();
  } finally {
    files.close();
    pieces.close();
    packPieces.close();
  }
}

/** An answer that can't be right isn't asked for again, since there is another way to update. */
function strict(source: Source): Source {
  return {
    forget: () => source.forget(),
    open: (offset, length, signal) =>
      source.open(offset, length, signal).catch((error: unknown) => {
        throw error instanceof UnfitError ? new PatchProblem(error.message, { cause: error }) : error;
      }),
  };
}

function readFrom(path: string, offset: number, length: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length; ) {
      const count = readSync(file, bytes, done, length - done, offset + done);
      if (count === 0) break;
      done += count;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}
