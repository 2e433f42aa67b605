// `chauffeur self-update`: installs the version of the command that the server offers.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { foreignAnswerOf, NetworkError } from '@chauffeur/contract/client';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getCli } from '@chauffeur/contract/operations/cli';
import { VERSION } from '@chauffeur/contract/version';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { startProgress } from '../progress.ts';
import { isUnencrypted } from '../settings.ts';
import { type Act, type Action, withExample } from './command.ts';

export function selfUpdateCommand(command: Command, act: Act): Command {
  return withExample(command, 'self-update --url games.example.com').action(act(selfUpdate));
}

type Cli = OutputOf<typeof getCli>;
type File = Cli['files'][number];

/** Names of OSes as in the names of the programs. */
const OS_NAMES: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'macos', win32: 'windows' };

const selfUpdate: Action<object> = async (context) => {
  const { retryBriefly, signal, connectAsGuest } = context;
  const client = connectAsGuest();
  const cli = await retryBriefly(() => client.call(getCli, {}, { signal }));
  if (cli.version === VERSION) {
    return {
      data: { version: VERSION, updated: false },
      lines: [`chauffeur ${VERSION} is up to date.`],
    };
  }
  if (!isSea()) {
    throw new LocalError(
      `The server offers chauffeur ${cli.version}, and this is ${VERSION}, which was installed with npm.`,
      `Run: ${cli.install.npm}`,
    );
  }
  const file = fileFor(cli);
  if (isUnencrypted(file.url)) {
    throw new LocalError(
      `${new URL(file.url).origin} does not use https, so the program could be replaced in transit.`,
      'Ask the operator of the server to set up https.',
    );
  }
  await replace(process.execPath, file, context);
  return {
    data: { version: cli.version, updated: true },
    lines: [`Updated chauffeur from ${VERSION} to ${cli.version}.`],
  };
};

function fileFor({ files, install }: Cli): File {
  const platform = `${OS_NAMES[process.platform]}-${process.arch}`;
  const file = files.find((candidate) => candidate.platform === platform);
  if (file !== undefined) return file;
  throw new LocalError(`The server has no program for ${platform}.`, `With Node 22.15 or newer, run: ${install.npm}`);
}

/** Downloads next to the program, because a rename replaces it in one step only within a disk. */
async function replace(program: string, file: File, context: Context): Promise<void> {
  const folder = await mkdtemp(join(dirname(program), '.chauffeur-')).catch((cause: Error) => {
    throw new LocalError(`${dirname(program)} cannot be written.`, 'Run the command as the user who installed it.', {
      cause,
    });
  });
  try {
    const path = join(folder, 'chauffeur');
    await download(file, path, context);
    await chmod(path, 0o755);
    // Windows does not replace a running program, but renames it. The next update removes it.
    if (process.platform === 'win32') {
      await rm(`${program}.old`, { force: true });
      await rename(program, `${program}.old`);
    }
    await rename(path, program);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Rejects with NetworkError, and leaves an incomplete file, if the bytes do not have the file's checksum. */
async function download({ url, size, sha256 }: File, path: string, { output, env, signal }: Context): Promise<void> {
  const response = await fetch(url, { signal }).catch((cause: Error) => {
    throw new NetworkError(`${url}: ${cause.message}`, { cause });
  });
  const isPage = /html/i.test(response.headers.get('content-type') ?? '');
  if (!response.ok || response.body === null || isPage) throw await foreignAnswerOf(response);
  const progress = startProgress('downloading', output, env);
  const hash = createHash('sha256');
  let received = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      received += chunk.length;
      progress.update(received, size);
      done(null, chunk);
    },
  });
  try {
    await pipeline(response.body, measure, createGunzip(), createWriteStream(path), { signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new NetworkError(`${url}: the download is damaged`, { cause });
  } finally {
    progress.finish();
  }
  if (hash.digest('hex') !== sha256) throw new NetworkError(`${url}: the download is damaged`);
}
