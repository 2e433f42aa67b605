// Counts down to the expiry of a build on a channel, then shows that it expired.
import { Countdown } from '../../ui/Countdown.tsx';
import { Time } from '../../ui/Time.tsx';
import { useNow } from '../../ui/use-now.ts';

export function useIsExpired(expiresAt: string | null): boolean {
  const now = useNow();
  return expiresAt !== null && new Date(expiresAt) <= now;
}

export function Expiry({ at }: { at: string }) {
  if (useIsExpired(at)) {
    return (
      <>
        Expired <Time at={at} />
      </>
    );
  }
  return (
    <>
      Expires in <Countdown until={at} />
    </>
  );
}
