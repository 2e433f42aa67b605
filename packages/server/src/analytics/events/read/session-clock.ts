// Decides in which order the events of a session happened, and how long before the crash.
import type { SessionEventRow } from './breadcrumbs.sql.ts';

export type TimedEvent = SessionEventRow & { readonly secondsBefore: number };

/**
 * The events, given newest first and returned oldest first, with their times before `end`. The clock of a device can be wrong by any time. No event
 * arrives before it happens, so the clock is taken to be behind by the shortest time from an event to its arrival.
 */
export function timeEvents(events: readonly SessionEventRow[], end: Date): TimedEvent[] {
  const delays = events.flatMap(({ client_time: sent, received_at }) =>
    sent === null ? [] : [received_at.getTime() - sent.getTime()],
  );
  const behind = Math.min(...delays);
  return events
    .toReversed()
    .map((event) => {
      const at = event.client_time === null ? event.received_at.getTime() : event.client_time.getTime() + behind;
      return { ...event, secondsBefore: (end.getTime() - at) / 1000 };
    })
    .sort((a, b) => b.secondsBefore - a.secondsBefore || a.received_at.getTime() - b.received_at.getTime());
}
