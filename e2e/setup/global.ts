// Runs once around the runs of many tests, such as `npm test`: does what the setup of single tests does, and also bundles
// the programs that tests start as processes. A program starts several times faster from its bundle, which is one module
// instead of hundreds.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { globalSetup as setUp, globalTeardown as tearDown } from '../../packages/server/test/setup/global.ts';
import { COMMAND_BUNDLE, SERVER_BUNDLE } from '../../packages/server/test/setup/programs.ts';
import { bundleCommand } from '../../scripts/release/bundle-command.ts';
import { bundleServer } from '../../scripts/release/bundle-server.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Next to `src`, because the server finds its migrations and the website relative to its code. */
const SERVER_FOLDER = join(ROOT, 'packages/server/dist');
const COMMAND = join(ROOT, 'node_modules/.cache/chauffeur.cjs');

export async function globalSetup(): Promise<void> {
  // Parts of an earlier bundle have other names.
  await rm(SERVER_FOLDER, { recursive: true, force: true });
  const results = await Promise.allSettled([setUp(), bundleServer(SERVER_FOLDER), bundleCommand(COMMAND)]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await tearDown();
    throw failed.reason;
  }
  process.env[SERVER_BUNDLE] = join(SERVER_FOLDER, 'main.js');
  process.env[COMMAND_BUNDLE] = COMMAND;
}

export const globalTeardown = tearDown;
