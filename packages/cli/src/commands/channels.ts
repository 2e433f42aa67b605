// `chauffeur promote`, `rollback` and `channels`: change and show what channels offer, on all platforms at once.
import { createInterface } from 'node:readline/promises';
import { formatNumber, formatPlatform } from '@chauffeur/contract/format';
import { canonicalArch, canonicalOs, type Platform } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listBuilds } from '@chauffeur/contract/operations/builds';
import { listToolChannels, promoteVersionWithKey, rollbackWithKey } from '@chauffeur/contract/operations/channels';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { tableOf } from '../output.ts';
import { type Act, type Action, collectValues, withExample } from './command.ts';

type Pointer = OutputOf<typeof listToolChannels>['channels'][number];

/** The channel for all players, whose changes are confirmed. */
export const STABLE = 'stable';
/** Builds of one version that are looked at, which is more than there are platforms. */
export const MAX_BUILDS = 100;

export type PlatformOptions = { os?: string[]; arch?: string[]; yes?: true };

export function addPlatformOptions(command: Command): Command {
  return command
    .option('--os <os>', 'only this operating system; can be repeated', collectValues)
    .option('--arch <arch>', 'only this processor architecture; can be repeated', collectValues)
    .option('--yes', 'skip the confirmation that a terminal asks for before stable changes');
}

export function promoteCommand(command: Command, act: Act): Command {
  withExample(command, 'promote 1.4.0 --channel beta')
    .argument('<version>', 'version of the builds')
    .option('--channel <channel>', 'channel to promote it to', STABLE)
    .option('--expires-in-hours <number>', 'hours after which the channel offers nothing (default: never)');
  return addPlatformOptions(command).action(act(promote));
}

type PromoteOptions = PlatformOptions & { channel: string; expiresInHours?: string };

const promote: Action<PromoteOptions> = async (context, options, version = '') => {
  const { connect, retryBriefly, signal } = context;
  const { channel, expiresInHours } = options;
  const hours = expiresInHours === undefined ? undefined : Number(expiresInHours);
  const body = { version, ...(hours !== undefined && { expires_in_hours: hours }) };
  const problem =
    findProblem(promoteVersionWithKey.body!, body) ?? findProblem(promoteVersionWithKey.params!, { channel });
  if (problem !== null) throw new LocalError(`promote: ${problem}`, 'Correct the command.');
  const client = await connect();
  const builds = await retryBriefly(() =>
    client.call(listBuilds, { version, page_size: MAX_BUILDS }, { signal }).then((list) => list.builds),
  );
  const platforms = chosen(builds, options, `${version} has no build`);
  const { channels } = await retryBriefly(() => client.call(listToolChannels, {}, { signal }));
  const targets = uniquePlatforms(platforms ?? builds).map((platform) => formatPlatform(platform));
  // The server refuses a version without a build, so there is nothing to confirm.
  if (channel === STABLE && targets.length > 0)
    await confirm(context, options, [
      `Promote ${version} to ${channel} for ${listOf(targets)}?`,
      ...offersOf(channels.filter((pointer) => pointer.channel === channel)),
    ]);
  const data = await retryBriefly(() =>
    client.call(promoteVersionWithKey, { channel, ...body, ...(platforms && { platforms }) }, { signal }),
  );
  return { data, lines: sentencesOf(data.channels) };
};

export function rollbackCommand(command: Command, act: Act): Command {
  return addPlatformOptions(
    withExample(command, 'rollback stable').argument('<channel>', 'channel, such as stable'),
  ).action(act(rollback));
}

/** It is not tried again after a lost response, because a second rollback would go further back. */
const rollback: Action<PlatformOptions> = async (context, options, channel = '') => {
  const { connect, retryBriefly, signal } = context;
  const problem = findProblem(rollbackWithKey.params!, { channel });
  if (problem !== null) throw new LocalError(`rollback: ${problem}`, 'Correct the command.');
  const client = await connect();
  const { channels } = await retryBriefly(() => client.call(listToolChannels, {}, { signal }));
  const pointers = channels.filter((pointer) => pointer.channel === channel);
  const platforms = chosen(pointers, options, `${channel} offers nothing`);
  if (channel === STABLE)
    await confirm(context, options, [
      `Roll ${channel} back on ${listOf(uniquePlatforms(platforms ?? pointers).map(formatPlatform))}?`,
      ...offersOf(pointers),
    ]);
  const data = await client.call(rollbackWithKey, { channel, ...(platforms && { platforms }) }, { signal });
  return { data, lines: sentencesOf(data.channels) };
};

/** The platforms among `items` that the flags select; undefined without flags. Throws LocalError if there are none. */
export function chosen<Item extends Platform>(
  items: readonly Item[],
  { os, arch }: PlatformOptions,
  otherwise: string,
): Platform[] | undefined {
  if (os === undefined && arch === undefined) return undefined;
  const oses = os?.map((name) => canonicalOs(name.toLowerCase()));
  const arches = arch?.map((name) => canonicalArch(name.toLowerCase()));
  const found = uniquePlatforms(items).filter(
    (platform) => (oses?.includes(platform.os) ?? true) && (arches?.includes(platform.arch) ?? true),
  );
  if (found.length === 0)
    throw new LocalError(`${otherwise} for ${[...(os ?? []), ...(arch ?? [])].join(' ')}.`, 'Correct --os or --arch.');
  return found;
}

/** Each platform once, by name. */
export function uniquePlatforms(items: readonly Platform[]): Platform[] {
  const platforms = new Map(items.map(({ os, arch }) => [`${os} ${arch}`, { os, arch }]));
  return [...platforms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, platform]) => platform);
}

/** Asks in a terminal, on stderr. Throws LocalError unless the answer is yes. */
export async function confirm(
  { output, signal }: Context,
  { yes }: Pick<PlatformOptions, 'yes'>,
  lines: readonly string[],
): Promise<void> {
  if (yes || output.json || process.stdin.isTTY !== true || output.stderr.isTTY !== true) return;
  const [question = '', ...details] = lines;
  for (const line of details) process.stderr.write(`${line}\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new LocalError('Nothing was changed.', 'Answer y to continue.');
  } finally {
    terminal.close();
  }
}

/** What the channel offers now, a line for each platform. */
function offersOf(pointers: readonly Pointer[]): string[] {
  return pointers.map((pointer) => `  now ${describeOffer(pointer)} for ${formatPlatform(pointer)}`);
}

function describeOffer({ version, expired }: Pointer): string {
  return expired ? 'nothing' : version;
}

/** `1.4.0 is live on stable for Linux x86_64 and Windows x86_64.` */
function sentencesOf(pointers: readonly Pointer[]): string[] {
  const byVersion = Map.groupBy(pointers, ({ channel, version }) => `${version} is live on ${channel}`);
  return [...byVersion].map(([said, on]) => {
    const expiry = on[0]?.expires_at;
    return `${said} for ${listOf(on.map(formatPlatform))}${expiry ? ` until ${expiry}` : ''}.`;
  });
}

export function listOf(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(names);
}

export function channelsCommand(command: Command, act: Act): Command {
  return withExample(command, 'channels --json').action(act(listAll));
}

const listAll: Action<object> = async ({ connect, retryBriefly, signal }) => {
  const client = await connect();
  const data = await retryBriefly(() => client.call(listToolChannels, {}, { signal }));
  const rows = data.channels.map((pointer) => [
    pointer.channel,
    `${pointer.os}/${pointer.arch}`,
    pointer.version,
    pointer.moved_at.slice(0, 10),
    pointer.expired ? 'expired' : (pointer.expires_at ?? 'never'),
  ]);
  const lines =
    rows.length > 0
      ? tableOf([['CHANNEL', 'PLATFORM', 'VERSION', 'SINCE', 'EXPIRES'], ...rows])
      : ['No channel offers a build yet.'];
  // Version 0.3 of the server has no list of withdrawn builds.
  const { withdrawn = [] } = data as Partial<typeof data>;
  return { data, lines: [...lines, ...withdrawn.map(describeWithdrawn)] };
};

const WITHDRAWN = {
  rolled_back: 'rolled back',
  rollout_aborted: 'rollout aborted',
  expired: 'expired',
  deleted: 'deleted',
};

/** `Withdrawn from stable: 1.4.0 for Linux x86_64 (rolled back 2026-11-28). Still used by 12 devices since 2026-11-28.` */
function describeWithdrawn(build: OutputOf<typeof listToolChannels>['withdrawn'][number]): string {
  const { channel, version, reason, at, devices, devices_since: since } = build;
  const still =
    devices === null
      ? ''
      : ` Still used by ${devices === 0 ? 'no devices' : devices === 1 ? '1 device' : `${formatNumber(devices)} devices`} since ${since}.`;
  return `Withdrawn from ${channel}: ${version} for ${formatPlatform(build)} (${WITHDRAWN[reason]} ${at.slice(0, 10)}).${still}`;
}
