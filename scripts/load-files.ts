// Loads test files into one process, so that they start Node and load the service's modules once between them.
import { AsyncResource } from 'node:async_hooks';
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from './suites.ts';

/**
 * Runs the files one after another. Each is a suite of its own: its hooks run around its own tests, and a file that
 * cannot be loaded or set up fails alone.
 */
export async function loadFiles(paths: readonly string[]): Promise<void> {
  let loaded: Promise<unknown> = Promise.resolve();
  // All suites exist before the first ends: the runner takes the end of its only suite for the end of all tests. The files load one at a time, because a
  // module that two of them import belongs to the suite that is loading it; the binding keeps `describe` and its kin in the suite of their file.
  for (const path of paths) {
    describe(path, async () => {
      const load = AsyncResource.bind(() => import(pathToFileURL(resolve(ROOT, path)).href));
      loaded = loaded.then(load, load);
      await loaded;
    });
  }
}
