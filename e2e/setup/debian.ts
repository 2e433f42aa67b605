// A separate Debian 12 below a folder, with nothing of this checkout or of the machine but its network.
import { access, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../scripts/release/run.ts';
import { launch, makeFolder, type Result } from './processes.ts';

export const NO_DEBIAN = 'skipped: debootstrap not found, or not started as root';

const RELEASE = 'bookworm';
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'chauffeur-ci', `debian-${RELEASE}.tar`);
/** A file in the Debian with the certificate authorities that the machine adds for Node, if it does. */
const AUTHORITIES = '/root/added-authorities.pem';

export type Debian = {
  /** The folder that is `/` inside. */
  readonly root: string;
  /** Runs a script of sh as root inside. Rejects with its output if it fails. */
  sh(script: string): Promise<string>;
  remove(): Promise<void>;
};

/** Sets up a Debian; undefined if this machine can't. In CI it must. */
export async function setUpDebian(): Promise<Debian | undefined> {
  const isAble =
    process.getuid?.() === 0 && (await run('sh', ['-c', 'command -v debootstrap'], '/').catch(() => '')) !== '';
  if (!isAble) {
    if (process.env.CI === 'true') throw new Error(NO_DEBIAN);
    return undefined;
  }
  const work = await makeFolder();
  const root = join(work.path, 'debian');
  await mkdir(root);
  await unpackBase(root);
  await takeSettings(root);
  // The dynamic linker finds the libraries next to a program through it.
  await run('mount', ['-t', 'proc', 'proc', join(root, 'proc')], '/');
  return {
    root,
    async sh(script) {
      const result = await enter(root, script);
      if (result.code !== 0) throw new Error(`exited with ${result.code}:\n${result.stdout}\n${result.stderr}`);
      return result.stdout;
    },
    async remove() {
      await run('umount', [join(root, 'proc')], '/');
      await work.remove();
    },
  };
}

/** Kept for later runs, because it takes a minute. */
async function unpackBase(root: string): Promise<void> {
  if (
    await access(CACHE).then(
      () => false,
      () => true,
    )
  ) {
    const work = await makeFolder();
    try {
      const base = join(work.path, 'base');
      await run('debootstrap', ['--variant=minbase', RELEASE, base], '/');
      await mkdir(join(CACHE, '..'), { recursive: true });
      await run('tar', ['-C', base, '-cf', `${CACHE}.new`, '.'], '/');
      await run('mv', [`${CACHE}.new`, CACHE], '/');
    } finally {
      await work.remove();
    }
  }
  await run('tar', ['-C', root, '-xf', CACHE], '/');
}

/** How this machine reaches the package registries. */
async function takeSettings(root: string): Promise<void> {
  await copyFile('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  await copyFile('/etc/hosts', join(root, 'etc/hosts'));
  const added = process.env.NODE_EXTRA_CA_CERTS;
  if (added !== undefined) await copyFile(added, join(root, AUTHORITIES));
  const npm = await readFile(join(homedir(), '.npmrc'), 'utf8').catch(() => '');
  await writeFile(join(root, 'root/.npmrc'), npm.replace(/^nodedir=.*$/m, ''));
}

function enter(root: string, script: string): Promise<Result> {
  const environment = [
    'HOME=/root',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'LC_ALL=C.UTF-8',
  ];
  if (process.env.NODE_EXTRA_CA_CERTS !== undefined) environment.push(`NODE_EXTRA_CA_CERTS=${AUTHORITIES}`);
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy']) {
    if (process.env[name] !== undefined) environment.push(`${name}=${process.env[name]}`);
  }
  const args = [root, 'env', '-i', ...environment, 'sh', '-euc', script];
  return launch('chroot', args, { environment: {} }).ended;
}

/** Reads a block of commands of the documentation: the first after the text. */
export async function readCommands(page: string, after: string): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../docs', page), 'utf8');
  const place = text.indexOf(after);
  const block = place < 0 ? undefined : /```sh\n([\s\S]*?)\n *```/.exec(text.slice(place))?.[1];
  if (block === undefined) throw new Error(`docs/${page} has no commands after “${after}”`);
  return block;
}
