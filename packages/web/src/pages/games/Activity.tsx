// The last 30 days of a game: a chart each for downloads, devices and crash-free devices, and one table of all three.
import { formatCompactNumber, formatNumber, formatPercent } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGameActivity } from '@chauffeur/contract/operations/overview';
import { Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { Bars, LazySeriesTable, TableButton } from '../../charts/Bars.tsx';
import { type Series, withZeros } from '../../charts/series.ts';
import { formatShare } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { useNow } from '../../ui/Time.tsx';
import { timeOfDay, windowOf } from '../health/health-days.ts';
import type { OpenGame } from './use-game.ts';

type Activity = OutputOf<typeof getGameActivity>;

/** A series that has its own chart. */
type Charted = Series & { total: string; format: (value: number) => string; areShares?: boolean };

const route = getRouteApi('/signed-in/dev/$slug/');

const HEIGHT = 132;
/** The chart with its title and total. */
const CHART_HEIGHT = HEIGHT + 48;

export function Activity({ game }: { game: OpenGame }) {
  const { data, error, isPending, refetch } = useQuery(ask(getGameActivity, { uid: game.game_uid }));
  const hasTable = route.useSearch().table === '1';
  const navigate = route.useNavigate();
  const times = windowOf(useNow());
  if (isPending) return <Skeleton h={{ base: 3 * CHART_HEIGHT + 106, sm: CHART_HEIGHT + 42 }} />;
  if (data === undefined)
    return (
      <section aria-labelledby="activity">
        <ActivityTitle />
        <Problem error={error} onRetry={() => void refetch()} />
      </section>
    );
  const series = seriesOf(data, times);
  const showTable = (isShown: boolean) =>
    void navigate({ search: { table: isShown ? '1' : undefined }, replace: true, resetScroll: false });
  return (
    <Stack gap="sm" component="section" aria-labelledby="activity">
      <Group justify="space-between" gap="sm">
        <ActivityTitle />
        <Group gap="md">
          <SiteLink to="/dev/$slug/statistics" params={{ slug: game.slug }} size="sm">
            View statistics
          </SiteLink>
          <TableButton isShown={hasTable} onChange={showTable} />
        </Group>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl" verticalSpacing="lg">
        {series.map((each) => (
          <Chart key={each.key} series={each} times={times} />
        ))}
      </SimpleGrid>
      {hasTable && (
        <LazySeriesTable
          label="Last 30 days"
          series={series}
          times={times}
          step="day"
          format={(value, key) => (key === 'crash-free' ? formatPercent(value / 100) : formatNumber(value))}
        />
      )}
    </Stack>
  );
}

function ActivityTitle() {
  return (
    <Title order={2} size="h4" id="activity">
      Last 30 days
    </Title>
  );
}

function Chart({ series, times }: { series: Charted; times: readonly string[] }) {
  const { label, total, format, areShares } = series;
  return (
    <div>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Text size="sm" c="dimmed" mb={6}>
        {total}
      </Text>
      <Bars
        series={[series]}
        times={times}
        step="day"
        height={HEIGHT}
        description={`${label} by day in the last 30 days: ${total}.`}
        format={format}
        areShares={areShares === true}
      />
    </div>
  );
}

/** Days without devices, or from before crashes were counted by device, have no share. */
function seriesOf({ days, crashes_since }: Activity, times: readonly string[]): Charted[] {
  const counted = days.filter(({ day, devices }) => day >= crashes_since && devices > 0);
  const deviceDays = sumOf(counted, 'devices');
  const crashFree = formatShare(deviceDays - sumOf(counted, 'crashed_devices'), deviceDays);
  const look = { colour: 0, pattern: 0 };
  return [
    {
      ...look,
      key: 'downloads',
      label: 'Downloads',
      total: formatNumber(sumOf(days, 'downloads')),
      values: withZeros(times, new Map(days.map(({ day, downloads }) => [timeOfDay(day), downloads]))),
      format: formatCompactNumber,
    },
    {
      ...look,
      key: 'devices',
      label: 'Devices',
      total: `up to ${formatNumber(Math.max(0, ...days.map(({ devices }) => devices)))} a day`,
      values: withZeros(times, new Map(days.map(({ day, devices }) => [timeOfDay(day), devices]))),
      format: formatCompactNumber,
    },
    {
      ...look,
      key: 'crash-free',
      label: 'Crash-free devices',
      total: deviceDays === 0 ? crashFree : `${crashFree} device days`,
      values: new Map(
        counted.map(({ day, devices, crashed_devices }) => [
          timeOfDay(day),
          100 * Math.max(0, 1 - crashed_devices / devices),
        ]),
      ),
      format: (percent) => formatPercent(percent / 100),
      areShares: true,
    },
  ];
}

function sumOf(days: Activity['days'], field: 'downloads' | 'devices' | 'crashed_devices'): number {
  return days.reduce((total, day) => total + day[field], 0);
}
