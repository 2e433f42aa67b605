// The names of reports from Sentry's SDKs: the same event is one report, whichever build it is from.
import { hash } from 'node:crypto';
import type { Idempotency } from '../../crashes/receive/create.ts';

/** An id of an event is known to others, so its hash is never that of a client's own id, which opens a report. */
export function nameOfEvent(eventId: string): Idempotency {
  return { keyHash: hash('sha256', `sentry event ${eventId}`), requestHash: SAME_REQUEST };
}

/** Two requests with one event may differ, as in the time when they were sent. */
const SAME_REQUEST = hash('sha256', 'sentry event');
