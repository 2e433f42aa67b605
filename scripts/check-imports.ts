// Checks that every import goes through the doors of the house; prints `file:line  rule: what was found` for each that does not.
import { glob, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { findCycles } from './imports/cycles.ts';
import { judge, type Violation } from './imports/rules.ts';
import { readSource } from './imports/source.ts';

/** Judges every source file of the packages below `root`. Tests are free: a test may use any part of the house. */
export async function findViolations(root: string): Promise<Violation[]> {
  const paths = await listSources(root);
  const sources = await Promise.all(
    paths.map(async (path) => readSource(path, await readFile(join(root, path), 'utf8'))),
  );
  const cycles = findCycles(sources).map(
    ([path = '', ...others]): Violation => ({
      path,
      line: 1,
      rule: 'no file imports itself through others',
      found: [...others, path].join(' -> '),
    }),
  );
  const violations = sources.flatMap(judge);
  // An import in the wrong direction often closes a cycle, too: it is reported once.
  return violations.length > 0 ? violations : cycles;
}

async function listSources(root: string): Promise<string[]> {
  const found = await Array.fromAsync(glob('packages/*/src/**/*.{ts,tsx}', { cwd: root }));
  return found
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .sort();
}

async function run(): Promise<void> {
  const violations = await findViolations(join(import.meta.dirname, '..'));
  for (const { path, line, rule, found } of violations) process.stdout.write(`${path}:${line}  ${rule}: ${found}\n`);
  if (violations.length > 0) process.exitCode = 1;
}

if (import.meta.main) await run();
