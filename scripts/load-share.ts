// Loads a share of the test files into one process, so that they start Node and load the service's modules once between them.
import { AsyncResource } from 'node:async_hooks';
import { glob, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

type Share = { readonly share: number; readonly of: number };

const ROOT = join(import.meta.dirname, '..');

/**
 * Runs the files of share number `share`, from 1, one after another. Each is a suite of its own: its hooks run around its own tests, and a file that
 * cannot be loaded or set up fails alone.
 */
export async function loadShare(patterns: readonly string[], share: Share): Promise<void> {
  const paths = await Array.fromAsync(glob(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] }));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(resolve(ROOT, path))).size));
  let loaded: Promise<unknown> = Promise.resolve();
  // All suites exist before the first ends: the runner takes the end of its only suite for the end of all tests. The files load one at a time, because a
  // module that two of them import belongs to the suite that is loading it; the binding keeps `describe` and its kin in the suite of their file.
  for (const path of pickShare(new Map(paths.map((path, index) => [path, sizes[index] ?? 0])), share)) {
    describe(path, async () => {
      const load = AsyncResource.bind(() => import(pathToFileURL(resolve(ROOT, path)).href));
      loaded = loaded.then(load, load);
      await loaded;
    });
  }
}

/** Every file is in exactly one share. The large files are dealt out first, back and forth, which keeps the shares even. */
export function pickShare(sizes: ReadonlyMap<string, number>, { share, of }: Share): string[] {
  const bySize = [...sizes].sort(([a, sizeOfA], [b, sizeOfB]) => sizeOfB - sizeOfA || (a < b ? -1 : 1));
  return bySize.flatMap(([path], index) => {
    const place = index % of;
    const owner = Math.floor(index / of) % 2 === 0 ? place + 1 : of - place;
    return owner === share ? [path] : [];
  });
}
