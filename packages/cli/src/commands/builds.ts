// `chauffeur builds list`: lists the builds of the game.
import { listBuilds } from '@chauffeur/contract/operations/builds';
import { findProblem } from '@chauffeur/contract/validate';
import { Command } from 'commander';
import { LocalError } from '../failures.ts';
import { tableOf } from '../output.ts';
import type { Act, Handler } from '../program.ts';

type Options = {
  version?: string;
  os?: string;
  arch?: string;
  channel?: string;
  page?: string;
  pageSize?: string;
};

export function buildsCommand(act: Act): Command {
  const list = new Command('list')
    .description('list the builds, newest first')
    .option('--version <version>', 'only this version')
    .option('--os <os>', 'only this operating system')
    .option('--arch <arch>', 'only this processor architecture')
    .option('--channel <channel>', 'only this channel')
    .option('--page <number>', 'page, from 1')
    .option('--page-size <number>', 'builds a page, up to 100')
    .addHelpText('after', '\nExample:\n  $ chauffeur builds list --channel beta')
    .action(act(listAll));
  return new Command('builds')
    .description('the builds of the game')
    .addHelpText('after', '\nExample:\n  $ chauffeur builds list')
    .addCommand(list);
}

const listAll: Handler<Options> = async ({ connect, insist, signal }, options) => {
  const query = queryOf(options);
  const client = await connect();
  const data = await insist(() => client.call(listBuilds, query as object, { signal }));
  const rows = data.builds.map((build) => [
    build.build_id,
    build.version,
    build.build_type,
    `${build.os}/${build.arch}`,
    build.channel,
    build.state,
    build.file?.status ?? 'no file',
  ]);
  const { page, page_size, total } = data.pagination;
  const pages = Math.max(1, Math.ceil(total / page_size));
  return {
    data,
    lines: [
      ...tableOf([['BUILD', 'VERSION', 'TYPE', 'PLATFORM', 'CHANNEL', 'STATE', 'FILE'], ...rows]),
      `page ${page} of ${pages}, ${total} builds`,
    ],
  };
};

function queryOf({ pageSize, page, ...filters }: Options): Readonly<Record<string, unknown>> {
  const query = {
    ...filters,
    ...(page !== undefined && { page: Number(page) }),
    ...(pageSize !== undefined && { page_size: Number(pageSize) }),
  };
  const problem = listBuilds.query === undefined ? null : findProblem(listBuilds.query, query);
  if (problem !== null) throw new LocalError(`--${problem.replace('page_size', 'page-size')}`, 'Correct that flag.');
  return query;
}
