// `backup`, `restore`, `verify` and `blobs copy`: commands about the whole installation, in a folder or in a bucket.
import { readProcessConfig } from '../config.ts';
import { openBlobStore, parseBlobSettings } from '../kernel/blobs/open.ts';
import type { BlobStore } from '../kernel/blobs/store.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { backUp } from '../operate/backups/backup.ts';
import { copyBlobs } from '../operate/backups/copy-blobs.ts';
import { restore, verifyBackup } from '../operate/backups/restore.ts';
import { verifyBlobs } from '../operate/backups/verify.ts';
import { UsageError } from './fail.ts';
import { withApp, withDatabase, withStore } from './open-parts.ts';

type Output = { json: boolean };

/** Exits with code 1 if a blob is missing or damaged, although the rest is backed up. */
export async function runBackup(address: string, { keep, json }: Output & { keep?: string }): Promise<void> {
  const kept = keep === undefined ? null : readCount(keep);
  const result = await withStore(address, { what: 'the backup' }, (target) =>
    withApp({ quiet: true }, ({ ctx, pool }) => backUp(ctx, pool, target, { keep: kept, report: reportTo(json) })),
  );
  print(result, json);
  if (result.problems > 0) process.exitCode = 1;
}

export async function runRestore(address: string, { at, json }: Output & { at?: string }): Promise<void> {
  const time = readTime(at);
  const result = await withStore(address, { what: 'the restore' }, (source) => restoreInto(source, time, json));
  print(result, json);
}

/** With an address, checks a backup instead of the installation. */
export async function runVerify(address: string | undefined, options: Output & { at?: string }): Promise<void> {
  const { at, json } = options;
  const time = readTime(at);
  if (address !== undefined) {
    const check = (target: BlobStore) => withApp({ quiet: true }, ({ pool }) => verifyBackup(pool, target, time));
    return print(await withStore(address, { what: 'the backup' }, check), json);
  }
  if (at !== undefined) throw new UsageError('--at chooses a backup: name its folder or bucket.');
  const { blobs, problems, orphans } = await withApp({ quiet: true }, ({ ctx, pool }) =>
    verifyBlobs(ctx, pool, {
      problem: ({ key, problem, detail }) => printLine(`${problem} ${key}: ${detail}`, json),
      orphan: (key) => printLine(`note: no row refers to ${key}`, json),
    }),
  );
  print({ blobs, problems: json ? problems : problems.length, orphans }, json);
  if (problems.length > 0) process.exitCode = 1;
}

/** Restores without the app, which would migrate the empty database to the newest version and create secrets. */
async function restoreInto(source: BlobStore, at: Date, json: boolean) {
  const config = readProcessConfig();
  const log = createLog('warn');
  return withDatabase(config, { log, name: 'restore' }, async (pool) => {
    const blobs = openBlobStore(parseBlobSettings(config.blobs, config.dataFolder));
    try {
      await blobs.check();
      return await restore({ pool, blobs, log }, source, { at, report: reportTo(json) });
    } finally {
      await blobs.close();
    }
  });
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new UsageError('--keep: write a number of backups, at least 1.');
  return count;
}

function readTime(text: string | undefined): Date {
  const time = text === undefined ? new Date() : new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError('--at: write a time such as 2026-11-30T18:00:00Z.');
  return time;
}

function reportTo(json: boolean) {
  const line = (text: string) => printLine(text, json);
  return { progress: line, problem: line };
}

function printLine(line: string, json: boolean): void {
  if (!json) process.stdout.write(`${line}\n`);
}

function print(result: Record<string, unknown>, json: boolean): void {
  const lines = Object.entries(result).map(([name, value]) => `${name}=${value}\n`);
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : lines.join(''));
}

type Options = { from: string; to: string; json: boolean };

export async function runBlobsCopy({ from, to, json }: Options): Promise<void> {
  const result = await withStore(from, { what: 'the copy' }, (source) =>
    withStore(to, { what: 'the copy' }, (target) =>
      copyBlobs(source, target, ({ copied, present }) => {
        if (!json) process.stdout.write(`copied ${copied}, already there ${present}\n`);
      }),
    ),
  );
  const { copied, present } = result;
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `copied=${copied}\npresent=${present}\n`);
}
