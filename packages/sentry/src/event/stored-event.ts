// Writes events as JSON to be kept, and reads them again. JSON has no numbers of 64 bits, so addresses are written as
// `0x1f`.
import { formatAddress } from '../ids.ts';
import type { SentryEvent } from './event.ts';

/** Increase it with a change of the type that older events don't fit, and read those, too. */
const VERSION = 1;

export function writeEvent(event: SentryEvent): string {
  return JSON.stringify({ version: VERSION, event }, (_, value: unknown) =>
    typeof value === 'bigint' ? formatAddress(value) : value,
  );
}

/** Reads what `writeEvent` wrote. Throws SyntaxError for anything else. */
export function readEvent(text: string): SentryEvent {
  const stored = JSON.parse(text, (key, value: unknown) =>
    key === 'address' && typeof value === 'string' ? BigInt(value) : value,
  ) as { readonly version: number; readonly event: SentryEvent };
  if (stored.version !== VERSION) throw new SyntaxError('not a stored event');
  return stored.event;
}
