// Times relative to now, with the exact time on hover. They share one clock.
import { useSyncExternalStore } from 'react';
import { formatExactTime, formatRelativeTime, formatTimeLeft } from './format.ts';

export function Time({ at }: { at: string }) {
  const now = useNow();
  const time = new Date(at);
  return (
    <time dateTime={at} title={formatExactTime(time)}>
      {formatRelativeTime(time, now)}
    </time>
  );
}

/** Shows the time left until a moment. */
export function Countdown({ until }: { until: string }) {
  const now = useNow();
  const end = new Date(until);
  return (
    <time dateTime={until} title={formatExactTime(end)}>
      {formatTimeLeft(end, now) ?? 'less than a minute'}
    </time>
  );
}

const TICK_MS = 30_000;
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The current time, from one clock for the whole page, which ticks twice a minute. */
export function useNow(): Date {
  return useSyncExternalStore(listen, () => now);
}

function listen(listener: () => void): () => void {
  if (listeners.size === 0) now = new Date();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = new Date();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
