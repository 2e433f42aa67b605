// The time left until a moment, updated every minute, with the exact time on hover.
import { formatExactTime, formatTimeLeft } from './format.ts';
import { useNow } from './use-now.ts';

export function Countdown({ until }: { until: string }) {
  const now = useNow();
  const end = new Date(until);
  return (
    <time dateTime={until} title={formatExactTime(end)}>
      {formatTimeLeft(end, now) ?? 'less than a minute'}
    </time>
  );
}
