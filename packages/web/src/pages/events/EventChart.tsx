// The chart of the chosen events: one series for each, or the parts of one by build or system.
import { countEvents } from '@chauffeur/contract/operations/events';
import { sayOs } from '@chauffeur/contract/platform-words';
import { Skeleton, Text } from '@mantine/core';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { SeriesTable } from '../../charts/SeriesTable.tsx';
import { type Series, timesOf } from '../../charts/series.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { useBuildColours } from '../../charts/use-build-colours.ts';
import { Problem } from '../../ui/Problem.tsx';
import { sayCount, sayExactNumber } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import { colourOfOs, type Explored, sayBuild, seriesOfNames, seriesOfParts, spanOf } from './explore.ts';

type EventChartProps = {
  gameUid: string;
  explored: Explored;
  names: readonly string[];
  onToggle: (key: string) => void;
  onTable: (hasTable: boolean) => void;
};

export function EventChart({ gameUid, explored, names, onToggle, onTable }: EventChartProps) {
  const { series, times, error, isPending, refetch } = useSeries(gameUid, explored, names);
  const { step, split, hidden, hasTable } = explored;
  if (names.length === 0) return <Text size="sm">Choose an event to see when it came.</Text>;
  if (error !== null) return <Problem error={error} again={refetch} />;
  if (isPending) return <Skeleton h={320} />;
  const label = split === 'none' ? 'Events' : names.join();
  return (
    <section aria-label="Chart">
      <TimeChart
        label={label}
        series={series}
        times={times}
        step={step}
        shape={split === 'none' ? 'apart' : 'parts'}
        format={sayCount}
        hidden={hidden}
        onToggle={onToggle}
        hasTable={hasTable}
        onTable={onTable}
        table={(shown) => (
          <SeriesTable label={label} series={shown} times={times} step={step} format={sayExactNumber} />
        )}
      />
      <Text size="sm" c="dimmed" mt="xs">
        Counted as they arrived; {step === 'day' ? 'days are in UTC' : 'hours are in your time zone'}.
        {split === 'none' && names.length > 1 && ' Each event has its own scale.'}
      </Text>
    </section>
  );
}

type Loaded = { series: Series[]; times: string[]; error: Error | null; isPending: boolean; refetch: () => void };

function useSeries(gameUid: string, explored: Explored, names: readonly string[]): Loaded {
  const { step, split } = explored;
  const colourOf = useBuildColours(gameUid);
  const span = spanOf(explored, useNow());
  const answers = useQueries({
    queries: names.map((name) => ({
      ...ask(countEvents, { uid: gameUid, name, step, ...span, ...(split !== 'none' && { by: split }) }),
      placeholderData: keepPreviousData,
    })),
  });
  const times = timesOf(span.from, span.to, step);
  const counts = answers.map(({ data }) => data?.series);
  const look = (key: string, named: string | null) =>
    split === 'os' ? { colour: colourOfOs(key), label: sayOs(key) } : { colour: colourOf(key), label: sayBuild(named) };
  return {
    times,
    series: split === 'none' ? seriesOfNames(names, counts, times) : seriesOfParts(counts[0] ?? [], look, times),
    error: answers.find(({ error }) => error !== null)?.error ?? null,
    isPending: answers.some(({ isPending }) => isPending),
    refetch: () => void Promise.all(answers.map(({ refetch }) => refetch())),
  };
}
