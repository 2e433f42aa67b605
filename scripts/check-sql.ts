// Checks every statement of the server against the schema, and prints `file:line  message` for each mismatch. Each is
// prepared in a migrated database, and the columns that PostgreSQL describes are compared with the declared row type.
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../packages/server/src/kernel/database/migrate.ts';
import { migrateJobs } from '../packages/server/src/kernel/jobs/jobs.ts';
import { createLog } from '../packages/server/src/kernel/telemetry/log.ts';
import { withNewDatabase } from './generate/new-database.ts';
import { checkStatements, type Finding, type Result } from './sql/check.ts';
import { Describer } from './sql/describe.ts';
import { Sources } from './sql/sources.ts';

const SEARCH = 'a search has the conditions that somebody typed';

/** Files with statements whose text is known only when the program runs, and why. All others are checked whole. */
export const UNKNOWN: Readonly<Record<string, string>> = {
  'packages/server/src/analytics/events/read/devices.sql.ts': 'the partitions of a table are named by their days',
  'packages/server/src/crash/crashes/read/filters.sql.ts': SEARCH,
  'packages/server/src/crash/crashes/read/group-list.sql.ts': SEARCH,
  'packages/server/src/crash/crashes/read/impact.sql.ts': SEARCH,
  'packages/server/src/crash/crashes/read/impact.ts': SEARCH,
  'packages/server/src/crash/crashes/read/query.ts': SEARCH,
  'packages/server/src/crash/crashes/read/report-list.sql.ts': SEARCH,
  'packages/server/src/crash/crashes/read/search.ts': SEARCH,
  'packages/server/src/kernel/database/partitions.ts': 'the partitions of a table are named by their days',
  'packages/server/src/kernel/database/shards.ts': 'they read the catalogs of Citus',
  'packages/server/src/operate/account-export/account-export.ts': 'an export has many tables and columns',
  'packages/server/src/operate/backups/snapshot.sql.ts': 'a snapshot has all tables of the database',
  'packages/server/src/shop/store/browse.sql.ts': 'a list has many combinations of filters and orders',
  'packages/server/src/team/game-deletion/tenant-tables.sql.ts': 'the tables with rows of a game are found at run time',
};

/** Checks the files of the project `config` that `includes` chooses. Paths of findings are below `root`. */
export async function checkSql(
  { root, config, includes }: { root: string; config: string; includes: (file: string) => boolean },
  pool: pg.Pool,
): Promise<Result> {
  const sources = new Sources(config, includes);
  const client = new pg.Client({ connectionString: pool.options.connectionString });
  await client.connect();
  try {
    return await checkStatements(sources, await Describer.open(client), root);
  } finally {
    await client.end();
    sources.close();
  }
}

/** What is wrong: mismatches, statements that can't be checked in files that aren't listed, and files listed in vain. */
export function findingsOf({ mismatches, unknown }: Result, listed: Readonly<Record<string, string>>): Finding[] {
  const files = new Set(unknown.map(({ place }) => fileOf(place)));
  const inVain = Object.keys(listed).filter((file) => !files.has(file));
  return [
    ...mismatches,
    ...unknown.filter(({ place }) => listed[fileOf(place)] === undefined),
    ...inVain.map((file) => ({
      place: `${file}:1`,
      message: 'everything in this file can be checked: remove it from UNKNOWN',
    })),
  ];
}

function fileOf(place: string): string {
  return place.slice(0, place.lastIndexOf(':'));
}

const MAX_SHOWN = 400;

async function run(): Promise<void> {
  const root = join(import.meta.dirname, '..');
  const result = await withNewDatabase(async (pool) => {
    await migrate(pool, createLog('warn'));
    await migrateJobs(pool);
    const includes = (file: string) => file.startsWith(`${root}/packages/server/src/`) && !file.endsWith('.test.ts');
    return checkSql({ root, config: join(root, 'tsconfig.json'), includes }, pool);
  });
  const byPlace = new Intl.Collator('en', { numeric: true });
  const findings = findingsOf(result, UNKNOWN).sort((a, b) => byPlace.compare(a.place, b.place));
  for (const { place, message, text } of findings) {
    process.stdout.write(`${place}  ${message}\n`);
    if (text !== undefined) process.stdout.write(`    ${text.trim().replace(/\s+/g, ' ').slice(0, MAX_SHOWN)}\n`);
  }
  if (findings.length > 0) process.exitCode = 1;
  else process.stdout.write(`${result.statements} statements match the schema.\n`);
}

if (import.meta.main) await run();
