// A median with the number of its samples: `2.5 s of 24`.
import { formatNumber } from '@chauffeur/contract/format';
import { Text } from '@mantine/core';

type MedianProps = {
  /** Null if there are no samples. */
  median: number | null;
  samples: number;
  format: (median: number) => string;
};

export function Median({ median, samples, format }: MedianProps) {
  if (median === null) return '–';
  return (
    <>
      {format(median)}{' '}
      <Text span size="sm" c="dimmed">
        {`of ${formatNumber(samples)}`}
      </Text>
    </>
  );
}
