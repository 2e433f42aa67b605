// Launch health: the band that players see, the builds with their numbers, the days of one build, and how bands are
// computed.
import {
  formatCompactNumber,
  formatDuration,
  formatMilliseconds,
  formatNumber,
  formatPlatform,
} from '@chauffeur/contract/format';
import { BAND_RULES, MIN_DEVICES, WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import type { OutputOf } from '@chauffeur/contract/operation';
import { type Band, getBuildHealth, listHealth } from '@chauffeur/contract/operations/health';
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { formatTime, readList, toggled, writeList } from '../../charts/series.ts';
import { TimeChart, useBuildColours } from '../../charts/TimeChart.tsx';
import { BandBadge, formatMissingDevices } from '../../ui/BandBadge.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { usePages } from '../../ui/PagedTable.tsx';
import { Notice, PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { useNow } from '../../ui/Time.tsx';
import { SendEvents } from '../events/SendEvents.tsx';
import { RefusalNotice } from '../games/RefusalNotice.tsx';
import { useGame } from '../games/use-game.ts';
import { CompareBuilds } from './CompareBuilds.tsx';
import { HealthTable, MEDIAN_COLUMNS } from './HealthTable.tsx';
import {
  CHARTS,
  type ChartName,
  type HealthDays,
  launchSeries,
  medianSeries,
  nextToBeRated,
  type RatedBuild,
  readChart,
  timeOfDay,
  windowOf,
} from './health-days.ts';

const route = getRouteApi('/signed-in/dev/$slug/health');

export function HealthPage() {
  const game = useGame();
  const search = route.useSearch();
  const list = usePages(listHealth, { uid: game.game_uid }, (page) => page.builds);
  const colourOf = useBuildColours(game.game_uid);
  const builds = list.rows ?? [];
  const listing = list.firstPage?.listing;
  // The page begins with the newest build, as the overview does. Players may see the band of an older one.
  const selected = search.build ?? builds[0]?.build_id;
  return (
    <Stack gap="lg">
      <PageHead title="Launch health" tabTitle={`Launch health · ${game.name}`} />
      <RefusalNotice gameUid={game.game_uid} />
      {list.error !== null && <Problem error={list.error} onRetry={list.retry} />}
      {list.isLoading && <Skeleton h={320} />}
      {list.rows?.length === 0 && (
        <SendEvents game={game}>No device has sent a launch event in the last 30 days.</SendEvents>
      )}
      {listing !== undefined && builds.length > 0 && (
        <>
          <ListingBand slug={game.slug} listing={listing} builds={builds} />
          <Stack gap="xs" component="section" aria-labelledby="builds">
            <Title order={2} size="h4" id="builds">
              Builds in the last 30 days
            </Title>
            <HealthTable
              slug={game.slug}
              builds={builds}
              selected={selected}
              listed={listing.build_id}
              colourOf={colourOf}
            />
            <ShowMore list={list}>Show older builds</ShowMore>
          </Stack>
        </>
      )}
      {selected !== undefined && <CompareBuilds gameUid={game.game_uid} builds={builds} selected={selected} />}
      {selected !== undefined && <BuildDays key={selected} buildId={selected} colour={colourOf(selected)} />}
      {!list.isLoading && <HealthRules />}
    </Stack>
  );
}

type ListingBandProps = {
  slug: string;
  listing: OutputOf<typeof listHealth>['listing'];
  builds: readonly RatedBuild[];
};

/** The band that players see on the game's page and the build it comes from, or what is missing for a rating. */
function ListingBand({ slug, listing, builds }: ListingBandProps) {
  const build = builds.find(({ build_id }) => build_id === listing.build_id);
  return (
    <Notice tone="none" title="Shown to players">
      <Group gap="sm">
        <BandBadge band={listing.band} />
        {listing.build_id === null ? (
          <Text size="sm">{formatUnrated(builds)}</Text>
        ) : (
          <Text size="sm">
            Based on the newest rated build on stable:{' '}
            <SiteLink
              to="/dev/$slug/builds/$buildId"
              params={{ slug, buildId: listing.build_id }}
              size="sm"
              underline="always"
            >
              {build === undefined ? 'View build' : `${build.version} for ${formatPlatform(build)}`}
            </SiteLink>
          </Text>
        )}
      </Group>
    </Notice>
  );
}

function formatUnrated(builds: readonly RatedBuild[]): string {
  const next = nextToBeRated(builds);
  if (next === null) return 'No rating: no build on stable was used in the last 30 days.';
  return `No rating yet. Closest to one is ${next.version} for ${formatPlatform(next)}: ${formatMissingDevices(next)}.`;
}

/** Explains how launch health is computed, from the rules that the server uses. */
function HealthRules() {
  return (
    <Stack gap="xs" component="section" aria-labelledby="rules" maw={760}>
      <Title order={2} size="h4" id="rules">
        How launch health is computed
      </Title>
      <Text size="sm">
        A device is a distinct <code>device_uid</code> with any event of the build in the last {WINDOW_DAYS} days (UTC,
        including today). A device has booted if it sent <code>boot_ok</code>. It crashed on boot if a{' '}
        <code>crash</code> arrived before its first <code>boot_ok</code> on this build. Both are shown as a share of all
        devices of the build. Medians are accurate to 2%.
      </Text>
      <DataTable label="Bands" keepsColumns columns={BAND_COLUMNS} rows={RULES} rowKey={({ band }) => band} />
      <Text size="sm" c="dimmed">
        A build gets the best band whose limits it meets. Builds that were rolled back from stable don't count for the
        game's page.
      </Text>
    </Stack>
  );
}

type Rule = { readonly band: Band; readonly booted: string; readonly crashed: string };

/** A build that misses even these limits is problematic. */
const LOWEST = BAND_RULES[BAND_RULES.length - 1]!;

const RULES: readonly Rule[] = [
  ...BAND_RULES.map(({ band, minBooted, maxCrashed }) => ({
    band,
    booted: `at least ${minBooted}%`,
    crashed: `at most ${maxCrashed}%`,
  })),
  { band: 'problematic', booted: `below ${LOWEST.minBooted}%`, crashed: `above ${LOWEST.maxCrashed}%` },
  { band: 'unrated', booted: `fewer than ${MIN_DEVICES} devices`, crashed: `fewer than ${MIN_DEVICES} devices` },
];

const BAND_COLUMNS: readonly Column<Rule>[] = [
  { header: 'Band', cell: ({ band }) => <BandBadge band={band} /> },
  { header: 'Booted', align: 'right', cell: ({ booted }) => booted },
  { header: 'Crashed on boot', align: 'right', cell: ({ crashed }) => crashed },
];

type Health = OutputOf<typeof getBuildHealth>;

/** The last 30 days of a build: launches, start times or session lengths, as a chart and as a table. */
function BuildDays({ buildId, colour }: { buildId: string; colour: number }) {
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
      columns={DAY_COLUMNS}
      rows={days.toReversed()}
      rowKey={({ day }) => day}
    />
  );
}

const DAY_COLUMNS: readonly Column<HealthDays[number]>[] = [
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
