// `chauffeur versions` and `status`: what versions the game has, what players get, and what is not done yet.
import type { Client } from '@chauffeur/contract/client';
import { isError } from '@chauffeur/contract/errors';
import { formatNumber, formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import { listRolloutsWithKey } from '@chauffeur/contract/operations/rollouts';
import { getVersionWithKey, listVersionsWithKey } from '@chauffeur/contract/operations/versions';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import { LocalError } from '../failures.ts';
import { formatCount, tableOf } from '../output.ts';
import { type Act, type Action, withExample } from './command.ts';
import { describeRollout, platformsOf } from './rollout.ts';

export function versionsCommand(command: Command, act: Act): Command {
  return withExample(command, 'versions --channel stable')
    .option('--search <text>', 'only versions with this text in their name or in the title of a build')
    .option('--channel <channel>', 'only versions that this channel offers or has builds for')
    .option('--cursor <cursor>', 'next_cursor of the previous page, which --json prints')
    .action(act(listAll));
}

type ListOptions = { search?: string; channel?: string; cursor?: string };

const listAll: Action<ListOptions> = async ({ connect, output, retryBriefly, signal }, { search, channel, cursor }) => {
  const query = {
    ...(search !== undefined && { search }),
    ...(channel !== undefined && { channel }),
    ...(cursor !== undefined && { cursor }),
  };
  const problem = findProblem(listVersionsWithKey.query!, query);
  if (problem !== null) throw new LocalError(`versions: ${problem}`, 'Correct the command.');
  const client = await connect();
  const data = await retryBriefly(() => client.call(listVersionsWithKey, query, { signal }));
  const rows = data.versions.map((each) => [
    each.version,
    namesOf(each.builds),
    [...new Set(each.channels.map((offer) => offer.channel))].join(', ') || '-',
    each.launch.band,
    each.registered_at.slice(0, 10),
  ]);
  if (data.next_cursor !== null) output.note('There are older versions. To list them, use --cursor.');
  const lines =
    rows.length > 0
      ? tableOf([['VERSION', 'PLATFORMS', 'LIVE ON', 'HEALTH', 'REGISTERED'], ...rows])
      : ['No versions.'];
  return { data, lines };
};

/** `linux/x86_64, windows/x86_64` */
function namesOf(platforms: readonly Platform[]): string {
  return [...new Set(platforms.map(({ os, arch }) => `${os}/${arch}`))].join(', ');
}

export function statusCommand(command: Command, act: Act): Command {
  return withExample(command, 'status --json').action(act(showStatus));
}

type Version = OutputOf<typeof getVersionWithKey>;

const showStatus: Action<object> = async ({ connect, retryBriefly, signal }) => {
  const client = await connect();
  const ask = <T>(request: () => Promise<T>) => retryBriefly(request);
  const { name, slug, channels } = await ask(() => client.call(getDeployInfo, {}, { signal }));
  const { versions } = await ask(() => client.call(listVersionsWithKey, {}, { signal }));
  const version = versions[0]?.version;
  const newest =
    version === undefined ? null : await ask(() => client.call(getVersionWithKey, { version }, { signal }));
  const waiting = versions.flatMap((each) =>
    each.builds
      .filter(({ state }) => state === 'processing')
      .map(({ build_id, os, arch }) => ({ build_id, version: each.version, os, arch })),
  );
  const active = await ask(() => listActiveRollouts(client, signal));
  const offers = [...Map.groupBy(channels, (offer) => `${offer.channel} offers ${offer.version}`)];
  return {
    data: { name, slug, channels, rollouts: active, newest, waiting_for_scan: waiting },
    lines: [
      `${name} (${slug})`,
      ...(offers.length === 0 ? ['No channel offers a build yet.'] : []),
      ...offers.map(([said, on]) => `${said} for ${listOf(on.map(formatPlatform))}.`),
      ...active.map((rollout) => describeRollout(rollout, platformsOf(rollout))),
      ...(newest === null ? [] : describeNewest(newest)),
      ...waiting.map((build) => `${build.version} for ${formatPlatform(build)} is queued for its scan.`),
    ],
  };
};

type Rollout = OutputOf<typeof listRolloutsWithKey>['rollouts'][number];

/** Rollouts that are running or paused; none from a server that doesn't know them. */
async function listActiveRollouts(client: Client, signal: AbortSignal): Promise<readonly Rollout[]> {
  try {
    return (await client.call(listRolloutsWithKey, { state: 'active' }, { signal })).rollouts;
  } catch (error) {
    if (isError(error, 'notFound')) return [];
    throw error;
  }
}

function describeNewest({ version, builds, launch, new_groups, missing_symbols }: Version): string[] {
  const unready = builds.filter(({ state }) => state === 'registered' || state === 'rejected');
  return [
    `The newest version is ${version}, for ${listOf([...new Set(builds.map(formatPlatform))])}.`,
    launch.devices === 0
      ? 'No device has sent events with it in the last 30 days.'
      : `Its launch health is ${launch.band}: ${formatNumber(launch.booted)} of ${formatCount(launch.devices, 'device')} booted in the last 30 days.`,
    ...(new_groups.count === 0 ? [] : [`It has ${formatCount(new_groups.count, 'new crash group')}.`]),
    ...unready.map(
      (build) =>
        `${version} for ${formatPlatform(build)}, registered for ${build.channel}, ${build.state === 'registered' ? 'has no file yet' : 'was rejected by the scan'}.`,
    ),
    ...(missing_symbols.length === 0
      ? []
      : [`Symbols are missing for ${formatCount(missing_symbols.length, 'module')} in its crash reports.`]),
  ];
}

function listOf(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(names);
}
