// The types of items in envelopes: what becomes of each, how large it may be, and under which name it is counted and
// limited.
import { KIB, LIMITS, MIB } from '@chauffeur/contract/limits';

/** The names by which clients count what they discard, and by which a server may tell them to stop. */
export const CATEGORIES = [
  'error',
  'default',
  'transaction',
  'session',
  'attachment',
  'profile',
  'replay',
  'monitor',
  'feedback',
  'log_item',
  'span',
  'trace_metric',
] as const;
export type Category = (typeof CATEGORIES)[number];

export type ItemKind = {
  readonly category: Category;
  /** `json` is read whole, `file` is passed on as it arrives, and `dropped` is only counted. */
  readonly use: 'json' | 'file' | 'dropped';
  readonly maxBytes: number;
};

/** A crash with all threads of a large game has some hundred KiB. */
export const MAX_EVENT_BYTES = 8 * MIB;

const dropped = (category: Category): ItemKind => ({ category, use: 'dropped', maxBytes: 0 });

const KINDS: Readonly<Record<string, ItemKind>> = {
  event: { category: 'error', use: 'json', maxBytes: MAX_EVENT_BYTES },
  feedback: { category: 'feedback', use: 'json', maxBytes: MAX_EVENT_BYTES },
  user_report: { category: 'feedback', use: 'json', maxBytes: 64 * KIB },
  session: { category: 'session', use: 'json', maxBytes: 64 * KIB },
  sessions: dropped('session'),
  client_report: { category: 'default', use: 'json', maxBytes: 256 * KIB },
  attachment: { category: 'attachment', use: 'file', maxBytes: LIMITS.crashAttachmentBytes },
  transaction: dropped('transaction'),
  span: dropped('span'),
  profile: dropped('profile'),
  profile_chunk: dropped('profile'),
  replay_event: dropped('replay'),
  replay_recording: dropped('replay'),
  replay_video: dropped('replay'),
  log: dropped('log_item'),
  otel_log: dropped('log_item'),
  trace_metric: dropped('trace_metric'),
  statsd: dropped('trace_metric'),
  metric_buckets: dropped('trace_metric'),
  check_in: dropped('monitor'),
};

const UNKNOWN: ItemKind = dropped('default');

export function kindOf(type: string): ItemKind {
  return Object.hasOwn(KINDS, type) ? KINDS[type]! : UNKNOWN;
}

/** The types that are counted by name. Any other name comes from the sender, so it is counted as `unknown`. */
export function countedType(type: string): string {
  return Object.hasOwn(KINDS, type) ? type : 'unknown';
}
