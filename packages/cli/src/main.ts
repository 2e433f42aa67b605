#!/usr/bin/env node
// The `chauffeur` command.
import { enableCompileCache } from 'node:module';

enableCompileCache(); // Starts every call after the first in less than half the time.
const { run } = await import('./program.ts');

process.exitCode = await run(process.argv.slice(2));
