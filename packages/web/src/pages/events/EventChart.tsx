// The chart of the selected events: a series for each event, or one event split by build or OS.
import { formatCompactNumber, formatNumber, formatOs } from '@chauffeur/contract/format';
import { countEvents } from '@chauffeur/contract/operations/events';
import { Skeleton, Text } from '@mantine/core';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { type Series, timesOf } from '../../charts/series.ts';
import { TimeChart, useBuildColours } from '../../charts/TimeChart.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useNow } from '../../ui/Time.tsx';
import { colourOfOs, type Explorer, formatBuildLabel, seriesOfNames, seriesOfParts, spanOf } from './explore.ts';

type EventChartProps = {
  gameUid: string;
  explorer: Explorer;
  names: readonly string[];
  onToggle: (key: string) => void;
  onTable: (hasTable: boolean) => void;
};

export function EventChart({ gameUid, explorer, names, onToggle, onTable }: EventChartProps) {
  const { series, times, error, isPending, refetch } = useSeries(gameUid, explorer, names);
  const { step, split, hidden, hasTable } = explorer;
  if (names.length === 0) return <Text size="sm">Select an event to show its chart.</Text>;
  if (error !== null) return <Problem error={error} onRetry={refetch} />;
  if (isPending) return <Skeleton h={320} />;
  const label = split === 'none' ? 'Events' : names.join();
  return (
    <section aria-label="Chart">
      <TimeChart
        label={label}
        series={series}
        times={times}
        step={step}
        shape={split === 'none' ? 'separate' : 'stacked'}
        format={formatCompactNumber}
        formatExactly={formatNumber}
        hidden={hidden}
        onToggle={onToggle}
        hasTable={hasTable}
        onTable={onTable}
      />
      <Text size="sm" c="dimmed" mt="xs">
        {step === 'day'
          ? 'Events are counted when they arrive. Days are in UTC.'
          : 'Events are counted when they arrive. Hours are in your time zone.'}{' '}
        {split === 'none' && names.length > 1 && 'Each event has its own scale.'}
      </Text>
    </section>
  );
}

type LoadedSeries = { series: Series[]; times: string[]; error: Error | null; isPending: boolean; refetch: () => void };

function useSeries(gameUid: string, explorer: Explorer, names: readonly string[]): LoadedSeries {
  const { step, split } = explorer;
  const colourOf = useBuildColours(gameUid);
  const span = spanOf(explorer, useNow());
  const results = useQueries({
    queries: names.map((name) => ({
      ...ask(countEvents, { uid: gameUid, name, step, ...span, ...(split !== 'none' && { by: split }) }),
      placeholderData: keepPreviousData,
    })),
  });
  const times = timesOf(span.from, span.to, step);
  const counts = results.map(({ data }) => data?.series);
  const look = (key: string, buildLabel: string | null) =>
    split === 'os'
      ? { colour: colourOfOs(key), label: formatOs(key) }
      : { colour: colourOf(key), label: formatBuildLabel(buildLabel) };
  return {
    times,
    series: split === 'none' ? seriesOfNames(names, counts, times) : seriesOfParts(counts[0] ?? [], look, times),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    isPending: results.some(({ isPending }) => isPending),
    refetch: () => void Promise.all(results.map(({ refetch }) => refetch())),
  };
}
