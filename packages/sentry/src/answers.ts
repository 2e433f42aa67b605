// What clients are answered, so that they stop sending what isn't taken and don't lose what is.
import type { Category } from './envelope/kinds.ts';

/** What a client is to stop sending, and for how long. */
export type RateLimit = {
  readonly seconds: number;
  /** Everything if it is empty. */
  readonly categories: readonly Category[];
  readonly reason: string;
};

/** The header X-Sentry-Rate-Limits, which clients obey with any status: `3600:span;log_item:key:not_used`. */
export function formatRateLimits(limits: readonly RateLimit[]): string {
  return limits
    .map(({ seconds, categories, reason }) => `${Math.ceil(seconds)}:${categories.join(';')}:key:${reason}`)
    .join(', ');
}

/** What no report, session or ticket is made from. */
export const UNUSED_CATEGORIES: readonly Category[] = [
  'transaction',
  'span',
  'profile',
  'replay',
  'log_item',
  'trace_metric',
  'monitor',
];
