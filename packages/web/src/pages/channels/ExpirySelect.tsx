// Until when a promotion holds.
import { NativeSelect } from '@mantine/core';

const DAY = 24;
const CHOICES = [
  { value: '0', label: 'It does not expire' },
  { value: '1', label: 'In an hour' },
  { value: String(DAY), label: 'In a day' },
  { value: String(3 * DAY), label: 'In 3 days' },
  { value: String(7 * DAY), label: 'In a week' },
  { value: String(30 * DAY), label: 'In 30 days' },
  { value: String(90 * DAY), label: 'In 90 days' },
];

type ExpirySelectProps = { hours: number; onChange: (hours: number) => void };

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
