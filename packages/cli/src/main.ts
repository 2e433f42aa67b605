#!/usr/bin/env node
// The `chauffeur` command.
import { enableCompileCache } from 'node:module';

// A reader such as `head` closes the pipe early. The command still ends what it does, such as an upload.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

enableCompileCache(); // Starts every call after the first in less than half the time.
import('./program.ts')
  .then(({ run }) => run(process.argv.slice(2)))
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
