// The migrations that the server ships with: numbered SQL files, and what is known about each.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER } from '../../folders.ts';

export type Migration = {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
  /** The oldest release that works with the database after this migration; null if it is part of the first release. */
  readonly worksWith: string | null;
};

/** What a migration does to tables that exist before it. */
export type MigrationEffects = {
  /** Tables that it locks until it ends, and what others can't do meanwhile. */
  readonly locks?: Readonly<Record<string, Blocked>>;
  /** Tables that it reads or writes as a whole, so that it takes longer the larger they are. */
  readonly reads?: readonly string[];
};
export type Blocked = 'reads and writes' | 'writes';

/** The migrations of this version, in order. */
export async function readMigrations(): Promise<Migration[]> {
  const [files, releases] = await Promise.all([readdir(MIGRATIONS_FOLDER), readReleases()]);
  const names = files.filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(MIGRATIONS_FOLDER, name), 'utf8');
      const sha256 = createHash('sha256').update(sql).digest('hex');
      return { name, sql, sha256, worksWith: releases.findLast(({ last }) => last < name)?.version ?? null };
    }),
  );
}

/** The effects of each migration, from `plan.json`, which `npm run generate` measures. */
export async function readEffects(): Promise<Readonly<Record<string, MigrationEffects>>> {
  return JSON.parse(await readFile(join(MIGRATIONS_FOLDER, 'plan.json'), 'utf8')) as Record<string, MigrationEffects>;
}

/** All releases, oldest first, with their last migration: `releases.json`. Each release keeps the one before it working. */
export async function readReleases(): Promise<readonly { readonly version: string; readonly last: string }[]> {
  const text = await readFile(join(MIGRATIONS_FOLDER, 'releases.json'), 'utf8');
  return Object.entries(JSON.parse(text) as Record<string, string>).map(([version, last]) => ({ version, last }));
}
