// The times of a rollout's steps: pure functions of its row.
import type { RolloutStep } from '@chauffeur/contract/rollout-plan';
import { HOUR } from '../../kernel/clock.ts';

type Timed = {
  readonly state: string;
  readonly steps: readonly RolloutStep[];
  readonly step: number;
  readonly step_since: Date;
  readonly paused_ms: number;
};

/** When the time of the step is over; null if it has none, or the rollout is not running. */
export function stepEndOf({ state, steps, step, step_since: since, paused_ms: pausedMs }: Timed): Date | null {
  const hours = steps[step]?.hours;
  if (state !== 'running' || hours === undefined) return null;
  return new Date(since.getTime() + pausedMs + Math.round(hours * HOUR));
}

/** A step waits this many times its time for devices before members are alerted. */
const MAX_WAIT = 3;

/** Whether members should hear that the step waits for devices. */
export function isStalled(rollout: Timed, now: Date): boolean {
  const end = stepEndOf(rollout);
  const hours = rollout.steps[rollout.step]?.hours ?? 0;
  return end !== null && now.getTime() >= end.getTime() + (MAX_WAIT - 1) * hours * HOUR;
}

/** The position of the last step whose share is at most this one, but no earlier step than now. */
export function stepOfShare(steps: readonly RolloutStep[], step: number, share: number): number {
  return Math.max(
    step,
    steps.findLastIndex((candidate) => candidate.share <= share),
  );
}
