// Reads what a client says that it discarded, so that a game can see what never arrived.

import { CATEGORIES, type Category } from './envelope/kinds.ts';
import { countOf, fieldOf, isFields, lineOf } from './values.ts';

/** Why clients discard something. Other reasons are counted as `other`, because they come from the sender. */
const DISCARD_REASONS = [
  'ratelimit_backoff',
  'network_error',
  'send_error',
  'queue_overflow',
  'cache_overflow',
  'buffer_overflow',
  'before_send',
  'event_processor',
  'sample_rate',
  'insufficient_data',
  'backpressure',
  'ignored',
  'internal_sdk_error',
  'other',
] as const;
type DiscardReason = (typeof DISCARD_REASONS)[number];

export type Discarded = { readonly reason: DiscardReason; readonly category: Category; readonly quantity: number };

const MAX_ENTRIES = 200;
const MAX_QUANTITY = 1_000_000;

/** Each reason and category once. */
export function discardedOf(value: unknown): Discarded[] {
  const events = fieldOf(value, 'discarded_events');
  const totals = new Map<string, Discarded>();
  for (const event of Array.isArray(events) ? events.slice(0, MAX_ENTRIES) : []) {
    const quantity = isFields(event) ? (countOf(event.quantity, MAX_QUANTITY) ?? 0) : 0;
    if (quantity === 0) continue;
    const reason = oneOf(DISCARD_REASONS, fieldOf(event, 'reason')) ?? 'other';
    const category = oneOf(CATEGORIES, fieldOf(event, 'category')) ?? 'default';
    const key = `${reason} ${category}`;
    totals.set(key, { reason, category, quantity: (totals.get(key)?.quantity ?? 0) + quantity });
  }
  return [...totals.values()];
}

function oneOf<Name extends string>(names: readonly Name[], value: unknown): Name | undefined {
  const text = lineOf(value, 40);
  return names.find((name) => name === text);
}
