// Decides what a chart of events spans, and puts its points into series.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { countEvents } from '@chauffeur/contract/operations/events';
import { DAY, HOUR } from '../../../kernel/clock.ts';

export type Step = 'hour' | 'day';
export type Span = { readonly from: Date; readonly to: Date; readonly step: Step };
type Series = OutputOf<typeof countEvents>['series'][number];

/** `at` is the beginning of an hour or of a day; `key` is null for all that have no series of their own. */
export type Point = {
  readonly key: string | null;
  readonly label: string | null;
  readonly at: Date;
  readonly count: number;
};

const DEFAULT_DAYS = 30;
const STEPS: Readonly<Record<Step, number>> = { hour: HOUR, day: DAY };

/**
 * Whole hours or days (UTC) that cover what was asked for; the last 30 days where nothing was. Throws 4002 for times that cannot be read,
 * that are the wrong way round, or too far apart.
 */
export function spanOf(asked: { from?: string; to?: string; step?: Step }, now: Date): Span {
  const step = asked.step ?? 'day';
  const size = STEPS[step];
  const end = asked.to === undefined ? now.getTime() : readTime('to', asked.to);
  const begin = asked.from === undefined ? end - DEFAULT_DAYS * DAY : readTime('from', asked.from);
  const [from, to] = [Math.floor(begin / size) * size, Math.ceil(end / size) * size];
  if (from >= to) throw new ApiError(4002, 'to: not after from; send a later time.');
  const most = LIMITS.eventChartDays[step];
  // The day that now is in counts as begun only.
  if (to - from > (most + 1) * DAY)
    throw new ApiError(4002, `from: more than ${most} days before to; by ${step} that is the most.`);
  return { from: new Date(from), to: new Date(to), step };
}

/** What has no zone is in UTC: where the server stands is nobody’s business. */
function readTime(field: string, text: string): number {
  const hasZone = !/\dT[\d:.]+$/i.test(text);
  const time = Date.parse(hasZone ? text : `${text}Z`);
  if (Number.isNaN(time) || time < 0)
    throw new ApiError(4002, `${field}: not a time; write it as 2026-11-30T18:00:00Z.`);
  return time;
}

/** The series, the largest first and that of all others last; each with its points in the order of time. */
export function seriesOf(points: readonly Point[]): Series[] {
  const byKey = Map.groupBy(points, ({ key }) => key);
  const series = [...byKey].map(([key, own]) => ({
    key,
    label: own[0]?.label ?? null,
    total: own.reduce((sum, { count }) => sum + count, 0),
    points: own
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      .map(({ at, count }) => ({ at: at.toISOString(), count })),
  }));
  return series.sort((a, b) => Number(a.key === null) - Number(b.key === null) || b.total - a.total || byText(a, b));
}

function byText(a: Series, b: Series): number {
  return (a.key ?? '') < (b.key ?? '') ? -1 : 1;
}
