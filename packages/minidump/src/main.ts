#!/usr/bin/env node
// The command minidump-stackwalk.
import { enableCompileCache } from 'node:module';

enableCompileCache(); // more than halves the start of every call but the first
const { run } = await import('./command.ts');

await run(process.argv.slice(2));
