// The `chauffeur` command that this server hands out: its files, and the scripts that install it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/cli';
import { findProblem } from '@chauffeur/contract/validate';
import type { Static } from 'typebox';
import type { Context } from '../../context.ts';
import { CLI_FOLDER } from '../../folders.ts';
import { handle } from '../../request/route.ts';
import { writePowerShellScript, writeShellScript } from './install-scripts.ts';

type Release = Static<typeof contract.CliRelease>;

/** The folder with `command.json` and the files that it lists, as written by `npm run release`. */
export function cliFolderOf({ config }: Context): string {
  return config.cliFolder ?? CLI_FOLDER;
}

/**
 * The files of the command; null if the folder has none, as before a checkout is built. They are read each time,
 * because in a checkout, one is added while the server runs. Throws an Error if `command.json` is invalid.
 */
export function readCliRelease(ctx: Context): Release | null {
  const path = join(cliFolderOf(ctx), 'command.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const release: unknown = JSON.parse(text);
  const problem = findProblem(contract.CliRelease, release);
  if (problem !== null) throw new Error(`${path}: ${problem}`);
  return release as Release;
}

export const getCli = handle(contract.getCli, readCli);

async function readCli(ctx: Context): Promise<OutputOf<typeof contract.getCli>> {
  const release = readCliRelease(ctx);
  if (release === null) throw errors.notFound('This server does not offer the chauffeur command.');
  const base = `${ctx.publicUrl}/cli`;
  return {
    version: release.version,
    install: {
      sh: `curl -fsSL ${base}/install.sh | sh`,
      powershell: `irm ${base}/install.ps1 | iex`,
      npm: `npm install -g ${base}/chauffeur.tgz`,
    },
    files: release.files.map((file) => ({ ...file, url: `${base}/${file.name}` })),
  };
}

/** The script that installs the command on Linux and macOS (`sh`), or on Windows. */
export async function writeInstallScript(ctx: Context, shell: 'sh' | 'powershell'): Promise<string> {
  const write = shell === 'sh' ? writeShellScript : writePowerShellScript;
  return write(await readCli(ctx), ctx.publicUrl);
}
