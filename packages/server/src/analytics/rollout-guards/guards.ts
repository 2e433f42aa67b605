// Decides whether a version that is being rolled out is worse than the current one: pure functions of counts.
//
// The counts are compared every few minutes, and an ordinary interval of 95% that is looked at so often excludes no
// difference wrongly about once in five rollouts. So the interval is wider: its quantile follows Robbins' boundary for
// normal mixtures (Annals of Mathematical Statistics 41, 1970, pages 1397 to 1409), which holds at all times at once,
// whenever and however often one looks. docs/adr/0036-rollout-guards.md has the alternatives, and
// bench/rollout-guards.ts measures how often guards err.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getRollout } from '@chauffeur/contract/operations/rollouts';
import type { GuardName } from '@chauffeur/contract/rollout-plan';
import { compareRates, type Share } from '../health/rate-difference.ts';

/** The probability that a guard ever stops a version that is as good as the current one. */
const ERROR_RATE = 0.01;
/** A guard never decides on fewer affected devices: the interval is inexact for so few. */
export const MIN_AFFECTED = 8;

/** What the devices of one side did. `started` has only devices whose start was seen. */
export type SideCounts = {
  readonly devices: number;
  readonly crashed: number;
  readonly started: number;
  readonly booted: number;
  readonly crashed_on_boot: number;
  /** Devices with a report in a crash group that is new since the rollout began. */
  readonly new_group_devices: number;
};

/** The share of devices that are fine, of which more is better. */
const SHARES: Readonly<Record<GuardName, (counts: SideCounts) => Share>> = {
  crash_free: ({ devices, crashed }) => shareWithout(crashed, devices),
  crash_on_boot: ({ started, crashed_on_boot: crashed }) => shareWithout(crashed, started),
  boot: ({ started, booted }) => ({ part: Math.min(booted, started), total: started }),
  new_groups: ({ devices, new_group_devices: affected }) => shareWithout(affected, devices),
};

function shareWithout(affected: number, total: number): Share {
  return { part: Math.max(0, total - affected), total };
}

/** A guard's result, as it is stored. */
export type CheckResult = Omit<OutputOf<typeof getRollout>['checks'][number], 'guard' | 'checked_at'>;

/** `tolerance` is in percentage points. */
type Limits = { readonly minDevices: number; readonly tolerance: number };

export function checkGuard(
  guard: GuardName,
  sides: { readonly side: SideCounts; readonly base: SideCounts },
  { minDevices, tolerance }: Limits,
): CheckResult {
  return compareShares(SHARES[guard](sides.side), SHARES[guard](sides.base), { minDevices, tolerance });
}

export function compareShares(share: Share, base: Share, { minDevices, tolerance }: Limits): CheckResult {
  const { difference, low, high } = compareRates(share, base, quantileFor(share.total, base.total, minDevices));
  const isEnough = share.total >= minDevices && base.total >= minDevices;
  const affected = share.total - share.part;
  const isWorse = high !== null && high < -tolerance / 100 && affected >= MIN_AFFECTED;
  return {
    verdict: isEnough ? (isWorse ? 'worse' : 'ok') : 'waiting',
    good: share.part,
    devices: share.total,
    base_good: base.part,
    base_devices: base.total,
    needed: minDevices,
    ...{ difference, low, high },
  };
}

/**
 * The quantile with which the interval of a difference holds at all times: with `n`, the harmonic sum of the sides, as
 * the information about the difference, and a mixture for differences that the first devices to decide on would show.
 */
export function quantileFor(devices: number, baseDevices: number, minDevices: number): number {
  const n = devices === 0 || baseDevices === 0 ? 1 : 1 / (1 / devices + 1 / baseDevices);
  return Math.sqrt((1 + minDevices / n) * (Math.log(1 + n / minDevices) + 2 * Math.log(1 / ERROR_RATE)));
}
