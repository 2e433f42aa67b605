// Until when a channel offers its build, counted down; once over, it says so without being loaded anew.
import { Countdown } from '../../ui/Countdown.tsx';
import { Time } from '../../ui/Time.tsx';
import { useNow } from '../../ui/use-now.ts';

export function useIsOver(expiresAt: string | null): boolean {
  const now = useNow();
  return expiresAt !== null && new Date(expiresAt) <= now;
}

export function Expiry({ at }: { at: string }) {
  if (useIsOver(at)) {
    return (
      <>
        expired <Time at={at} />
      </>
    );
  }
  return (
    <>
      expires in <Countdown until={at} />
    </>
  );
}
