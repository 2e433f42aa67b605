// The thread of `resolve.ts`: leads frames to their sources. It keeps the scripts and mappings that it has read, because
// the reports of one cause come together.
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { MappingError } from '@chauffeur/sentry/mappings/error';
import { Il2cppLines } from '@chauffeur/sentry/mappings/il2cpp';
import { ProguardMapping } from '@chauffeur/sentry/mappings/proguard';
import { MappedScript } from '@chauffeur/sentry/mappings/script-frames';
import { openBlobStore } from '../../../kernel/blobs/open.ts';
import { BlobMissingError, type BlobStore } from '../../../kernel/blobs/store.ts';
import { serveTasks } from '../../../kernel/threads/thread-pool.ts';
import type { FilesOfScript, ResolveInput, ResolveOutput } from './resolve.ts';

let store: BlobStore | undefined;

serveTasks<ResolveInput, ResolveOutput, never, never>(async (input) => {
  // All tasks of a thread come from one server, and so use the same store.
  store ??= openBlobStore(input.blobSettings);
  const blobs = store;
  if (input.task === 'java') {
    const mapping = await keep(blobs, [input.mapping], ([text]) => new ProguardMapping(text!));
    if (mapping === null) return { task: 'java', stacks: null };
    const stacks = input.stacks.map(({ thrown, frames }) => ({
      thrown: mapping.classOf(thrown),
      frames: mapping.resolve(frames, thrown),
    }));
    return { task: 'java', stacks };
  }
  if (input.task === 'lines') {
    const lines = await keep(blobs, [input.mapping], ([text]) => new Il2cppLines(text!));
    return { task: 'lines', places: input.places.map(({ file, line }) => lines?.placeAt(file, line) ?? null) };
  }
  const scripts = await readScripts(blobs, input.files);
  const stacks = input.stacks.map((frames) =>
    frames.map((frame, index) => {
      const script = frame === null ? null : (scripts[frame.script] ?? null);
      if (frame === null || script === null) return null;
      const caller = frames[index + 1] ?? null;
      const callingScript = caller === null ? null : (scripts[caller.script] ?? null);
      const calling = caller === null || callingScript === null ? null : { script: callingScript, frame: caller };
      return script.resolve(frame, calling);
    }),
  );
  return { task: 'scripts', stacks };
});

async function readScripts(blobs: BlobStore, files: readonly FilesOfScript[]): Promise<(MappedScript | null)[]> {
  const scripts: (MappedScript | null)[] = [];
  // One after the other, because each takes memory.
  for (const { map, script } of files)
    scripts.push(await keep(blobs, [map, script], ([mapText, text]) => new MappedScript(mapText!, text!)));
  return scripts;
}

type Kept = { readonly value: unknown; readonly size: number };
/** By the keys of its files, the most recently used last. */
const kept = new Map<string, Kept>();
/** Characters of the texts. What is read of them takes several times as much. */
const MAX_KEPT = 64 * 1024 * 1024;

/** What is read of the texts under these keys. Null if one is gone, or can't be used. */
async function keep<T>(
  blobs: BlobStore,
  keys: readonly (string | null)[],
  read: (texts: readonly (string | null)[]) => T,
): Promise<T | null> {
  const id = keys.join(' ');
  const known = kept.get(id);
  if (known !== undefined) {
    kept.delete(id);
    kept.set(id, known);
    return known.value as T;
  }
  try {
    const texts: (string | null)[] = [];
    for (const key of keys) texts.push(key === null ? null : await readText(blobs, key));
    const size = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    makeRoom(size);
    const value = read(texts);
    kept.set(id, { value, size });
    return value;
  } catch (error) {
    if (error instanceof MappingError || error instanceof BlobMissingError) return null;
    throw error;
  }
}

function makeRoom(size: number): void {
  let total = size + [...kept.values()].reduce((sum, each) => sum + each.size, 0);
  for (const [id, each] of kept) {
    if (total <= MAX_KEPT) return;
    kept.delete(id);
    total -= each.size;
  }
}

async function readText(blobs: BlobStore, key: string): Promise<string> {
  const gunzip = createGunzip();
  // Errors reach the reader of the output.
  pipeline(await blobs.read(key), gunzip).catch(() => undefined);
  return (await buffer(gunzip)).toString();
}
