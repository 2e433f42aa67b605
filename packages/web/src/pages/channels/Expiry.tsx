// Counts down to the expiry of a build on a channel, then shows that it expired.
import { NativeSelect } from '@mantine/core';
import { Countdown, Time, useNow } from '../../ui/Time.tsx';

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

const DAY = 24;
const CHOICES = [
  { value: '0', label: 'Never' },
  { value: '1', label: 'In 1 hour' },
  { value: String(DAY), label: 'In 1 day' },
  { value: String(3 * DAY), label: 'In 3 days' },
  { value: String(7 * DAY), label: 'In 7 days' },
  { value: String(30 * DAY), label: 'In 30 days' },
  { value: String(90 * DAY), label: 'In 90 days' },
];

type ExpirySelectProps = { hours: number; onChange: (hours: number) => void };

/** Selects when a promotion expires. */
export function ExpirySelect({ hours, onChange }: ExpirySelectProps) {
  return (
    <NativeSelect
      label="Expires"
      data={CHOICES}
      value={String(hours)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    />
  );
}
