// Builds the `chauffeur` command as a separate program for each platform: Node and the bundle in one file. All of them
// are built on one machine; Node writes foreign formats too.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { run } from './run.ts';
import { signMachO } from './sign-mach-o.ts';

const IDENTIFIER = 'chauffeur';
const compress = promisify(gzip);

/** Returns the program that runs `bundle` on the platform of `executable`, a Node. */
export async function buildProgram(platform: string, executable: string, bundle: string): Promise<Buffer> {
  const work = await mkdtemp(join(tmpdir(), 'chauffeur-release-'));
  try {
    const output = join(work, 'program');
    const settings = {
      main: bundle,
      output,
      executable,
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
    return platform.startsWith('macos') ? signMachO(program, IDENTIFIER) : program;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Compresses a program. gzip writes neither a name nor a time, so the same program gives the same bytes. */
export function packProgram(program: Buffer, level = 9): Promise<Buffer> {
  return compress(program, { level });
}

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'linux',
  darwin: 'macos',
  win32: 'windows',
};

/**
 * The platform of programs made of the Node that runs this; null if it can't be a program: the option for it is as new
 * as Node 25.5, and a Node that is split into libraries works only where these are.
 */
export function ownPlatform(): string | null {
  const { platform, arch, versions, config } = process;
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  const isWhole = !(config.variables as { node_shared?: boolean }).node_shared;
  const system = SYSTEMS[platform];
  const canBuild = (major > 25 || (major === 25 && minor >= 5)) && isWhole && (arch === 'x64' || arch === 'arm64');
  return canBuild && system !== undefined ? `${system}-${arch}` : null;
}
