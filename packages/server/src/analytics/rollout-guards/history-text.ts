// The sentences about what happened to a rollout, and what happens next: pure functions of its rows.
import { formatNumber, formatPercent, formatPlatform } from '@chauffeur/contract/format';
import { formatHours, GUARD_TITLES, type GuardName } from '@chauffeur/contract/rollout-plan';
import { stepEndOf } from '../../ship/rollout-schedule/rollout-schedule.ts';
import type { Rollout, SupersededBy } from '../../ship/rollouts/rollouts.ts';
import type { CheckResult } from './guards.ts';

export type Check = CheckResult & { readonly guard: GuardName; readonly checked_at: string };

/** Formats `Crash-free devices: 91% of 120 devices, and 98.9% of 2,000 with the current version`. */
function formatCheck({ guard, good, devices, base_good, base_devices }: Omit<Check, 'checked_at'>): string {
  const rate = (part: number, total: number) => (total === 0 ? 'none' : formatPercent(part / total));
  return `${GUARD_TITLES[guard]}: ${rate(good, devices)} of ${formatNumber(devices)} devices, and ${rate(base_good, base_devices)} of ${formatNumber(base_devices)} with the current version`;
}

type Entry = { readonly kind: string; readonly by: string; readonly data: Record<string, unknown> };

export function formatEntry(entry: Entry, { version, channel }: Pick<Rollout, 'version' | 'channel'>): string {
  const { share, before } = entry.data as { share?: number; before?: number };
  const checks = (entry.data.checks ?? []) as Check[];
  switch (entry.kind) {
    case 'started':
      return `Started at ${share}% of devices.`;
    case 'step':
      return `Went on from ${before}% to ${share}% of devices: the time of the step was over, and no guard objected.`;
    case 'share':
      return `Changed from ${before}% to ${share}% of devices.`;
    case 'paused':
      return entry.data.reason === 'not_offered'
        ? `Paused: ${version} has no clean file anymore, so the rollout can't finish.`
        : `Paused${becauseOf(checks)}`;
    case 'resumed': {
      const overruled = (entry.data.overruled ?? []) as GuardName[];
      const guards = overruled.map((guard) => GUARD_TITLES[guard].toLowerCase()).join(', ');
      return overruled.length === 0 ? 'Resumed.' : `Resumed. These guards no longer stop it: ${guards}.`;
    }
    case 'waiting':
      return `The time of the step is over, but there are too few devices to decide. ${checks.map(formatCheck).join('. ')}.`;
    case 'finished':
      return `Finished: ${channel} offers ${version} to all devices.`;
    case 'aborted':
      return `Aborted at ${share}% of devices${becauseOf(checks)}`;
    default:
      return formatSuperseded(entry.data as unknown as SupersededBy, channel);
  }
}

function becauseOf(checks: readonly Check[]): string {
  return checks.length === 0 ? '.' : ` because the version is worse. ${checks.map(formatCheck).join('. ')}.`;
}

const MOVES: Readonly<Record<string, (version: string) => string>> = {
  advance: (version) => `an upload moved it to ${version}`,
  promote: (version) => `it was moved to ${version}`,
  rollback: (version) => `it was rolled back to ${version}`,
  undo: (version) => `a change was undone, which restored ${version}`,
  delete: (version) => `its build of ${version} was deleted`,
};

function formatSuperseded(ended: SupersededBy, channel: string): string {
  if (ended.reason === 'expired') return `Ended because what ${channel} offers has expired.`;
  const platform = formatPlatform(ended as Parameters<typeof formatPlatform>[0]);
  if (ended.reason === 'deleted') return `Ended because the build of ${ended.version} for ${platform} was deleted.`;
  const move = (MOVES[ended.action] ?? MOVES.promote!)(ended.version);
  return `Ended because ${channel} changed on ${platform}: ${move}.`;
}

/** What happens next, unless someone does something. `waiting` are the guards that have too few devices. */
export function formatNext(rollout: Rollout, waiting: readonly Check[], now: Date): string {
  const { state, steps, step, share, channel, version, guards } = rollout;
  switch (state) {
    case 'finished':
      return `Nothing: ${channel} offers ${version} to all devices.`;
    case 'aborted':
      return `Nothing: devices that have ${version} are offered what ${channel} offers.`;
    case 'superseded':
      return `Nothing: devices are offered what ${channel} offers.`;
    case 'paused':
      return `Nothing until you resume, finish or abort it. Devices that have ${version} keep it.`;
    case 'running': {
      const next = steps[step + 1];
      const unless = guards.length === 0 ? '' : ', unless a guard stops it';
      if (next === undefined) return `It stays at ${share}% of devices until you finish or abort it${unless}.`;
      const then =
        next.share === 100 ? `${version} is promoted on ${channel}` : `it goes on to ${Math.max(share, next.share)}%`;
      const left = (stepEndOf(rollout)!.getTime() - now.getTime()) / 3_600_000;
      const devices = waiting.length === 0 ? '' : formatNeeds(waiting);
      if (left <= 0)
        return devices === ''
          ? `The time of this step is over: ${then} at the next check, within five minutes${unless}.`
          : `The time of this step is over: ${then} once the guards can decide. ${devices}`;
      return `In ${formatHours(Math.max(1 / 60, roundHours(left)))}, ${then}${unless}.${devices === '' ? '' : ` ${devices}`}`;
    }
  }
}

function roundHours(hours: number): number {
  return hours > 2 ? Math.round(hours) : Math.ceil(hours * 60) / 60;
}

/** Guards that have the same number of devices, as most do, are in one sentence. */
function formatNeeds(waiting: readonly Check[]): string {
  const byNumber = Map.groupBy(
    waiting,
    ({ devices, base_devices: base, needed }) =>
      `${formatNumber(Math.min(devices, base))} of ${formatNumber(needed)} devices`,
  );
  return [...byNumber]
    .map(([number, [check, ...others]]) =>
      others.length === 0
        ? `${GUARD_TITLES[check!.guard]}: ${number} on each side.`
        : `${others.length + 1} guards have too few devices: ${number} on each side.`,
    )
    .join(' ');
}
