// A relative time, with the exact time on hover.
import { formatExactTime, formatRelativeTime } from './format.ts';
import { useNow } from './use-now.ts';

export function Time({ at }: { at: string }) {
  const now = useNow();
  const time = new Date(at);
  return (
    <time dateTime={at} title={formatExactTime(time)}>
      {formatRelativeTime(time, now)}
    </time>
  );
}
