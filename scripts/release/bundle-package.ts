// Bundles the command of a package, for a checkout. Parts that only some calls need are in separate files.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

/** The path of a file from the folder `bin`, its size, and the time of its last change. */
type Source = readonly [path: string, size: number, time: number];

/**
 * Writes the bundle to the folder `dist` of the package, which it replaces. `sources.json` says what the sources
 * were when they were read, so that the command notices when the bundle is out of date.
 */
export async function bundlePackage(packageFolder: string): Promise<void> {
  const sources = new Map<string, Source>();
  const addSource = async (path: string) => {
    const { size, mtimeMs } = await stat(path);
    sources.set(path, [relative(join(packageFolder, 'bin'), path), size, mtimeMs]);
  };
  // This runs before a file is read: if the file changes meanwhile, the bundle is out of date from the start.
  const recordSources: Plugin = { name: 'sources', load: { handler: addSource } };
  // What is in the bundle also depends on this file.
  await addSource(import.meta.filename);

  const folder = join(packageFolder, 'dist');
  // Next to it, so that it can be moved into place: no call finds half a bundle.
  const [work, former] = [`${folder}-${process.pid}`, `${folder}-${process.pid}-former`];
  try {
    await mkdir(work);
    const thread = join(packageFolder, 'src/threads/parts.thread.ts');
    const input = {
      command: join(packageFolder, 'src/command.ts'),
      ...(existsSync(thread) && { thread }),
    };
    await writeBundle(input, { folder: work, plugins: [recordSources, placeDemangler, placeThread] });
    await writeFile(join(work, 'sources.json'), JSON.stringify([...sources.values()]));
    await rename(folder, former).catch(() => undefined); // There may be none.
    await rename(work, folder);
  } finally {
    for (const path of [work, former]) await rm(path, { recursive: true, force: true });
  }
}

async function writeBundle(
  input: Record<string, string>,
  { folder, plugins }: { folder: string; plugins: Plugin[] },
): Promise<void> {
  const bundle = await rolldown({ input, platform: 'node', plugins, transform: { target: 'node24' } });
  try {
    // CommonJS starts faster than modules.
    await bundle.write({
      dir: folder,
      format: 'cjs',
      minify: true,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
    });
  } finally {
    await bundle.close();
  }
}

const START_THREAD = 'packages/debug-symbols/src/threads/start-thread.ts';

/** Starts the thread from its file in the bundle. */
const placeThread: Plugin = {
  name: 'thread',
  load(id) {
    if (!id.replaceAll('\\', '/').endsWith(START_THREAD)) return null;
    const code = `import { Worker } from 'node:worker_threads';
export const startThread = (parts) => new Worker(__dirname + '/thread.cjs', { workerData: { parts } });
`;
    return { code, moduleType: 'js' };
  },
};

const DEMANGLER = 'packages/debug-symbols/src/demangler-module.ts';

/** Puts the WebAssembly of the demangler next to the bundle, and reads it from there when a name needs it. */
const placeDemangler: Plugin = {
  name: 'demangler',
  async load(id) {
    if (!id.replaceAll('\\', '/').endsWith(DEMANGLER)) return null;
    const path = createRequire(id).resolve('gecko-profiler-demangle/index_bg.wasm');
    const fileName = basename(path);
    this.emitFile({ type: 'asset', fileName, source: await readFile(path) });
    const code = `import { readFileSync } from 'node:fs';
export const readDemangler = () => readFileSync(__dirname + '/${fileName}');
`;
    return { code, moduleType: 'js' };
  },
};
