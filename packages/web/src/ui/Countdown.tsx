// How long something still lasts, told anew each minute, with the exact end when it is pointed at.
import { sayExactTime, sayLeft } from './say.ts';
import { useNow } from './use-now.ts';

export function Countdown({ until }: { until: string }) {
  const now = useNow();
  const end = new Date(until);
  return (
    <time dateTime={until} title={sayExactTime(end)}>
      {sayLeft(end, now) ?? 'no time'}
    </time>
  );
}
