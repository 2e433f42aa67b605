// Finds the tests of a feature: those next to its sources, tests with its name that boot the server, and those of its
// pages.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findFiles, ROOT } from './suites.ts';

const SOURCES = join(ROOT, 'packages/server/src');

/**
 * `feature` is a folder below `packages/server/src`, such as `people/games`, `kernel/blobs` or `http`. A further part
 * selects some of its tests: `crash/crashes/triage` those in `crashes/triage` and in `crashes.triage*.test.ts`.
 */
export async function findTestsOf(feature: string): Promise<string[]> {
  const parts = feature.split('/').filter((part) => part !== '');
  const depth = parts.length > 1 && (await isFolder(join(SOURCES, parts[0]!, parts[1]!))) ? 2 : 1;
  const folder = parts.slice(0, depth);
  if (folder.length === 0 || !(await isFolder(join(SOURCES, ...folder))))
    throw new Error(`No folder packages/server/src/${folder.join('/')}. A feature is named like people/games.`);
  const [name = '', ...rest] = [folder.at(-1), ...parts.slice(depth)];
  const files = await findFiles(
    rest.length === 0
      ? [
          `packages/server/src/${feature}/**/*.test.ts`,
          `packages/server/test/${name}.test.ts`,
          `packages/server/test/${name}.*.test.ts`,
          `packages/web/src/pages/${name}/**/*.test.{ts,tsx}`,
        ]
      : [
          `packages/server/src/${feature}/**/*.test.ts`,
          `packages/server/src/${feature}*.test.ts`,
          `packages/server/test/${[name, ...rest].join('.')}*.test.ts`,
        ],
  );
  if (files.length === 0) throw new Error(`No tests for ${feature}.`);
  return files;
}

/** The names that tests in `packages/server/test` may begin with: those of features and of other folders of the server. */
export async function listFeatureNames(): Promise<Set<string>> {
  const names = new Set<string>();
  for (const entry of await readdir(SOURCES, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    names.add(entry.name);
    const inside = await readdir(join(SOURCES, entry.name), { withFileTypes: true });
    for (const { name } of inside.filter((each) => each.isDirectory())) names.add(name);
  }
  return names;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
