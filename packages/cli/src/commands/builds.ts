// `chauffeur build`: registers a build before it is compiled, prints its id, and writes it where engines read it.
// `chauffeur builds list`: lists the builds of the game.

import { dirname } from 'node:path';
import { formatNumber, formatPlatform } from '@chauffeur/contract/format';
import { listBuilds } from '@chauffeur/contract/operations/builds';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import { readBuildFile } from '../descriptors/build-file.ts';
import { checkEngineFiles, writeEngineFiles } from '../engine-files/engine-files.ts';
import { LocalError } from '../failures.ts';
import { formatCount, formatPairs, tableOf } from '../output.ts';
import {
  addBuildOptions,
  type NewRegistration,
  type RegistrationFlags,
  readRegistration,
  register,
} from '../upload/registration.ts';
import { type Act, type Action, collectValues, newCommand, withExample } from './command.ts';

export function buildCommand(command: Command, act: Act): Command {
  const example = 'build --version 1.2.0 --os windows --arch x86_64 --write Assets/ChauffeurBuild.cs';
  return addBuildOptions(withExample(command, example))
    .option(
      '--write <file>',
      'write the id into a .h, .cs, .gd, .json, .ini or .env file, or project.godot; can be repeated',
      collectValues,
    )
    .action(act(build));
}

const build: Action<RegistrationFlags & { write?: string[] }> = async (context, options) => {
  const { output, retryBriefly, signal } = context;
  const registration = await readBuild(options);
  const { identity } = registration;
  const files = await checkEngineFiles(options.write ?? []);
  const client = await context.connect();
  const { build_id, app_id, title, created, files: uploaded } = await register(client, registration, context);
  if (uploaded.length > 0)
    output.note(`Version ${identity.version} already has a file. After the next push, players get the new one.`);
  const ids = { app_id, build_id, app_version: identity.version, build_channel: identity.channel };
  const written = [];
  if (files.length > 0) {
    // The address by which this machine reaches the server can be another one than that for players.
    const { urls } = await retryBriefly(() => client.call(getDeployInfo, {}, { signal }));
    written.push(...(await writeEngineFiles(files, { ...ids, crashes_url: urls.crashes, events_url: urls.events })));
    for (const { file, changed } of written)
      output.note(changed ? `Wrote the id into ${file}.` : `${file} already has the id.`);
  }
  return {
    data: { build_id, ...identity, title, app_id, created, has_file: uploaded.length > 0, written },
    lines: [
      `${identity.version} for ${formatPlatform(identity)} is registered.`,
      `Build id: ${build_id}`,
      `Game id: ${app_id}`,
    ],
    piped: formatPairs({ SERVICE_GAMES_APP_ID: app_id, SERVICE_GAMES_BUILD_ID: build_id }),
  };
};

/** Reads what to register: from flags and, without --version, from build.yml, which then describes all of the build. */
async function readBuild(options: RegistrationFlags): Promise<NewRegistration> {
  const { version, asset: file = version === undefined ? 'build.yml' : undefined } = options;
  if (file === undefined) return readRegistration(options, undefined);
  const otherwise = options.asset === undefined ? ', or use --version, --os and --arch' : '';
  const asset = await readBuildFile(file, otherwise);
  const { identity, texts } = await readRegistration(options, asset, dirname(file));
  const replaced = version === undefined && { title: identity.version, description: '' };
  return { identity, texts: { ...replaced, ...texts } };
}

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
