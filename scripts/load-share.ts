// Loads a share of the test files into one process, so that they start Node and load the service's modules once between them.
import { glob, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

type Share = { readonly share: number; readonly of: number };

const ROOT = join(import.meta.dirname, '..');

/**
 * Runs the files of share number `share`, from 1, one after another. Each is a suite of its own: its hooks run around its own tests only, and a file
 * that cannot be loaded or set up fails alone.
 */
export async function loadShare(patterns: readonly string[], share: Share): Promise<void> {
  const paths = await Array.fromAsync(glob(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] }));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(ROOT, path))).size));
  for (const path of pickShare(new Map(paths.map((path, index) => [path, sizes[index] ?? 0])), share)) {
    await describe(path, async () => {
      await import(pathToFileURL(join(ROOT, path)).href);
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
