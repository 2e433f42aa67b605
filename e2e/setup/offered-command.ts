// Offers the command of this checkout where a server would offer programs for each platform.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { VERSION } from '@chauffeur/contract/version';

const COMMAND = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
const PLATFORMS = ['linux-x64', 'linux-arm64', 'macos-arm64', 'macos-x64'];

/** Creates the folder, for CHAUFFEUR_CLI_FOLDER. Its programs are scripts that run the sources. */
export async function handOutSources(folder: string): Promise<void> {
  await mkdir(folder);
  const bytes = gzipSync(`#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = PLATFORMS.map((platform) => {
    return { platform, name: `chauffeur-${platform}.gz`, size: bytes.length, sha256 };
  });
  for (const { name } of files) await writeFile(join(folder, name), bytes);
  await writeFile(join(folder, 'command.json'), JSON.stringify({ version: VERSION, files }));
}
