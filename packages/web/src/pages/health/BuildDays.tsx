// The last 30 days of one build: its launches, how long they took and how long it was played, as a chart and as a table.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getBuildHealth } from '@chauffeur/contract/operations/health';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { readList, toggled, writeList } from '../../charts/series.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayCount, sayExactNumber, sayMs, saySeconds } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import { useGame } from '../games/use-game.ts';
import { DaysTable } from './DaysTable.tsx';
import { launchSeries, medianSeries, readShow, SHOWS, type Show, windowOf } from './health-days.ts';

const route = getRouteApi('/signed-in/dev/$slug/health');

type Health = OutputOf<typeof getBuildHealth>;

export function BuildDays({ buildId, colour }: { buildId: string; colour: number }) {
  const game = useGame();
  const { data, error, isPending, refetch } = useQuery(ask(getBuildHealth, { uid: game.game_uid, build_id: buildId }));
  return (
    <Stack gap="sm" component="section" aria-labelledby="days">
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Skeleton h={360} />}
      {data !== undefined && <Days slug={game.slug} health={data} colour={colour} />}
    </Stack>
  );
}

function Days({ slug, health, colour }: { slug: string; health: Health; colour: number }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = readShow(search.show);
  const hidden = readList(search.hidden);
  const change = (changed: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  return (
    <>
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={2} size="h4" id="days">
            {health.version} for {sayPlatform(health)}, day by day
          </Title>
          <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: health.build_id }} size="sm">
            The build
          </SiteLink>
        </div>
        <Choice label="What is shown" value={show} choices={SHOWS} onChange={(value) => change({ show: value })} />
      </Group>
      <TimeChart
        {...chartOf(show, health, windowOf(useNow()), colour)}
        step="day"
        hidden={hidden}
        onToggle={(key) => change({ hidden: writeList(toggled(hidden, key)) })}
        hasTable={search.table !== undefined}
        onTable={(hasTable) => change({ table: hasTable ? '1' : undefined })}
        table={() => <DaysTable days={health.days} />}
      />
      <Text size="sm" c="dimmed">
        {NOTES[show]}
      </Text>
    </>
  );
}

const NOTES: Readonly<Record<Show, string>> = {
  launches:
    'Events of each day (UTC), each with its own scale. A device that starts twice counts twice here; bands count devices.',
  start: 'The median of each day (UTC), from the start of the process to boot_ok. Days without one are empty.',
  session: 'The median of each day (UTC), as session_end tells. Days without one are empty.',
};

function chartOf(show: Show, health: Health, times: readonly string[], colour: number) {
  const { days } = health;
  if (show === 'launches')
    return {
      label: 'Launches',
      times,
      series: launchSeries(days, times, colour),
      shape: 'apart' as const,
      format: sayCount,
    };
  const format = show === 'start' ? sayMs : saySeconds;
  const { median, samples } = show === 'start' ? health.boot_ms : health.session_seconds;
  return {
    label: show === 'start' ? 'Median time to start' : 'Median session',
    times,
    series: [medianSeries(days, show, colour)],
    shape: 'parts' as const,
    format,
    total: () => (median === null ? 'none yet' : `${format(median)} of ${sayExactNumber(samples)}`),
  };
}
