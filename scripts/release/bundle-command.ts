// Bundles the `chauffeur` command with everything it needs into a single file that Node 22.15 and newer can run.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Plugin, rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = join(ROOT, 'packages/cli/src/main.ts');
const THREAD = join(ROOT, 'packages/cli/src/symbols/convert.thread.ts');
/** Modules that read other files, and are replaced with ones that contain these. */
const START_THREAD = join(ROOT, 'packages/cli/src/symbols/start-thread.ts');
const DEMANGLER = join(ROOT, 'packages/debug-symbols/src/demangler-module.ts');
const START_PARTS = join(ROOT, 'packages/debug-symbols/src/threads/start-thread.ts');
/** The threads that help with a large file run the same code, which has the modules of both. */
const PARTS = join(ROOT, 'packages/debug-symbols/src/threads/parts.thread.ts');
const BOTH_THREADS = '\0threads';
const SETTINGS = { platform: 'node', transform: { target: 'node22' } } as const;
const OUTPUT = { format: 'cjs', codeSplitting: false, minify: true } as const;

type Chunk = { readonly type: string; readonly moduleIds?: string[]; readonly code?: string };

/**
 * Writes the bundle to `file` and returns the paths of the modules in it. It is a CommonJS module, as the single
 * executables need. The code of a command runs only when it is called. The code of its threads is a text in it.
 */
export async function bundleCommand(file: string): Promise<string[]> {
  const thread = await bundleThread();
  const plugins = [replaceModule(START_THREAD, startThreadOf(thread.code))];
  const bundle = await rolldown({ ...SETTINGS, input: ENTRY, plugins });
  try {
    const { output } = await bundle.write({ ...OUTPUT, file });
    return [...modulesOf(output), ...thread.modules];
  } finally {
    await bundle.close();
  }
}

async function bundleThread(): Promise<{ code: string; modules: string[] }> {
  const plugins = [
    bothThreads,
    replaceModule(START_PARTS, START_PARTS_CODE),
    replaceModule(DEMANGLER, await demanglerModule()),
  ];
  const bundle = await rolldown({ ...SETTINGS, input: BOTH_THREADS, plugins });
  try {
    const { output } = await bundle.generate(OUTPUT);
    return { code: output[0].code, modules: modulesOf(output) };
  } finally {
    await bundle.close();
  }
}

function modulesOf(output: readonly Chunk[]): string[] {
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

function replaceModule(path: string, code: string): Plugin {
  return { name: 'replace-module', load: (id) => (id === path ? { code, moduleType: 'js' } : null) };
}

function startThreadOf(code: string): string {
  return `import { Worker } from 'node:worker_threads';
export function startThread() {
  const code = ${JSON.stringify(code)};
  return new Worker(code, { eval: true, workerData: { code } });
}
`;
}

/** Starts the thread that helps with the code of the thread that starts it. */
const START_PARTS_CODE = `import { Worker, workerData } from 'node:worker_threads';
export function startThread(parts) {
  const { code } = workerData;
  return new Worker(code, { eval: true, workerData: { code, parts } });
}
`;

const bothThreads: Plugin = {
  name: 'both-threads',
  resolveId: (id) => (id === BOTH_THREADS ? id : null),
  load: (id) =>
    id !== BOTH_THREADS
      ? null
      : `import { workerData } from 'node:worker_threads';
if (workerData.parts === undefined) import(${JSON.stringify(THREAD)});
else import(${JSON.stringify(PARTS)});
`,
};

async function demanglerModule(): Promise<string> {
  const path = createRequire(DEMANGLER).resolve('gecko-profiler-demangle/index_bg.wasm');
  const packed = gzipSync(await readFile(path), { level: 9 }).toString('base64');
  return `import { gunzipSync } from 'node:zlib';
export function readDemangler() {
  return gunzipSync(Buffer.from('${packed}', 'base64'));
}
`;
}
