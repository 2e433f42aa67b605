// Builds the `chauffeur` command as a program of its own for each platform: Node and the bundle in one file. All of them
// are built on one machine; Node writes foreign formats too.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { fetchNode, type NodeBinary } from './node-binaries.ts';
import { run } from './run.ts';
import { signMachO } from './sign-mach-o.ts';

const IDENTIFIER = 'chauffeur';
const compress = promisify(gzip);

/** Returns the program that runs `bundle` on the platform of `binary`. Node binaries are kept in `cache`. */
export async function buildProgram(binary: NodeBinary, bundle: string, cache: string): Promise<Buffer> {
  const work = await mkdtemp(join(tmpdir(), 'chauffeur-release-'));
  try {
    const output = join(work, 'program');
    const settings = {
      main: bundle,
      output,
      executable: await fetchNode(binary, cache),
      disableExperimentalSEAWarning: true,
      // NODE_OPTIONS and similar are for programs of Node, not for this one.
      execArgvExtension: 'none',
      // Both are tied to the platform that builds them.
      useCodeCache: false,
      useSnapshot: false,
    };
    const settingsFile = join(work, 'settings.json');
    await writeFile(settingsFile, JSON.stringify(settings));
    await run(process.execPath, ['--build-sea', settingsFile], work);
    const program = await readFile(output);
    return binary.platform.startsWith('macos') ? signMachO(program, IDENTIFIER) : program;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Compresses a program. gzip writes neither a name nor a time, so the same program gives the same bytes. */
export function packProgram(program: Buffer): Promise<Buffer> {
  return compress(program, { level: 9 });
}
