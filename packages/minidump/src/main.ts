#!/usr/bin/env node
// Runs the minidump-stackwalk command from its sources.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Halves the startup time of every run but the first. See bin/minidump-stackwalk.cjs for the folder.
enableCompileCache(join(import.meta.dirname, '../dist/compile-cache'));
const { run } = await import('./command.ts');

await run(process.argv.slice(2));
