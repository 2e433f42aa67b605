#!/usr/bin/env node
// The `chauffeur-server` command. Node caches the compiled code on disk, which makes later starts a third faster; the
// code is imported after the cache is enabled.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Files that libraries write are private too.
process.umask(0o077);

// The cache is in the folder of the installed packages, because other users could plant code in a shared temporary
// folder. If the folder is not writable, every start compiles the code.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/chauffeur-server', import.meta.url)));

const { runProgram } = await import('./commands/program.ts');
await runProgram();
