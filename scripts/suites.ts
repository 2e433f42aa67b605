// Which test file belongs to which command, and which files share a process. A new test file needs no entry here unless it is in a new folder.
import { glob, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/** What is set up once around a run: nothing, a PostgreSQL server with a migrated database, or also bundles of the programs. */
export type Setup = 'nothing' | 'database' | 'programs';

export type Suite = {
  /** Patterns of test files, relative to the repository. */
  readonly files: readonly string[];
  /** How many processes share the files. Without it, each file has its own. */
  readonly processes?: number;
  /** A module that each of these processes loads first. */
  readonly first?: string;
  /** The files that take longest, which start first: nothing else would be left to run next to them. */
  readonly longest?: readonly string[];
};

/** The names of test files that take long because they try so much, or because parts of the service fail in them. */
const THOROUGH = [
  'service.*|openapi|openapi.*|audit|backups|backups.*|emails|game-deletion',
  '*.hostile*|*.property|*.faults|*.recovery|*.outage|*.replica|*.held|worker',
].join('|');

export const SUITES = {
  /** Needs neither a server nor a database. */
  unit: {
    files: [
      'packages/{contract,debug-symbols,deltas,minidump,sentry,updater,web}/**/*.test.ts',
      'packages/{cli,server}/src/**/!(*.hostile).test.ts',
      'scripts/**/*.test.ts',
    ],
    processes: 3,
  },
  server: { files: [`packages/server/test/!(${THOROUGH}).test.ts`], processes: 6 },
  /** Each operation with each role, broken and hostile input, copies of whole installations, processes that die. */
  thorough: {
    files: [`packages/server/test/@(${THOROUGH}).test.ts`, 'packages/{cli,server}/src/**/*.hostile.test.ts'],
    processes: 2,
  },
  command: { files: ['packages/cli/test/*.test.ts'], processes: 1 },
  system: { files: ['e2e/!(website.*).test.ts'] },
  website: { files: ['e2e/website.*.test.ts'], processes: 3, first: 'e2e/setup/shared-chromium.ts' },
  faults: { files: ['e2e/faults/*.test.ts'], longest: ['abuse', 'roles', 'table'] },
  cluster: { files: ['e2e/cluster/*.test.ts'], longest: ['suites', 'benchmarks', 'analytics'] },
  release: { files: ['e2e/release/*.test.ts'], longest: ['installation'] },
  sentry: { files: ['e2e/sentry/*.test.ts'], processes: 1, first: 'e2e/setup/shared-chromium.ts' },
} as const satisfies Record<string, Suite>;

export type SuiteName = keyof typeof SUITES;

export type Run = {
  /** They start in this order. */
  readonly suites: readonly SuiteName[];
  readonly setup: Setup;
  /** How many processes run at a time. */
  readonly concurrency: number;
  readonly timeoutMinutes: number;
};

/** What `npm test`, `npm run test:unit` and so on run. */
export const RUNS: Readonly<Record<string, Run>> = {
  unit: { suites: ['unit'], setup: 'nothing', concurrency: 3, timeoutMinutes: 5 },
  main: { suites: ['server', 'command', 'unit', 'system'], setup: 'programs', concurrency: 3, timeoutMinutes: 5 },
  website: { suites: ['website'], setup: 'programs', concurrency: 3, timeoutMinutes: 5 },
  faults: { suites: ['faults', 'thorough'], setup: 'programs', concurrency: 3, timeoutMinutes: 15 },
  cluster: { suites: ['cluster'], setup: 'programs', concurrency: 2, timeoutMinutes: 10 },
  release: { suites: ['release'], setup: 'database', concurrency: 2, timeoutMinutes: 15 },
  sentry: { suites: ['sentry'], setup: 'database', concurrency: 1, timeoutMinutes: 5 },
};

/** Returns the test files that match, relative to the repository, in alphabetical order. */
export async function findFiles(patterns: readonly string[]): Promise<string[]> {
  const paths = await Array.fromAsync(glob(patterns, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }));
  return paths.sort();
}

/** The files of a suite in the order in which they start. */
export async function orderFiles({ files, longest = [] }: Suite): Promise<string[]> {
  const ranks = new Map(longest.map((name, rank) => [`${name}.test.ts`, rank]));
  const rankOf = (path: string) => ranks.get(basename(path)) ?? longest.length;
  return (await findFiles(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Throws if a test file of the repository is in no suite or in several. */
export async function checkSuites(suites: Readonly<Record<string, Suite>> = SUITES): Promise<void> {
  const owners = new Map((await findFiles(['**/*.test.{ts,tsx}'])).map((path) => [path, [] as string[]]));
  for (const [name, { files }] of Object.entries(suites))
    for (const path of await findFiles(files)) owners.get(path)?.push(name);
  const wrong = [...owners].filter(([, names]) => names.length !== 1);
  if (wrong.length === 0) return;
  const lines = wrong.map(([path, names]) => `  ${path}: ${names.join(', ') || 'none'}`);
  throw new Error(`Each test file belongs to one suite in scripts/suites.ts:\n${lines.join('\n')}`);
}

export type Share = { readonly share: number; readonly of: number };

/** Every file is in exactly one share. The large files are dealt out first, back and forth, which keeps the shares even. */
export function pickShare(sizes: ReadonlyMap<string, number>, { share, of }: Share): string[] {
  const bySize = [...sizes].sort(([a, sizeOfA], [b, sizeOfB]) => sizeOfB - sizeOfA || (a < b ? -1 : 1));
  return bySize.flatMap(([path], index) => {
    const place = index % of;
    const owner = Math.floor(index / of) % 2 === 0 ? place + 1 : of - place;
    return owner === share ? [path] : [];
  });
}

/** Deals out the files to this many processes. */
export async function dealOut(paths: readonly string[], processes: number): Promise<string[][]> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(ROOT, path))).size));
  const sizeOf = new Map(paths.map((path, index) => [path, sizes[index] ?? 0]));
  return Array.from({ length: processes }, (_, index) => pickShare(sizeOf, { share: index + 1, of: processes }));
}
