// The last 30 days of a game: a chart each for downloads, devices and crash-free devices.
import { formatCompactNumber, formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGameActivity } from '@chauffeur/contract/operations/overview';
import { SimpleGrid, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../api.ts';
import { Bars } from '../../charts/Bars.tsx';
import { formatShare } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { useNow } from '../../ui/use-now.ts';
import { timeOfDay, windowOf } from '../health/health-days.ts';
import type { OpenGame } from './use-game.ts';

type Days = OutputOf<typeof getGameActivity>['days'];

const HEIGHT = 132;

export function Activity({ game }: { game: OpenGame }) {
  const { data, error, isPending, refetch } = useQuery(ask(getGameActivity, { uid: game.game_uid }));
  if (isPending) return <Skeleton h={{ base: 3 * HEIGHT + 168, sm: HEIGHT + 56 }} />;
  if (data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  const counted = data.days.filter(({ day, devices }) => day >= data.crashes_since && devices > 0);
  const sum = (days: Days, field: 'downloads' | 'devices' | 'crashed_devices') =>
    days.reduce((total, day) => total + day[field], 0);
  const deviceDays = sum(counted, 'devices');
  const crashFree = formatShare(deviceDays - sum(counted, 'crashed_devices'), deviceDays);
  return (
    <section aria-labelledby="activity">
      <Title order={2} size="h4" id="activity" mb="xs">
        Last 30 days
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl">
        <Chart
          title="Downloads"
          link={
            <SiteLink to="/dev/$slug/statistics" params={{ slug: game.slug }} size="sm">
              View statistics
            </SiteLink>
          }
          total={formatNumber(sum(data.days, 'downloads'))}
          values={data.days.map(({ day, downloads }) => [day, downloads])}
          format={formatCompactNumber}
        />
        <Chart
          title="Devices"
          total={`${formatNumber(Math.max(0, ...data.days.map(({ devices }) => devices)))} at most`}
          values={data.days.map(({ day, devices }) => [day, devices])}
          format={formatCompactNumber}
        />
        <Chart
          title="Crash-free devices"
          total={deviceDays === 0 ? crashFree : `${crashFree} device days`}
          areShares
          values={counted.map(({ day, devices, crashed_devices: crashed }) => [
            day,
            100 * Math.max(0, 1 - crashed / devices),
          ])}
          format={(percent) => `${Number.isInteger(percent) ? percent : percent.toFixed(1)}%`}
        />
      </SimpleGrid>
    </section>
  );
}

type ChartProps = {
  title: string;
  /** Leads to more about the same. */
  link?: ReactNode;
  total: string;
  values: readonly (readonly [day: string, value: number])[];
  format: (value: number) => string;
  areShares?: boolean;
};

function Chart({ title, link, total, values, format, areShares = false }: ChartProps) {
  const times = windowOf(useNow());
  const series = {
    key: title,
    label: title,
    colour: 0,
    pattern: 0,
    values: new Map(values.map(([day, value]) => [timeOfDay(day), value])),
  };
  return (
    <div>
      <Text size="sm" mb={4}>
        <Text span fw={600} size="sm">
          {title}
        </Text>{' '}
        <Text span c="dimmed" size="sm">
          {total}
        </Text>
        {link !== undefined && <> · {link}</>}
      </Text>
      <Bars
        series={[series]}
        times={times}
        step="day"
        height={HEIGHT}
        description={`${title} by day in the last 30 days: ${total}.`}
        format={format}
        areShares={areShares}
      />
    </div>
  );
}
