// `chauffeur builds list`: lists the builds of the game.
import { formatNumber } from '@chauffeur/contract/format';
import { listBuilds } from '@chauffeur/contract/operations/builds';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import { LocalError } from '../failures.ts';
import { formatCount, tableOf } from '../output.ts';
import { type Act, type Action, newCommand, withExample } from './command.ts';

export function buildsCommand(command: Command, act: Act): Command {
  const list = newCommand('list', 'list the builds, newest first', 'builds list --channel beta')
    .option('--version <version>', 'only this version')
    .option('--os <os>', 'only this operating system')
    .option('--arch <arch>', 'only this processor architecture')
    .option('--channel <channel>', 'only this channel')
    .option('--page <number>', 'page number, from 1')
    .option('--page-size <number>', 'builds per page, up to 100')
    .action(act(listAll));
  return withExample(command, 'builds list').addCommand(list);
}

type Options = {
  version?: string;
  os?: string;
  arch?: string;
  channel?: string;
  page?: string;
  pageSize?: string;
};

const listAll: Action<Options> = async ({ connect, retryBriefly, signal }, options) => {
  const query = queryOf(options);
  const client = await connect();
  const data = await retryBriefly(() => client.call(listBuilds, query as object, { signal }));
  const rows = data.builds.map((build) => [
    build.build_id,
    build.version,
    build.build_type,
    `${build.os}/${build.arch}`,
    build.channel,
    build.state,
    build.file?.status ?? 'no file',
  ]);
  const table = tableOf([['BUILD', 'VERSION', 'TYPE', 'PLATFORM', 'CHANNEL', 'STATE', 'FILE'], ...rows]);
  return { data, lines: rows.length > 0 ? [...table, formatTotal(data.pagination)] : [formatTotal(data.pagination)] };
};

function formatTotal({ page, page_size, total }: { page: number; page_size: number; total: number }): string {
  if (total === 0) return 'No builds found.';
  const pages = Math.ceil(total / page_size);
  if (page > pages) return `No builds on page ${page}. The last page is ${pages}.`;
  if (pages > 1) return `${formatNumber(total)} builds, page ${page} of ${pages}`;
  return formatCount(total, 'build');
}

function queryOf({ pageSize, page, ...filters }: Options): Readonly<Record<string, unknown>> {
  const query = {
    ...filters,
    ...(page !== undefined && { page: Number(page) }),
    ...(pageSize !== undefined && { page_size: Number(pageSize) }),
  };
  const problem = listBuilds.query === undefined ? null : findProblem(listBuilds.query, query);
  if (problem !== null) throw new LocalError(`--${problem.replace('page_size', 'page-size')}`, 'Correct the flag.');
  return query;
}
