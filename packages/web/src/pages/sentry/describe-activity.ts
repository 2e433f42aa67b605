// Says in plain words what became of what Sentry's SDKs sent, and why.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getSentryActivity } from '@chauffeur/contract/operations/dsns';

export type ActivityCount = OutputOf<typeof getSentryActivity>['counts'][number];

/** The types of items, and the categories in which SDKs count what they discard. */
const TYPES: Readonly<Record<string, string>> = {
  attachment: 'Attachments',
  check_in: 'Check-ins',
  client_report: 'Client reports',
  default: 'Other items',
  error: 'Crashes and errors',
  event: 'Reports',
  feedback: 'Feedback',
  log: 'Logs',
  log_item: 'Logs',
  metric_buckets: 'Metrics',
  monitor: 'Check-ins',
  otel_log: 'Logs',
  profile: 'Profiles',
  profile_chunk: 'Profiles',
  replay: 'Replays',
  replay_event: 'Replays',
  replay_recording: 'Replays',
  replay_video: 'Replays',
  session: 'Sessions',
  sessions: 'Sums of sessions',
  span: 'Spans',
  statsd: 'Metrics',
  trace_metric: 'Metrics',
  transaction: 'Transactions',
  unknown: 'Items of unknown types',
  user_report: 'User reports',
};

const DROPPED: Readonly<Record<string, string>> = {
  aggregated: 'Dropped: servers send them, not games',
  no_event: 'Dropped: no report that they could belong to',
  no_room: "Dropped: the server's storage was full",
  not_accepted: 'Dropped: the game takes bug reports only from players with an account',
  not_used: "Dropped: Chauffeur doesn't use them",
  over_limit: 'Dropped: beyond the limit of a day',
  too_large: 'Dropped: too large',
  too_many: 'Dropped: too many at once',
  unreadable: 'Dropped: empty, damaged or cut off',
  without_id: 'Dropped: they have no ID',
};

const DISCARDED: Readonly<Record<string, string>> = {
  backpressure: 'The SDK had too much to do',
  before_send: 'Left out by the game, in before_send',
  buffer_overflow: 'Too many to send at once',
  cache_overflow: "The SDK's cache was full",
  event_processor: 'Left out by the game, in an event processor',
  ignored: 'Left out by a filter',
  insufficient_data: 'Too little data',
  internal_sdk_error: 'An error in the SDK',
  network_error: 'No connection, or a server error',
  other: 'Another reason',
  queue_overflow: 'Too many to send at once',
  ratelimit_backoff: 'Beyond a limit: the server asked the SDK to wait',
  sample_rate: 'Left out by the sample rate of the game',
  send_error: 'The server refused them',
};

/** The type of what was counted, and what became of it. */
export function describeCount({ what, type, reason }: ActivityCount): { readonly type: string; readonly why: string } {
  if (what === 'message') return { type: `Messages (${type})`, why: 'Counted: a message has no exception' };
  const name = TYPES[type] ?? type;
  if (what === 'repeated') return { type: name, why: 'Sent again: kept once' };
  return { type: name, why: (what === 'dropped' ? DROPPED : DISCARDED)[reason] ?? reason };
}

export type ActivityRow = {
  readonly type: string;
  readonly why: string;
  readonly count: number;
  readonly lastDay: string;
};

/** Counts with the same words are one row. The largest is first. */
export function rowsOfCounts(counts: readonly ActivityCount[]): ActivityRow[] {
  const rows = new Map<string, ActivityRow>();
  for (const counted of counts) {
    const { type, why } = describeCount(counted);
    const key = `${type} ${why}`;
    const { count = 0, lastDay = '' } = rows.get(key) ?? {};
    const last = lastDay > counted.last_day ? lastDay : counted.last_day;
    rows.set(key, { type, why, count: count + counted.count, lastDay: last });
  }
  return [...rows.values()].sort((a, b) => b.count - a.count);
}
