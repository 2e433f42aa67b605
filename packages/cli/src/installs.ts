// What the commands for players share: the folder and the login, progress, and how results are printed.
import { formatBytes, formatDuration } from '@chauffeur/contract/format';
import type { Release } from '@chauffeur/updater/server';
import { type Options, readInstalled, type Result as UpdateResult } from '@chauffeur/updater/updater';
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { LocalError } from './failures.ts';
import { formatCount, type Result } from './output.ts';
import { type Progress, startProgress } from './progress.ts';
import { needsFetchForProxy } from './proxy.ts';

export type TransferOptions = { limitRate?: string };

/** Adds the options of commands that download. */
export function addTransferOptions(command: Command): Command {
  return command.option('--limit-rate <rate>', 'download at most this many bytes a second, such as 500k or 2m');
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Throws LocalError. */
function parseRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)([kmg]?)$/i.exec(text) ?? [];
  const rate = Number(number) * (UNITS[unit.toLowerCase()] ?? 0);
  if (number !== '' && rate >= 1) return rate;
  throw new LocalError(`--limit-rate: ${text} is not a rate.`, 'Use a number of bytes a second, such as 500k or 2m.');
}

/** Calls `work` with the options for a folder, and shows its progress. */
export async function withProgress<T>(
  { output, env, signal }: Context,
  { limitRate }: TransferOptions,
  folder: string,
  work: (options: Options) => Promise<T>,
): Promise<T> {
  const rate = parseRate(limitRate);
  let shown: { phase: string; progress: Progress } | undefined;
  const onProgress: Options['onProgress'] = ({ phase, done, total }) => {
    if (phase === 'switching' || total === 0) return;
    if (shown?.phase !== phase) {
      shown?.progress.finish();
      shown = { phase, progress: startProgress(phase, output, env) };
    }
    shown.progress.update(done, total);
  };
  try {
    return await work({
      ...{ folder, signal, onProgress },
      ...(rate !== undefined && { limitRate: rate }),
      ...(needsFetchForProxy(env) && { fetch }),
    });
  } finally {
    shown?.progress.finish();
  }
}

/** The headers for the server that a game was installed from. */
export async function headersFor({ playerOf }: Context, folder: string): Promise<Readonly<Record<string, string>>> {
  const installed = await readInstalled({ folder });
  return installed === null ? {} : playerOf(installed.install.server).headers;
}

const LISTED = 20;

/** Paths, the first of them if there are many. */
export function listPaths(paths: readonly string[]): string[] {
  const more = paths.length - LISTED;
  return [...paths.slice(0, LISTED).map((path) => `  ${path}`), ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** The result of install, update and repair. `done` is the sentence that says what happened. */
export function resultOf(result: UpdateResult, done: string): Result {
  const { game, folder, from, to, downloadedBytes, reusedBytes, seconds, kept, replaced, changelog } = result;
  const data = {
    ...{ game, folder, from: dataOf(from), to: dataOf(to) },
    ...{ downloaded_bytes: downloadedBytes, reused_bytes: reusedBytes, seconds },
    ...{ kept, replaced: replaced === null ? null : { folder: replaced.folder, paths: replaced.paths } },
  };
  const reused = reusedBytes > 0 ? `; ${formatBytes(reusedBytes)} were on the disk already` : '';
  const lines = [
    done,
    `Downloaded ${formatBytes(downloadedBytes)} in ${seconds < 1 ? 'less than a second' : formatDuration(seconds)}${reused}.`,
    ...(kept.length > 0
      ? [`Left ${formatCount(kept.length, 'file')} that you changed or added:`, ...listPaths(kept)]
      : []),
    ...(replaced === null
      ? []
      : [
          `Moved your copies of ${formatCount(replaced.paths.length, 'file')} to ${replaced.folder}:`,
          ...listPaths(replaced.paths),
        ]),
    ...changelog.flatMap(formatRelease),
  ];
  return { data, lines };
}

function dataOf(version: UpdateResult['from']): { build_id: string; version: string } | null {
  return version === null ? null : { build_id: version.buildId, version: version.version };
}

function formatRelease({ version, title, changes }: Release): string[] {
  if (changes.length === 0) return [];
  const heading = title === '' || title === version ? version : `${version}: ${title}`;
  const lines = changes.map((change) => [change.title, change.description].filter((text) => text !== '').join(': '));
  return ['', heading, ...lines.map((line) => `  - ${line}`)];
}
