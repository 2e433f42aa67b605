// A moment, as long ago as it is, with the exact time when it is pointed at.
import { sayExactTime, sayRelative } from './say.ts';
import { useNow } from './use-now.ts';

export function Time({ at }: { at: string }) {
  const now = useNow();
  const time = new Date(at);
  return (
    <time dateTime={at} title={sayExactTime(time)}>
      {sayRelative(time, now)}
    </time>
  );
}
