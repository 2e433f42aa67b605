#!/usr/bin/env node
// The `chauffeur-dump-syms` command. `npm run build` bundles it into `dist`, which starts several times as fast
// as the sources. The bundle only runs if it was built from the sources as they are now; otherwise the sources run.
const { readFileSync, statSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');

const DIST = join(__dirname, '../dist');

// Next to the code, where only an account that may change the code can write: it is machine code.
enableCompileCache(join(DIST, 'compile-cache'));

// Nearly all that a conversion makes is soon garbage. It gets no more room than at the start, which saves a quarter of the
// memory. Threads have limits of their own.
setFlagsFromString('--semi-space-growth-factor=1');

if (isCurrent()) require(join(DIST, 'command.cjs')).run(process.argv.slice(2));
else import('../src/main.ts');

/** Whether each file that went into the bundle has the size and time that it had then. */
function isCurrent() {
  try {
    const sources = JSON.parse(readFileSync(join(DIST, 'sources.json'), 'utf8'));
    return sources.every(([path, size, time]) => {
      const stats = statSync(join(__dirname, path));
      return stats.size === size && stats.mtimeMs === time;
    });
  } catch {
    return false; // It was not built, or a source is gone.
  }
}
