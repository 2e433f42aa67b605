#!/usr/bin/env node
// Starts the command `chauffeur-dump-syms`.
import { once } from 'node:events';
import { runCommand } from './command.ts';

// A reader such as `head` has enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));

const { exitCode, stderr } = await runCommand(process.argv.slice(2), async (text) => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
});
process.stderr.write(stderr);
process.exitCode = exitCode;
