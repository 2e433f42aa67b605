// Launch health: the band that players see, the builds with their numbers, the days of one build, and how bands are
// computed.
import {
  formatDuration,
  formatMilliseconds,
  formatNumber,
  formatPercent,
  formatPlatform,
} from '@chauffeur/contract/format';
import { BAND_RULES, MIN_DEVICES, WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import type { OutputOf } from '@chauffeur/contract/operation';
import { type Band, getBuildHealth, listHealth } from '@chauffeur/contract/operations/health';
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { formatTime, readList, toggled, totalOf, writeList } from '../../charts/series.ts';
import { TimeChart, useBuildColours } from '../../charts/TimeChart.tsx';
import { BandBadge, formatMissingDevices } from '../../ui/BandBadge.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { formatShare } from '../../ui/format.ts';
import { isOnlySessions, OnlySessions } from '../../ui/OnlySessions.tsx';
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
  bootCrashSeries,
  CHARTS,
  type HealthDays,
  type MedianName,
  medianSeries,
  nextToBeRated,
  type RatedBuild,
  readChart,
  shownWith,
  startSeries,
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
      {selected !== undefined && <BuildDays key={selected} buildId={selected} builds={builds} colourOf={colourOf} />}
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
  if (isOnlySessions(next))
    return `No rating yet: ${next.version} for ${formatPlatform(next)} has only sent sessions, which don't say whether it started.`;
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
        A build gets the best band whose limits it meets; with fewer than {MIN_DEVICES} devices, it is unrated. Builds
        that were rolled back from stable don't count for the game's page.
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
];

const BAND_COLUMNS: readonly Column<Rule>[] = [
  { header: 'Band', cell: ({ band }) => <BandBadge band={band} /> },
  { header: 'Booted', align: 'right', cell: ({ booted }) => booted },
  { header: 'Crashed on boot', align: 'right', cell: ({ crashed }) => crashed },
];

type Health = OutputOf<typeof getBuildHealth>;

type BuildDaysProps = {
  buildId: string;
  builds: readonly RatedBuild[];
  colourOf: (buildId: string) => number;
};

/** The last 30 days of a build: crashes on boot, start times or session lengths, as a chart and as a table. */
function BuildDays({ buildId, ...props }: BuildDaysProps) {
  const game = useGame();
  const { data, error, isPending, refetch } = useQuery(ask(getBuildHealth, { uid: game.game_uid, build_id: buildId }));
  return (
    <Stack gap="sm" component="section" aria-labelledby="days">
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={360} />}
      {data !== undefined && <Days slug={game.slug} health={data} {...props} />}
    </Stack>
  );
}

type DaysProps = Omit<BuildDaysProps, 'buildId'> & { health: Health };

function Days({ slug, health, builds, colourOf }: DaysProps & { slug: string }) {
  const { show } = route.useSearch();
  const change = useChange();
  const chart = readChart(show);
  const hasOnlySessions = isOnlySessions(health);
  const hasDays = health.days.length > 0 && !hasOnlySessions;
  return (
    <>
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={2} size="h4" id="days">
            {`${health.version} for ${formatPlatform(health)} by day`}
          </Title>
          <Group gap="md">
            <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: health.build_id }} size="sm">
              View build
            </SiteLink>
            <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version: health.version }} size="sm">
              {`View ${health.version} on all platforms`}
            </SiteLink>
          </Group>
        </div>
        {hasDays && (
          <Choice label="Chart" value={chart} choices={CHARTS} onChange={(value) => change({ show: value })} />
        )}
      </Group>
      {hasOnlySessions && <OnlySessions of="build" />}
      {hasOnlySessions && <DaysTable days={health.days} columns={SESSION_COLUMNS} />}
      {!hasDays && !hasOnlySessions && (
        <EmptyState>No device has sent a launch event of this build in the last 30 days.</EmptyState>
      )}
      {hasDays && chart === 'boot' && <BootChart health={health} builds={builds} colourOf={colourOf} />}
      {hasDays && chart !== 'boot' && <MedianChart chart={chart} health={health} colour={colourOf(health.build_id)} />}
    </>
  );
}

/** Draws the share of devices that crashed on boot for the build and others, over how often they were started. */
function BootChart({ health, builds, colourOf }: DaysProps) {
  const { game_uid: uid } = useGame();
  const { other } = route.useSearch();
  const controls = useChartControls();
  const times = windowOf(useNow());
  const shown = shownWith<Pick<Health, 'build_id' | 'version' | 'os' | 'arch'>>(builds, health, other);
  const loaded = useQueries({ queries: shown.map(({ build_id }) => ask(getBuildHealth, { uid, build_id })) });
  // Of builds without launches, nothing is known of crashes on boot.
  const all = [health, ...loaded.flatMap(({ data }) => data ?? [])].filter(({ devices }) => devices > 0);
  const isOnePlatform = all.every(({ os, arch }) => os === health.os && arch === health.arch);
  const lines = all.map((each) => ({
    key: each.build_id,
    label: isOnePlatform ? each.version : `${each.version} for ${formatPlatform(each)}`,
    colour: colourOf(each.build_id),
    days: each.days,
  }));
  const byId = new Map(all.map((each) => [each.build_id, each]));
  const isBackdrop = (key: string) => !byId.has(key);
  return (
    <>
      <TimeChart
        label="Crashed on boot"
        shape="lines"
        step="day"
        times={times}
        series={lines.map(bootCrashSeries)}
        backdrop={startSeries(
          lines.filter(({ key }) => !controls.hidden.includes(key)),
          times,
        )}
        format={(percent) => formatPercent(percent / 100)}
        formatBackdrop={formatNumber}
        formatExactly={(value, key) => (isBackdrop(key) ? formatNumber(value) : formatPercent(value / 100))}
        formatTotal={(series) => {
          const build = byId.get(series.key);
          return build === undefined
            ? formatNumber(totalOf(series))
            : formatShare(build.crashed_on_boot, build.devices);
        }}
        {...controls}
      />
      {controls.hasTable && <DaysTable days={health.days} />}
      <Text size="sm" c="dimmed">
        Lines are the share of the devices of each day (UTC) that crashed before their first <code>boot_ok</code>. Bars
        are the starts of these builds.
      </Text>
    </>
  );
}

function MedianChart({ chart, health, colour }: { chart: MedianName; health: Health; colour: number }) {
  const format = chart === 'start' ? formatMilliseconds : formatDuration;
  const { median, samples } = chart === 'start' ? health.boot_ms : health.session_seconds;
  return (
    <>
      <TimeChart
        label={chart === 'start' ? 'Median time to start' : 'Median session'}
        shape="stacked"
        step="day"
        times={windowOf(useNow())}
        series={[medianSeries(health.days, chart, colour)]}
        format={format}
        formatTotal={() => (median === null ? 'none yet' : `${format(median)} of ${formatNumber(samples)}`)}
        table={<DaysTable days={health.days} />}
        {...useChartControls()}
      />
      <Text size="sm" c="dimmed">
        {NOTES[chart]}
      </Text>
    </>
  );
}

/** What the address says about the chart, and how to change it. */
function useChartControls() {
  const search = route.useSearch();
  const change = useChange();
  const hidden = readList(search.hidden);
  return {
    hidden,
    onToggle: (key: string) => change({ hidden: writeList(toggled(hidden, key)) }),
    hasTable: search.table !== undefined,
    onTable: (hasTable: boolean) => change({ table: hasTable ? '1' : undefined }),
  };
}

/** Returns a function that changes parts of the address. */
function useChange() {
  const navigate = route.useNavigate();
  return (changed: Partial<ReturnType<typeof route.useSearch>>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
}

const NOTES: Readonly<Record<MedianName, string>> = {
  start: 'Daily median (UTC) of the time from process start to boot_ok. Days without data are empty.',
  session: 'Daily median (UTC) of the session length in session_end. Days without data are empty.',
};

/** The numbers of a build by day, newest first. Days without events have no row. */
function DaysTable({ days, columns = DAY_COLUMNS }: { days: HealthDays; columns?: readonly DayColumn[] }) {
  return (
    <DataTable
      label="Days of the build"
      keepsColumns
      columns={columns}
      rows={days.toReversed()}
      rowKey={({ day }) => day}
    />
  );
}

type DayColumn = Column<HealthDays[number]>;

const DAY: DayColumn = {
  header: 'Day (UTC)',
  overflow: 'nowrap',
  cell: ({ day }) => formatTime(timeOfDay(day), 'day'),
};
const DEVICES: DayColumn = { header: 'Devices', align: 'right', cell: ({ devices }) => formatNumber(devices) };
const CRASHED_DEVICES: DayColumn = {
  header: 'Crashed devices',
  align: 'right',
  cell: ({ crashed_devices }) => formatNumber(crashed_devices),
};

/** What sessions say about a day. */
const SESSION_COLUMNS: readonly DayColumn[] = [DAY, DEVICES, CRASHED_DEVICES];

const DAY_COLUMNS: readonly DayColumn[] = [
  DAY,
  { header: 'Started', align: 'right', cell: ({ events }) => formatNumber(events.session_start ?? 0) },
  { header: 'Booted', align: 'right', cell: ({ events }) => formatNumber(events.boot_ok ?? 0) },
  { header: 'Crashed', align: 'right', cell: ({ events }) => formatNumber(events.crash ?? 0) },
  DEVICES,
  {
    header: 'Crashed on boot',
    align: 'right',
    cell: ({ crashed_on_boot, devices }) => formatShare(crashed_on_boot, devices),
  },
  CRASHED_DEVICES,
  ...MEDIAN_COLUMNS,
  {
    header: 'Devices last seen',
    align: 'right',
    cell: ({ devices_last_seen }) => formatNumber(devices_last_seen),
  },
];
