// Computes the time span of a chart of events, and groups its points into series.
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { countEvents } from '@chauffeur/contract/operations/events';
import { DAY, HOUR } from '../../../kernel/clock.ts';

export type Step = 'hour' | 'day';
export type ChartSpan = { readonly from: Date; readonly to: Date; readonly step: Step };
type Series = OutputOf<typeof countEvents>['series'][number];

/** `at` is the start of an hour or day. `key` is null for the sum of all keys that have no separate series. */
export type Point = {
  readonly key: string | null;
  readonly label: string | null;
  readonly at: Date;
  readonly count: number;
};

const DEFAULT_DAYS = 30;
const STEPS: Readonly<Record<Step, number>> = { hour: HOUR, day: DAY };

/**
 * The whole hours or days (UTC) that cover the requested times; by default the last 30 days. Throws `invalid` for times
 * that are invalid, in the wrong order, or too far apart.
 */
export function chartSpanOf(requested: { from?: string; to?: string; step?: Step }, now: Date): ChartSpan {
  const step = requested.step ?? 'day';
  const size = STEPS[step];
  const end = requested.to === undefined ? now.getTime() : readTime('to', requested.to);
  const begin = requested.from === undefined ? end - DEFAULT_DAYS * DAY : readTime('from', requested.from);
  const [from, to] = [Math.floor(begin / size) * size, Math.ceil(end / size) * size];
  if (from >= to) throw errors.invalid('to: must be after from. Send a later time.');
  const maxDays = LIMITS.eventChartDays[step];
  // The current day is not counted.
  if (to - from > (maxDays + 1) * DAY)
    throw errors.invalid(
      step === 'hour'
        ? `from: more than ${maxDays} days before to, the maximum for steps of an hour.`
        : `from: more than ${maxDays} days before to, the maximum for steps of a day.`,
    );
  return { from: new Date(from), to: new Date(to), step };
}

/** Reads times without a zone as UTC, whatever the time zone of the server. */
function readTime(field: string, text: string): number {
  const hasZone = !/\dT[\d:.]+$/i.test(text);
  const time = Date.parse(hasZone ? text : `${text}Z`);
  if (Number.isNaN(time) || time < 0)
    throw errors.invalid(`${field}: not a valid time. Use a form such as 2026-11-30T18:00:00Z.`);
  return time;
}

/** The series in order of size, with the series for all other keys last. Points are ordered by time. */
export function seriesOf(points: readonly Point[]): Series[] {
  const byKey = Map.groupBy(points, ({ key }) => key);
  const series = [...byKey].map(([key, pointsOfKey]) => ({
    key,
    label: pointsOfKey[0]?.label ?? null,
    total: pointsOfKey.reduce((sum, { count }) => sum + count, 0),
    points: pointsOfKey
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      .map(({ at, count }) => ({ at: at.toISOString(), count })),
  }));
  return series.sort((a, b) => Number(a.key === null) - Number(b.key === null) || b.total - a.total || byText(a, b));
}

function byText(a: Series, b: Series): number {
  return (a.key ?? '') < (b.key ?? '') ? -1 : 1;
}
