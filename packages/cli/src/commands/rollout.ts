// `chauffeur rollout`: offers a newer version of a channel to a share of devices, shows how it does, and ends it.
import { formatNumber, formatPercent, formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listBuilds } from '@chauffeur/contract/operations/builds';
import * as rollouts from '@chauffeur/contract/operations/rollouts';
import { DEFAULT_STEPS, formatSteps, GUARD_TITLES, parseGuards, parseSteps } from '@chauffeur/contract/rollout-plan';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { tableOf } from '../output.ts';
import {
  addPlatformOptions,
  chosen,
  confirm,
  listOf,
  MAX_BUILDS,
  type PlatformOptions,
  STABLE,
  uniquePlatforms,
} from './channels.ts';
import { type Act, type Action, newCommand } from './command.ts';

type Status = OutputOf<typeof rollouts.startRolloutWithKey>;
type Rollout = OutputOf<typeof rollouts.listRolloutsWithKey>['rollouts'][number];
type Details = OutputOf<typeof rollouts.getRolloutWithKey>;
type Side = Details['side'];

export function rolloutCommand(command: Command, act: Act): Command {
  const start = newCommand(
    'start',
    'offer a version to a share of devices',
    'rollout start 1.4.0 --steps "5%:4h,25%:1d,100%"',
  )
    .argument('<version>', 'version of the builds')
    .option('--channel <channel>', 'channel that the devices follow', STABLE)
    .option(
      '--steps <steps>',
      'shares with their times, such as 5%:4h,25%:1d,100% (default: 5, 25 and 50% for a day each, then all)',
    )
    .option(
      '--guards <guards>',
      'guards, what they do and from how many points worse, such as crash_free,boot:abort:0.5, or none (default: all pause)',
    )
    .option('--min-devices <number>', 'devices that each side needs before a guard decides (default: 100)');
  const status = newCommand(
    'status',
    'show both versions side by side, and what happens next',
    'rollout status --json',
  );
  const list = newCommand('list', 'list the rollouts, newest first', 'rollout list --channel beta')
    .option('--channel <channel>', 'only rollouts on this channel')
    .option('--cursor <cursor>', 'next_cursor of the previous page, which --json prints');
  const pause = newCommand('pause', 'keep other devices from getting the version', 'rollout pause');
  const resume = newCommand('resume', 'go on with a paused rollout', 'rollout resume');
  const share = newCommand('share', 'offer the version to more devices now', 'rollout share 30').argument(
    '<percent>',
    'percentage of devices',
  );
  const finish = newCommand('finish', 'promote the version for all devices', 'rollout finish --yes');
  const abort = newCommand('abort', 'withdraw the version from all devices', 'rollout abort --yes');
  for (const each of [status, pause, resume, share, finish, abort]) addChoice(each);
  for (const each of [resume, share, finish, abort])
    each.option('--yes', 'skip the confirmation that a terminal asks for before stable changes');
  command.addCommand(addPlatformOptions(start).action(act(startOne)));
  command.addCommand(status.action(act(showOne)));
  command.addCommand(list.action(act(listAll)));
  command.addCommand(pause.action(act(pauseOne)));
  command.addCommand(resume.action(act(resumeOne)));
  command.addCommand(share.action(act(shareOne)));
  command.addCommand(finish.action(act(finishOne)));
  command.addCommand(abort.action(act(abortOne)));
  return command;
}

function addChoice(command: Command): void {
  command
    .option('--channel <channel>', 'channel of the rollout (default: the only one with a rollout)')
    .option('--id <rollout>', 'id of the rollout, if a channel has several');
}

type StartOptions = PlatformOptions & { channel: string; steps?: string; guards?: string; minDevices?: string };

const startOne: Action<StartOptions> = async (context, options, version = '') => {
  const { connect, retryBriefly, signal } = context;
  const { channel } = options;
  const steps = options.steps === undefined ? undefined : orUsage('--steps', parseSteps(options.steps)).steps;
  const guards = options.guards === undefined ? undefined : orUsage('--guards', parseGuards(options.guards)).guards;
  const minimum = options.minDevices === undefined ? undefined : Number(options.minDevices);
  const body = {
    version,
    ...(steps && { steps: [...steps] }),
    ...(guards && { guards: [...guards] }),
    ...(minimum !== undefined && { min_devices: minimum }),
  };
  const operation = rollouts.startRolloutWithKey;
  const problem = findProblem(operation.body!, body) ?? findProblem(operation.params!, { channel });
  if (problem !== null) throw new LocalError(`rollout start: ${problem}`, 'Correct the command.');
  const client = await connect();
  const builds = await retryBriefly(() =>
    client.call(listBuilds, { version, page_size: MAX_BUILDS }, { signal }).then((found) => found.builds),
  );
  const platforms = chosen(builds, options, `${version} has no build`);
  const targets = uniquePlatforms(platforms ?? builds).map((platform) => formatPlatform(platform));
  // The server refuses a version without a build, so there is nothing to confirm.
  if (channel === STABLE && targets.length > 0)
    await confirm(context, options, [
      `Roll ${version} out on ${channel} for ${listOf(targets)}?`,
      `  ${formatSteps(steps ?? DEFAULT_STEPS)}`,
    ]);
  // It is not tried again after a lost response: the second time would be refused because of the first.
  const data = await client.call(operation, { channel, ...body, ...(platforms && { platforms }) }, { signal });
  return { data, lines: linesOf(data, targets) };
};

function orUsage<T extends object>(flag: string, parsed: T | { readonly problem: string }): T {
  if ('problem' in parsed) throw new LocalError(`${flag}: ${parsed.problem}`, 'Correct the command.');
  return parsed;
}

type Choice = { channel?: string; id?: string; yes?: true };

/** The rollout that the flags choose: the active one, or with `orLast`, the newest one. Throws LocalError. */
async function choose(context: Context, { channel, id }: Choice, orLast = false): Promise<Rollout> {
  const { connect, retryBriefly, signal } = context;
  const client = await connect();
  const query = { ...(channel !== undefined && { channel }) };
  const problem = findProblem(rollouts.listRolloutsWithKey.query!, query);
  if (problem !== null) throw new LocalError(`rollout: ${problem}`, 'Correct the command.');
  const list = (state: 'active' | undefined) =>
    retryBriefly(() =>
      client.call(rollouts.listRolloutsWithKey, { ...query, ...(state && { state }) }, { signal }),
    ).then((found) => found.rollouts);
  if (id !== undefined) {
    const problemOfId = findProblem(rollouts.getRolloutWithKey.params!, { rollout_id: id });
    if (problemOfId !== null) throw new LocalError(`--id: ${problemOfId}`, 'Use an id that rollout list prints.');
    return retryBriefly(() => client.call(rollouts.getRolloutWithKey, { rollout_id: id }, { signal }));
  }
  const active = await list('active');
  const [found, another] = active;
  if (another !== undefined)
    throw new LocalError(
      `There are several rollouts: ${active.map((each) => `${each.version} on ${each.channel} (${each.rollout_id})`).join(', ')}.`,
      'Name one with --channel or --id.',
    );
  const last = found ?? (orLast ? (await list(undefined))[0] : undefined);
  if (last !== undefined) return last;
  throw new LocalError(
    channel === undefined ? 'No rollout is running or paused.' : `No rollout of ${channel} is running or paused.`,
    'List the earlier ones with chauffeur rollout list.',
  );
}

const showOne: Action<Choice> = async (context, options) => {
  const { rollout_id } = await choose(context, options, true);
  const client = await context.connect();
  const data = await context.retryBriefly(() =>
    client.call(rollouts.getRolloutWithKey, { rollout_id }, { signal: context.signal }),
  );
  return { data, lines: detailLinesOf(data) };
};

function detailLinesOf(rollout: Details): string[] {
  const {
    side,
    base_side: base,
    checks,
    guards,
    new_groups,
    history,
    measured_at: measuredAt,
    withdrawn_devices,
  } = rollout;
  const from = [...new Set(rollout.builds.map(({ base_version }) => base_version))].join(', ');
  const row = (name: string, pick: (of: Side) => string) => [name, pick(side), pick(base)];
  return [
    ...linesOf(rollout, platformsOf(rollout)),
    rollout.ended_at === null ? `Next: ${rollout.next}` : rollout.next,
    '',
    ...(measuredAt === null
      ? ['Devices are counted every five minutes, and none has been yet.']
      : tableOf([
          ['', rollout.version, from],
          row('devices', ({ devices }) => formatNumber(devices)),
          row('crash-free', ({ crash_free }) => formatRate(crash_free)),
          row('booted', ({ boot }) => formatRate(boot)),
          row('crashed on boot', ({ crashed_on_boot }) => formatNumber(crashed_on_boot)),
          row('launch health', ({ band }) => band),
        ])),
    ...checks.map((check) => describeCheck(check, guards)),
    ...new_groups
      .filter(({ is_new }) => is_new)
      .map(({ title, devices, reports }) => `New crash group: ${title} (${devices} devices, ${reports} reports)`),
    ...(withdrawn_devices ? [`${formatNumber(withdrawn_devices)} devices still have it.`] : []),
    '',
    ...history.map(({ at, by, text }) => `${at.slice(0, 16).replace('T', ' ')}  ${text} (${by})`),
  ];
}

type Check = Details['checks'][number];

/** Such as `Crash-free devices: worse, overruled`. */
export function describeCheck(
  { guard, verdict, devices, base_devices, needed }: Omit<Check, 'checked_at' | 'difference' | 'low' | 'high'>,
  guards: Details['guards'],
): string {
  const count = verdict === 'waiting' ? ` (${Math.min(devices, base_devices)} of ${needed})` : '';
  const isOverruled = guards.some((setting) => setting.guard === guard && setting.overruled);
  return `${GUARD_TITLES[guard]}: ${VERDICTS[verdict]}${count}${isOverruled ? ', overruled' : ''}`;
}

const VERDICTS = { waiting: 'too few devices', ok: 'not worse', worse: 'worse' } as const;

function formatRate({ rate, low, high }: Side['boot']): string {
  if (rate === null || low === null || high === null) return '-';
  return `${formatPercent(rate)} (${formatPercent(low)} to ${formatPercent(high)})`;
}

function linesOf(rollout: Status, on: readonly string[]): string[] {
  return [describeRollout(rollout, on), `  id: ${rollout.rollout_id}`];
}

/** What the rollout is, in a sentence. */
export function describeRollout(
  { version, channel, state, share }: Pick<Status, 'version' | 'channel' | 'state' | 'share'>,
  on: readonly string[],
): string {
  const platforms = listOf(on);
  const said = {
    running: `${version} is offered to ${share}% of devices on ${channel} for ${platforms}.`,
    paused: `The rollout of ${version} on ${channel} is paused at ${share}% of devices.`,
    finished: `The rollout of ${version} is finished: ${channel} offers it for ${platforms}.`,
    aborted: `The rollout of ${version} on ${channel} was aborted at ${share}% of devices.`,
    superseded: `The rollout of ${version} on ${channel} has ended, because the channel or its builds changed.`,
  };
  return said[state];
}

export function platformsOf({ builds }: Pick<Rollout, 'builds'>): string[] {
  return builds.map(formatPlatform);
}

type ListOptions = { channel?: string; cursor?: string };

const listAll: Action<ListOptions> = async ({ connect, output, retryBriefly, signal }, { channel, cursor }) => {
  const query = { ...(channel !== undefined && { channel }), ...(cursor !== undefined && { cursor }) };
  const problem = findProblem(rollouts.listRolloutsWithKey.query!, query);
  if (problem !== null) throw new LocalError(`rollout list: ${problem}`, 'Correct the command.');
  const client = await connect();
  const data = await retryBriefly(() => client.call(rollouts.listRolloutsWithKey, query, { signal }));
  if (data.next_cursor !== null) output.note('There are older rollouts: see the option --cursor.');
  const rows = data.rollouts.map((each) => [
    each.version,
    each.channel,
    each.state,
    `${each.share}%`,
    each.started_at.slice(0, 10),
    each.rollout_id,
  ]);
  const lines =
    rows.length > 0 ? tableOf([['VERSION', 'CHANNEL', 'STATE', 'SHARE', 'STARTED', 'ID'], ...rows]) : ['No rollouts.'];
  return { data, lines };
};

const pauseOne: Action<Choice> = async (context, options) => {
  const rollout = await choose(context, options);
  const client = await context.connect();
  const data = await client.call(
    rollouts.pauseRolloutWithKey,
    { rollout_id: rollout.rollout_id },
    { signal: context.signal },
  );
  return { data, lines: linesOf(data, platformsOf(rollout)) };
};

const resumeOne: Action<Choice> = async (context, options) => {
  const rollout = await chooseAndConfirm(context, options, ({ version, channel }) => [
    `Resume the rollout of ${version} on ${channel}?`,
    '  Guards that found it worse no longer stop it.',
  ]);
  const client = await context.connect();
  const data = await client.call(
    rollouts.resumeRolloutWithKey,
    { rollout_id: rollout.rollout_id },
    { signal: context.signal },
  );
  return { data, lines: linesOf(data, platformsOf(rollout)) };
};

const shareOne: Action<Choice> = async (context, options, percent = '') => {
  const share = Number(percent.replace(/%$/, ''));
  const problem = findProblem(rollouts.setRolloutShareWithKey.body!, { share });
  if (problem !== null) throw new LocalError(`rollout share: ${problem}`, 'Use a number from 1 to 99.');
  const rollout = await chooseAndConfirm(context, options, ({ version, channel, share: before }) => [
    `Offer ${version} to ${share}% of devices on ${channel}, instead of ${before}%?`,
  ]);
  const client = await context.connect();
  const data = await client.call(
    rollouts.setRolloutShareWithKey,
    { rollout_id: rollout.rollout_id, share },
    { signal: context.signal },
  );
  return { data, lines: linesOf(data, platformsOf(rollout)) };
};

const finishOne: Action<Choice> = async (context, options) => {
  const rollout = await chooseAndConfirm(context, options, ({ version, channel, builds }) => [
    `Promote ${version} on ${channel} for ${listOf(builds.map(formatPlatform))}?`,
  ]);
  const client = await context.connect();
  const data = await client.call(
    rollouts.finishRolloutWithKey,
    { rollout_id: rollout.rollout_id },
    { signal: context.signal },
  );
  return { data, lines: linesOf(data, platformsOf(rollout)) };
};

const abortOne: Action<Choice> = async (context, options) => {
  const rollout = await chooseAndConfirm(context, options, ({ version, channel }) => [
    `Abort the rollout of ${version} on ${channel}? Its devices are offered the current version again.`,
  ]);
  const client = await context.connect();
  const data = await client.call(
    rollouts.abortRolloutWithKey,
    { rollout_id: rollout.rollout_id },
    { signal: context.signal },
  );
  return { data, lines: linesOf(data, platformsOf(rollout)) };
};

async function chooseAndConfirm(
  context: Context,
  options: Choice,
  ask: (rollout: Rollout) => readonly string[],
): Promise<Rollout> {
  const rollout = await choose(context, options);
  if (rollout.channel === STABLE) await confirm(context, options, ask(rollout));
  return rollout;
}
