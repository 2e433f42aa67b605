// Writes the generated files that are checked in. With --check it writes nothing, and lists the files that are out of
// date.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeApi } from './generate/api.ts';
import { writeConfig } from './generate/config.ts';
import { writeDashboard } from './generate/dashboard.ts';
import { writeErrors } from './generate/errors.ts';
import { writeMcpTools } from './generate/mcp-tools.ts';
import { writeMetrics } from './generate/metrics.ts';
import { writeMigrationPlan } from './generate/migration-plan.ts';
import { writeSchema } from './generate/schema.ts';
import { TRANSLATED_PAGES, writeShellVariants } from './generate/shell-variants.ts';
import { writeBands, writeReadme, writeRoles } from './generate/tables.ts';

const ROOT = join(import.meta.dirname, '..');

const GENERATED: readonly { path: string; write: () => string | Promise<string> }[] = [
  { path: 'docs/errors.md', write: writeErrors },
  { path: 'docs/config.md', write: writeConfig },
  { path: 'docs/api.md', write: writeApi },
  { path: 'docs/mcp-tools.md', write: writeMcpTools },
  { path: 'docs/metrics.md', write: writeMetrics },
  { path: 'docs/events.md', write: writeBands },
  { path: 'docs/organisations.md', write: writeRoles },
  { path: 'README.md', write: writeReadme },
  ...TRANSLATED_PAGES.map((page) => ({ path: `docs/${page}.md`, write: () => writeShellVariants(page) })),
  { path: 'ops/grafana/chauffeur.json', write: writeDashboard },
  // The chart can only read files in its folder.
  { path: 'ops/helm/chauffeur/files/chauffeur.json', write: writeDashboard },
  {
    path: 'ops/helm/chauffeur/files/chauffeur.rules.yml',
    write: () => readFile(join(ROOT, 'ops/prometheus/chauffeur.rules.yml'), 'utf8'),
  },
  { path: 'packages/server/schema.sql', write: writeSchema },
  { path: 'packages/server/migrations/plan.json', write: writeMigrationPlan },
];

const isCheck = process.argv.includes('--check');

for (const { path, write } of GENERATED) {
  const file = join(ROOT, path);
  const text = await write();
  if (text === (await readIfPresent(file))) continue;
  if (isCheck) {
    process.exitCode = 1;
    process.stdout.write(`${path} is out of date: run npm run generate\n`);
  } else {
    await writeFile(file, text);
    process.stdout.write(`wrote ${path}\n`);
  }
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
