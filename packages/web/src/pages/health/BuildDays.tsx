// The last 30 days of a build: launches, start times or session lengths, as a chart and as a table.
import {
  formatCompactNumber,
  formatDuration,
  formatMilliseconds,
  formatNumber,
  formatPlatform,
} from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getBuildHealth } from '@chauffeur/contract/operations/health';
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { formatTime, readList, toggled, writeList } from '../../charts/series.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { useNow } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import { MEDIAN_COLUMNS } from './HealthTable.tsx';
import {
  CHARTS,
  type ChartName,
  type HealthDays,
  launchSeries,
  medianSeries,
  readChart,
  timeOfDay,
  windowOf,
} from './health-days.ts';

const route = getRouteApi('/signed-in/dev/$slug/health');

type Health = OutputOf<typeof getBuildHealth>;

export function BuildDays({ buildId, colour }: { buildId: string; colour: number }) {
  const game = useGame();
  const { data, error, isPending, refetch } = useQuery(ask(getBuildHealth, { uid: game.game_uid, build_id: buildId }));
  return (
    <Stack gap="sm" component="section" aria-labelledby="days">
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={360} />}
      {data !== undefined && <Days slug={game.slug} health={data} colour={colour} />}
    </Stack>
  );
}

function Days({ slug, health, colour }: { slug: string; health: Health; colour: number }) {
  const { show } = route.useSearch();
  const change = useChange();
  const chart = readChart(show);
  const hasDays = health.days.length > 0;
  return (
    <>
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={2} size="h4" id="days">
            {`${health.version} for ${formatPlatform(health)} by day`}
          </Title>
          <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: health.build_id }} size="sm">
            View build
          </SiteLink>
        </div>
        {hasDays && (
          <Choice label="Chart" value={chart} choices={CHARTS} onChange={(value) => change({ show: value })} />
        )}
      </Group>
      {hasDays ? (
        <DaysChart chart={chart} health={health} colour={colour} />
      ) : (
        <EmptyState>No device has sent a launch event of this build in the last 30 days.</EmptyState>
      )}
    </>
  );
}

function DaysChart({ chart, health, colour }: { chart: ChartName; health: Health; colour: number }) {
  const search = route.useSearch();
  const change = useChange();
  const hidden = readList(search.hidden);
  return (
    <>
      <TimeChart
        {...chartOf(chart, health, windowOf(useNow()), colour)}
        step="day"
        hidden={hidden}
        onToggle={(key) => change({ hidden: writeList(toggled(hidden, key)) })}
        hasTable={search.table !== undefined}
        onTable={(hasTable) => change({ table: hasTable ? '1' : undefined })}
        table={<DaysTable days={health.days} />}
      />
      <Text size="sm" c="dimmed">
        {NOTES[chart]}
      </Text>
    </>
  );
}

/** Returns a function that changes parts of the address. */
function useChange() {
  const navigate = route.useNavigate();
  return (changed: Partial<ReturnType<typeof route.useSearch>>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
}

const NOTES: Readonly<Record<ChartName, string>> = {
  launches: 'Events by day (UTC), each with its own scale. This chart counts every launch, while bands count devices.',
  start: 'Daily median (UTC) of the time from process start to boot_ok. Days without data are empty.',
  session: 'Daily median (UTC) of the session length in session_end. Days without data are empty.',
};

function chartOf(chart: ChartName, health: Health, times: readonly string[], colour: number) {
  const { days } = health;
  if (chart === 'launches')
    return {
      label: 'Launches',
      times,
      series: launchSeries(days, times, colour),
      shape: 'separate' as const,
      format: formatCompactNumber,
    };
  const format = chart === 'start' ? formatMilliseconds : formatDuration;
  const { median, samples } = chart === 'start' ? health.boot_ms : health.session_seconds;
  return {
    label: chart === 'start' ? 'Median time to start' : 'Median session',
    times,
    series: [medianSeries(days, chart, colour)],
    shape: 'stacked' as const,
    format,
    formatTotal: () => (median === null ? 'none yet' : `${format(median)} of ${formatNumber(samples)}`),
  };
}

/** The numbers of a build by day, newest first. Days without events have no row. */
function DaysTable({ days }: { days: HealthDays }) {
  return (
    <DataTable
      label="Days of the build"
      keepsColumns
      columns={COLUMNS}
      rows={days.toReversed()}
      rowKey={({ day }) => day}
    />
  );
}

const COLUMNS: readonly Column<HealthDays[number]>[] = [
  { header: 'Day (UTC)', overflow: 'nowrap', cell: ({ day }) => formatTime(timeOfDay(day), 'day') },
  { header: 'Started', align: 'right', cell: ({ events }) => formatNumber(events.session_start ?? 0) },
  { header: 'Booted', align: 'right', cell: ({ events }) => formatNumber(events.boot_ok ?? 0) },
  { header: 'Crashed', align: 'right', cell: ({ events }) => formatNumber(events.crash ?? 0) },
  { header: 'Devices', align: 'right', cell: ({ devices }) => formatNumber(devices) },
  { header: 'Crashed devices', align: 'right', cell: ({ crashed_devices }) => formatNumber(crashed_devices) },
  ...MEDIAN_COLUMNS,
  {
    header: 'Devices last seen',
    align: 'right',
    cell: ({ devices_last_seen }) => formatNumber(devices_last_seen),
  },
];
