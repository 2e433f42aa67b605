// Checks the imports against the import rules, and prints `file:line  rule: import` for each violation.
import { glob, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { findCycles, findGroupCycles } from './imports/cycles.ts';
import { checkSource, featureOf, type Violation } from './imports/rules.ts';
import { readSource } from './imports/source.ts';

/** Checks every source file of the packages below `root`. Tests are not checked, because a test may import anything. */
export async function findViolations(root: string): Promise<Violation[]> {
  const paths = await listSources(root);
  const sources = await Promise.all(
    paths.map(async (path) => readSource(path, await readFile(join(root, path), 'utf8'))),
  );
  const cycles = [
    ...findCycles(sources).map((cycle) => violationOf(cycle, 'files do not import each other in a cycle')),
    ...findGroupCycles(sources, featureOf).map((cycle) =>
      violationOf(cycle, 'features do not import each other in a cycle'),
    ),
  ];
  const violations = sources.flatMap(checkSource);
  // An import in the wrong direction often also closes a cycle, and is reported only once.
  return violations.length > 0 ? violations : cycles;
}

function violationOf([path = '', ...others]: readonly string[], rule: string): Violation {
  return { path, line: 1, rule, detail: [...others, path].join(' -> ') };
}

async function listSources(root: string): Promise<string[]> {
  const paths = await Array.fromAsync(glob('packages/*/src/**/*.{ts,tsx}', { cwd: root }));
  return paths
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .sort();
}

async function run(): Promise<void> {
  const violations = await findViolations(join(import.meta.dirname, '..'));
  for (const { path, line, rule, detail } of violations) process.stdout.write(`${path}:${line}  ${rule}: ${detail}\n`);
  if (violations.length > 0) process.exitCode = 1;
}

if (import.meta.main) await run();
