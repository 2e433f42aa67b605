#!/usr/bin/env node
// Starts the minidump-stackwalk command.
import { enableCompileCache } from 'node:module';

enableCompileCache(); // more than halves the startup time of every run but the first
const { run } = await import('./command.ts');

await run(process.argv.slice(2));
