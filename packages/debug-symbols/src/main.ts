#!/usr/bin/env node
// Runs the command `chauffeur-dump-syms` from its sources.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// See bin/chauffeur-dump-syms.cjs for the folder.
enableCompileCache(join(import.meta.dirname, '../dist/compile-cache'));
const { run } = await import('./command.ts');

await run(process.argv.slice(2));
