// Loads test files into one process, so that they start Node and load the service's modules once between them.
import { AsyncResource } from 'node:async_hooks';
import { resolve } from 'node:path';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from './suites.ts';

/**
 * Runs the files one after another. Each is a separate suite: its hooks run around its own tests, and a file that
 * cannot be loaded or set up fails alone. The process may take `grace` milliseconds to end after the last test.
 */
export async function loadFiles(paths: readonly string[], grace = 10_000): Promise<void> {
  after(() => endWithin(grace));
  let loaded: Promise<unknown> = Promise.resolve();
  // All suites exist before the first ends: the runner takes the end of its only suite for the end of all tests. The
  // files load one at a time, because a module that two of them import belongs to the suite that is loading it; the
  // binding keeps `describe` and its kin in the suite of their file.
  for (const path of paths) {
    describe(path, async () => {
      const load = AsyncResource.bind(() => import(pathToFileURL(resolve(ROOT, path)).href));
      loaded = loaded.then(load, load);
      await loaded;
    });
  }
}

/** A test that fails before its last line leaves its servers open: the process would never end, and nor would the run. */
function endWithin(grace: number): void {
  const end = () => {
    process.stderr.write(`Left open by a test: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}\n`);
    process.exit(1);
  };
  setTimeout(end, grace).unref();
}
