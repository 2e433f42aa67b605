#!/usr/bin/env node
// The `chauffeur-server` command. The code is imported once Node keeps what it compiles, which takes a third off every later start.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Beside the installed packages, since nobody else can put code there as they can in a shared temporary folder. Where it cannot
// be written, every start compiles.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/chauffeur-server', import.meta.url)));

const { runProgram } = await import('./commands/program.ts');
await runProgram();
