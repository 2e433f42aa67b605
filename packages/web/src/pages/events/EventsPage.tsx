// The event explorer of a game: how often events occurred over time, by build or OS, and the stored data of one device.
import { formatCompactNumber, formatNumber, formatOs } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { countEvents, listEventNames } from '@chauffeur/contract/operations/events';
import { Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { type ChartStep, MAX_SERIES, type Series, timesOf, toggled, writeList } from '../../charts/series.ts';
import { TimeChart, useBuildColours } from '../../charts/TimeChart.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useNow } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import { DeviceSection } from './DeviceSection.tsx';
import classes from './EventsPage.module.css';
import {
  colourOfOs,
  type Explorer,
  formatBuildLabel,
  namesShown,
  RANGES,
  readExplorer,
  SPLITS,
  STEPS,
  seriesOfNames,
  seriesOfParts,
  spanOf,
} from './explore.ts';
import { SendEvents } from './SendEvents.tsx';

const route = getRouteApi('/signed-in/dev/$slug/events');

export function EventsPage() {
  const game = useGame();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending, refetch } = useQuery(ask(listEventNames, { uid: game.game_uid }));
  const change = (changed: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const explorer = readExplorer(search);
  const names = namesShown(explorer, data?.names ?? []);
  return (
    <Stack gap="lg">
      <PageHead title="Events" tabTitle={`Events · ${game.name}`} />
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={420} />}
      {data?.names.length === 0 && (
        <SendEvents game={game}>
          No events in the last 30 days. They appear here as soon as your game sends them.
        </SendEvents>
      )}
      {data !== undefined && data.names.length > 0 && (
        <>
          <Controls explorer={explorer} onChange={change} />
          <div className={classes.columns}>
            <EventNames
              events={data.names}
              selected={names}
              isSingle={explorer.split !== 'none'}
              onSelect={(selected) => change({ events: writeList(selected), hidden: undefined })}
            />
            <EventChart
              gameUid={game.game_uid}
              explorer={explorer}
              names={names}
              onToggle={(key) => change({ hidden: writeList(toggled(explorer.hidden, key)) })}
              onTable={(hasTable) => change({ table: hasTable ? '1' : undefined })}
            />
          </div>
        </>
      )}
      <DeviceSection
        key={search.device}
        gameUid={game.game_uid}
        device={search.device}
        onDevice={(device) => change({ device })}
      />
    </Stack>
  );
}

const STEP_LABELS: Readonly<Record<ChartStep, string>> = { hour: 'By hour', day: 'By day' };

type Changed = { range?: string; step?: string; split?: string | undefined; hidden?: undefined };

function Controls({ explorer, onChange }: { explorer: Explorer; onChange: (changed: Changed) => void }) {
  const { range, step, split } = explorer;
  const steps = STEPS[range].map((value) => ({ value, label: STEP_LABELS[value] }));
  return (
    <Group gap="md">
      <Choice label="Range" value={range} choices={RANGES} onChange={(value) => onChange({ range: value })} />
      {steps.length > 1 && (
        <Choice label="Interval" value={step} choices={steps} onChange={(value) => onChange({ step: value })} />
      )}
      <Choice
        label="Split by"
        value={split}
        choices={SPLITS}
        onChange={(value) => onChange({ split: value === 'none' ? undefined : value, hidden: undefined })}
      />
    </Group>
  );
}

type EventChartProps = {
  gameUid: string;
  explorer: Explorer;
  names: readonly string[];
  onToggle: (key: string) => void;
  onTable: (hasTable: boolean) => void;
};

/** The chart of the selected events: a series for each event, or one event split by build or OS. */
function EventChart({ gameUid, explorer, names, onToggle, onTable }: EventChartProps) {
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

type EventName = OutputOf<typeof listEventNames>['names'][number];

type EventNamesProps = {
  events: readonly EventName[];
  selected: readonly string[];
  /** Only one event can be selected. */
  isSingle: boolean;
  onSelect: (names: string[]) => void;
};

/** The length of the longest list without a search field. */
const MAX_WITHOUT_SEARCH = 8;

/** The list in which events are selected for the chart: up to four, or one if the chart is split. */
function EventNames({ events, selected, isSingle, onSelect }: EventNamesProps) {
  const [search, setSearch] = useState('');
  const matches = events.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const isFull = !isSingle && selected.length >= MAX_SERIES;
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        {isSingle
          ? 'Select one event. Counts are for the last 30 days.'
          : `Select up to ${MAX_SERIES} events. Counts are for the last 30 days.`}
      </Text>
      {events.length > MAX_WITHOUT_SEARCH && (
        <TextInput
          aria-label="Search events"
          placeholder="Event name"
          type="search"
          size="xs"
          mb={4}
          data-search
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <fieldset className={classes.names} aria-label="Events">
        {matches.map(({ name, count, standard }) => {
          const isSelected = selected.includes(name);
          return (
            <label key={name} className={classes.name}>
              <input
                type={isSingle ? 'radio' : 'checkbox'}
                name="event"
                checked={isSelected}
                disabled={isFull && !isSelected}
                onChange={() => onSelect(isSingle ? [name] : toggled(selected, name))}
              />
              <span className={classes.word}>
                {name}
                {standard && (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    standard
                  </Text>
                )}
              </span>
              <span title={formatNumber(count)}>{formatCompactNumber(count)}</span>
            </label>
          );
        })}
      </fieldset>
      {matches.length === 0 && <Text size="sm">No events match.</Text>}
    </div>
  );
}
