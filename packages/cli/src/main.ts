#!/usr/bin/env node
// The `chauffeur` command.
import { enableCompileCache } from 'node:module';

enableCompileCache(); // Starts every call after the first in less than half the time.
import('./program.ts')
  .then(({ run }) => run(process.argv.slice(2)))
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
