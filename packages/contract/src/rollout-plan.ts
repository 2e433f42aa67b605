// The steps and guards of a rollout as people write them, such as `5%:4h,25%:1d,100%` and `crash_free,boot:abort`. The
// command and the website read them, and the server checks the steps that it gets.
import { LIMITS } from './limits.ts';

/** For a time, or until a person decides if it has none, a share of the devices is offered the version. */
export type RolloutStep = { readonly share: number; readonly hours?: number };

export const GUARD_NAMES = ['crash_free', 'crash_on_boot', 'boot', 'new_groups'] as const;
export type GuardName = (typeof GUARD_NAMES)[number];
export const GUARD_ACTIONS = ['pause', 'abort'] as const;
type GuardAction = (typeof GUARD_ACTIONS)[number];
/** `tolerance` is in percentage points. */
export type GuardSetting = {
  readonly guard: GuardName;
  readonly action?: GuardAction;
  readonly tolerance?: number;
};

/** What a guard compares, as a heading. Each is a share of devices. */
export const GUARD_TITLES: Readonly<Record<GuardName, string>> = {
  crash_free: 'Crash-free devices',
  crash_on_boot: 'Devices without a crash on boot',
  boot: 'Devices that booted',
  new_groups: 'Devices without a new crash group',
};

export const DEFAULT_STEPS: readonly RolloutStep[] = [
  { share: 5, hours: 24 },
  { share: 25, hours: 24 },
  { share: 50, hours: 24 },
  { share: 100 },
];

/** Fewer devices on either side, and no guard decides. */
export const DEFAULT_MIN_DEVICES = 100;

/** What is wrong with the steps; null if nothing is. */
export function findStepProblem(steps: readonly RolloutStep[]): string | null {
  for (const [index, { share, hours }] of steps.entries()) {
    const isLast = index === steps.length - 1;
    const step = `steps[${index}]`;
    if (index > 0 && share <= steps[index - 1]!.share)
      return `${step}.share: each share must be larger than the one before.`;
    if (share === 100 && index === 0)
      return `${step}.share: a rollout begins with 1 to 99%. Promote the version instead.`;
    if (share === 100 && hours !== undefined)
      return `${step}.hours: 100% ends the rollout by promoting the version, so it has no time.`;
    if (!isLast && hours === undefined) return `${step}.hours: only the last step can be without a time.`;
    if (isLast && share < 100 && hours !== undefined)
      return `${step}.hours: the last step stays until someone decides, so it has no time. Add a step of 100% to finish after it.`;
  }
  return null;
}

const STEP = /^(\d{1,3})%?(?::(\d{1,5}(?:\.\d{1,3})?)([mhd]))?$/;
const MINUTES_OF = { m: 1, h: 60, d: 1440 } as const;

/** Reads `5%:4h,25%:1d,100%`. The times are minutes, hours or days. */
export function parseSteps(text: string): { readonly steps: readonly RolloutStep[] } | { readonly problem: string } {
  const steps: RolloutStep[] = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [, share, amount, unit] = STEP.exec(part) ?? [];
    if (share === undefined) return { problem: `"${part}" is not a step. Write a share and a time, such as 5%:4h.` };
    if (Number(share) < 1 || Number(share) > 100) return { problem: `"${part}": a share is from 1% to 100%.` };
    const hours =
      amount === undefined ? undefined : (Number(amount) * MINUTES_OF[unit as keyof typeof MINUTES_OF]) / 60;
    if (hours !== undefined && (hours < LIMITS.rolloutStepHours.min || hours > LIMITS.rolloutStepHours.max))
      return { problem: `"${part}": a step lasts from a minute to ${LIMITS.rolloutStepHours.max / 24} days.` };
    steps.push(hours === undefined ? { share: Number(share) } : { share: Number(share), hours });
  }
  if (steps.length > LIMITS.rolloutSteps) return { problem: `A rollout has at most ${LIMITS.rolloutSteps} steps.` };
  const problem = findStepProblem(steps);
  return problem === null ? { steps } : { problem };
}

/** Formats `5% for 4 hours, 25% for 1 day, then all`. */
export function formatSteps(steps: readonly RolloutStep[]): string {
  return steps.map(formatStep).join(', ');
}

export function formatStep({ share, hours }: RolloutStep): string {
  if (share === 100) return 'then all devices';
  return hours === undefined ? `${share}% until you decide` : `${share}% for ${formatHours(hours)}`;
}

/** Formats `90 minutes`, `4 hours` or `2 days`. */
export function formatHours(hours: number): string {
  const minutes = Math.round(hours * 60);
  if (minutes % 60 !== 0) return count(minutes, 'minute');
  return hours % 24 === 0 ? count(hours / 24, 'day') : count(Math.round(hours), 'hour');
}

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}

/** Writes steps as `parseSteps` reads them. */
export function writeSteps(steps: readonly RolloutStep[]): string {
  return steps.map(({ share, hours }) => `${share}%${hours === undefined ? '' : `:${writeHours(hours)}`}`).join(',');
}

function writeHours(hours: number): string {
  const minutes = Math.round(hours * 60);
  if (minutes % 60 !== 0) return `${minutes}m`;
  return hours % 24 === 0 ? `${hours / 24}d` : `${Math.round(hours)}h`;
}

type GuardState = Required<GuardSetting> & { readonly overruled: boolean };

/** What a guard does if the version is worse: `Pauses, beyond 0.5 points`, or `Overruled` if it does nothing. */
export function formatReaction({ action, tolerance, overruled }: GuardState): string {
  if (overruled) return 'Overruled';
  const beyond = tolerance > 0 ? `, beyond ${tolerance} points` : '';
  return `${action === 'pause' ? 'Pauses' : 'Aborts'}${beyond}`;
}

/** The largest tolerance, in percentage points. */
export const MAX_TOLERANCE = 50;

/** Reads `crash_free,boot:abort`, `all:pause:0.5` with a tolerance, or `none`. */
export function parseGuards(text: string): { readonly guards: readonly GuardSetting[] } | { readonly problem: string } {
  if (text.trim() === 'none') return { guards: [] };
  const guards: GuardSetting[] = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [name = '', action = 'pause', points, ...rest] = part.split(':');
    if (rest.length > 0 || !isIn(GUARD_ACTIONS, action))
      return { problem: `"${part}": what a guard does is pause or abort, such as crash_free:abort.` };
    const isTolerance =
      points === undefined || (/^\d{1,2}(\.\d{1,3})?$/.test(points) && Number(points) <= MAX_TOLERANCE);
    if (!isTolerance)
      return {
        problem: `"${part}": a tolerance is 0 to ${MAX_TOLERANCE} percentage points, as in crash_free:pause:0.5.`,
      };
    const named = name === 'all' ? GUARD_NAMES : isIn(GUARD_NAMES, name) ? [name] : null;
    if (named === null) return { problem: `"${name}" is not a guard. The guards are ${GUARD_NAMES.join(', ')}.` };
    const tolerance = points === undefined ? {} : { tolerance: Number(points) };
    guards.push(...named.map((guard) => ({ guard, action, ...tolerance })));
  }
  if (new Set(guards.map(({ guard }) => guard)).size < guards.length) return { problem: 'Name each guard once.' };
  return { guards };
}

function isIn<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
