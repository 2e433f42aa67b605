// `chauffeur build`: registers the build described in build.yml and prints its id. `chauffeur builds list`: lists the
// builds of the game.

import { dirname } from 'node:path';
import { formatNumber } from '@chauffeur/contract/format';
import { listBuilds, registerBuild } from '@chauffeur/contract/operations/builds';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import { choosePlatform, readBuildFile, registrationOf } from '../descriptors/build-file.ts';
import { LocalError } from '../failures.ts';
import { formatCount, tableOf } from '../output.ts';
import { findCommit } from '../upload/find-build.ts';
import { type Act, type Action, newCommand, withExample } from './command.ts';

export function buildCommand(command: Command, act: Act): Command {
  return withExample(command, 'build --asset build.yml --os windows --arch x86_64')
    .option('--asset <file>', 'build file', 'build.yml')
    .option('--os <os>', 'operating system; optional if the file has a single platform')
    .option('--arch <arch>', 'processor architecture; optional if the file has a single platform')
    .option('--channel <channel>', 'channel (default: the channel in the file)')
    .option('--commit <id>', 'commit that it was built from (default: the current commit of Git)')
    .option('--no-commit', 'do not record a commit')
    .action(act(build));
}

type BuildOptions = { asset: string; os?: string; arch?: string; channel?: string; commit?: string | boolean };

const build: Action<BuildOptions> = async ({ connect, retryBriefly, signal }, options) => {
  const { asset: file, os, arch, channel } = options;
  const asset = await readBuildFile(file);
  const flags = { ...(os && { os }), ...(arch && { arch }), ...(channel && { channel }) };
  const commit = await findCommit(options.commit, dirname(file));
  const registration = { ...registrationOf(asset, choosePlatform(asset, flags)), ...(commit && { commit }) };
  const client = await connect();
  const data = await retryBriefly(() => client.call(registerBuild, registration, { signal }));
  return { data, lines: [`SERVICE_GAMES_APP_ID=${data.app_id}`, `SERVICE_GAMES_BUILD_ID=${data.build_id}`] };
};

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

type ListOptions = {
  version?: string;
  os?: string;
  arch?: string;
  channel?: string;
  page?: string;
  pageSize?: string;
};

const listAll: Action<ListOptions> = async ({ connect, retryBriefly, signal }, options) => {
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

function queryOf({ pageSize, page, ...filters }: ListOptions): Readonly<Record<string, unknown>> {
  const query = {
    ...filters,
    ...(page !== undefined && { page: Number(page) }),
    ...(pageSize !== undefined && { page_size: Number(pageSize) }),
  };
  const problem = listBuilds.query === undefined ? null : findProblem(listBuilds.query, query);
  if (problem !== null) throw new LocalError(`--${problem.replace('page_size', 'page-size')}`, 'Correct the flag.');
  return query;
}
