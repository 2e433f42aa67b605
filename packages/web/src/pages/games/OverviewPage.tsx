// The overview of a game: what is live, what is new and how much is used; before the first build, how to ship it.
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listBugTickets } from '@chauffeur/contract/operations/bugs';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { listCrashGroups } from '@chauffeur/contract/operations/crash-groups';
import { listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { getBuildHealth } from '@chauffeur/contract/operations/health';
import { getUsage } from '@chauffeur/contract/operations/usage';
import { Box, Group, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { BandBadge, formatMissingDevices } from '../../ui/BandBadge.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Notice, PageHead, Section } from '../../ui/PageLayout.tsx';
import { useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { comparePlatforms } from '../../ui/platforms.ts';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { buildColumns, type ListedBuild } from '../builds/build-columns.tsx';
import { groupByVersion } from '../builds/build-filters.ts';
import { compareChannels, type Pointer } from '../channels/channel-grid.ts';
import { Activity } from './Activity.tsx';
import { FirstBuild } from './FirstBuild.tsx';
import { RefusalNotice } from './RefusalNotice.tsx';
import classes from './SinceNewest.module.css';
import { isNearLimit, type Meter, metersOf, shareOf } from './usage-meters.ts';
import { type OpenGame, useGame } from './use-game.ts';

export function OverviewPage() {
  const game = useGame();
  const channels = useQuery({ ...ask(listChannels, { uid: game.game_uid }), meta: follow('builds') });
  const queries = useQueryClient();
  /** A guide that was started here stays open until its last step, although the game is set up by then. */
  const [guidedGame, setGuidedGame] = useState<string | null>(null);
  // The guide is for people who can see the deploy key.
  const mayShip = useMay(listDeployKeys);
  const isSetUp = (channels.data?.channels.length ?? 0) > 0;
  if (mayShip && channels.data !== undefined && !isSetUp && guidedGame !== game.game_uid) setGuidedGame(game.game_uid);
  const finish = () => {
    // Results that were loaded before the build existed are outdated.
    void queries.invalidateQueries();
    setGuidedGame(null);
  };
  if (guidedGame === game.game_uid) return <FirstBuild key={game.game_uid} game={game} onDone={finish} />;
  return <Overview game={game} channels={channels} />;
}

type OverviewProps = { game: OpenGame; channels: UseQueryResult<OutputOf<typeof listChannels>> };

function Overview({ game, channels }: OverviewProps) {
  const builds = useQuery({
    ...ask(listGameBuilds, { uid: game.game_uid, page_size: 5 }),
    meta: follow('builds'),
    enabled: !channels.isPending,
  });
  const newest = builds.data?.builds[0];
  return (
    <Stack gap="lg">
      <PageHead title="Overview" tabTitle={`Overview · ${game.name}`} />
      {channels.error !== null && <Problem error={channels.error} onRetry={() => void channels.refetch()} />}
      {builds.error !== null && <Problem error={builds.error} onRetry={() => void builds.refetch()} />}
      <UsageNotice game={game} />
      <RefusalNotice gameUid={game.game_uid} />
      {channels.isPending ? (
        <Skeleton h={480} />
      ) : (
        <>
          {builds.isPending && <Skeleton h={SINCE_NEWEST_HEIGHT} />}
          {newest !== undefined && <SinceNewest gameUid={game.game_uid} slug={game.slug} build={newest} />}
          <Activity game={game} />
          {channels.data !== undefined && <LiveNow slug={game.slug} pointers={channels.data.channels} />}
          {builds.isPending && <Skeleton h={220} />}
          {builds.data !== undefined && (
            <NewestBuilds slug={game.slug} builds={builds.data.builds} pointers={channels.data?.channels ?? null} />
          )}
          <Usage game={game} />
        </>
      )}
    </Stack>
  );
}

/** The version that players get on each channel and platform. */
function LiveNow({ slug, pointers }: { slug: string; pointers: readonly Pointer[] }) {
  return (
    <section aria-labelledby="live-now">
      <Title order={2} size="h4" id="live-now" mb="xs">
        Live now
      </Title>
      <DataTable
        label="Live now"
        keepsColumns
        columns={pointerColumns(slug)}
        rows={pointers.toSorted((a, b) => compareChannels(a.channel, b.channel) || comparePlatforms(a, b))}
        rowKey={({ channel, os, arch }) => `${channel} ${os} ${arch}`}
        empty={<Text size="sm">No channel offers a build. Promote one on the Channels page.</Text>}
      />
    </section>
  );
}

function pointerColumns(slug: string): Column<Pointer>[] {
  return [
    {
      header: 'Channel',
      cell: ({ channel }) => (
        <RowLink to="/dev/$slug/channels" params={{ slug }}>
          {channel}
        </RowLink>
      ),
    },
    { header: 'Platform', cell: (pointer) => formatPlatform(pointer) },
    { header: 'Version', cell: (pointer) => <LiveVersion slug={slug} pointer={pointer} /> },
    { header: 'Updated', hiddenBelow: 'sm', cell: ({ moved_at }) => <Time at={moved_at} /> },
    {
      header: 'Scan',
      hiddenBelow: 'sm',
      cell: ({ scan }) => scan !== null && <StateBadge tone={SCANS[scan].tone}>{SCANS[scan].label}</StateBadge>,
    },
  ];
}

function LiveVersion({ slug, pointer }: { slug: string; pointer: Pointer }) {
  if (pointer.expired) {
    return (
      <Text span size="sm" c="dimmed">
        {`None (${pointer.version} expired)`}
      </Text>
    );
  }
  return (
    <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: pointer.build_id }}>
      {pointer.version}
    </SiteLink>
  );
}

type NewestBuildsProps = { slug: string; builds: readonly ListedBuild[]; pointers: readonly Pointer[] | null };

/** The builds of a game that were registered last. */
function NewestBuilds({ slug, builds, pointers }: NewestBuildsProps) {
  return (
    <section aria-labelledby="newest-builds">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="newest-builds">
          Newest builds
        </Title>
        <SiteLink to="/dev/$slug/builds" params={{ slug }} size="sm">
          All builds
        </SiteLink>
      </Group>
      <DataTable
        label="Newest builds"
        keepsColumns
        columns={buildColumns({ slug, pointers })}
        rows={groupByVersion(builds)}
        rowKey={({ build_id }) => build_id}
      />
    </section>
  );
}

const MAX_COUNTED = 100;
/** The height in pixels, so that the content below doesn't move when the numbers arrive. */
const SINCE_NEWEST_HEIGHT = { base: 118, sm: 70 };

type SinceNewestProps = {
  gameUid: string;
  slug: string;
  build: { build_id: string; version: string; created_at: string };
};

/** What happened since the newest build: new crash groups, open bugs and launch health. */
function SinceNewest({ gameUid, slug, build }: SinceNewestProps) {
  const groups = useQuery(
    ask(listCrashGroups, { uid: gameUid, status: 'open', since_build: build.build_id, limit: MAX_COUNTED }),
  );
  const bugs = useQuery(ask(listBugTickets, { uid: gameUid, status: 'open', limit: MAX_COUNTED }));
  const error = groups.error ?? bugs.error;
  return (
    <Box component="section" aria-labelledby="since-newest" mih={SINCE_NEWEST_HEIGHT}>
      <Title order={2} size="h4" id="since-newest" mb="xs">
        {`Since ${build.version}`}
      </Title>
      {error !== null && <Problem error={error} onRetry={() => void Promise.all([groups.refetch(), bugs.refetch()])} />}
      <Group gap="xl" style={{ rowGap: 4 }}>
        <SiteLink to="/dev/$slug/crashes" params={{ slug }} search={{ q: 'is:open is:new' }} c="inherit" data-row>
          <Count
            count={groups.data?.groups.length}
            hasMore={groups.data?.next_cursor != null}
            one="new crash group"
            other="new crash groups"
          />
        </SiteLink>
        <SiteLink to="/dev/$slug/bugs" params={{ slug }} c="inherit" data-row>
          <Count
            count={bugs.data?.bugs.length}
            hasMore={bugs.data?.next_cursor != null}
            one="open bug"
            other="open bugs"
          />
        </SiteLink>
        <BuildBand gameUid={gameUid} slug={slug} buildId={build.build_id} />
        <Text size="sm" c="dimmed">
          Registered <Time at={build.created_at} />
        </Text>
      </Group>
    </Box>
  );
}

/** The band of this build. Players may see the band of an older one. */
function BuildBand({ gameUid, slug, buildId }: { gameUid: string; slug: string; buildId: string }) {
  const { data } = useQuery(ask(getBuildHealth, { uid: gameUid, build_id: buildId }));
  if (data === undefined) return <Skeleton w={120} h={20} />;
  return (
    <SiteLink to="/dev/$slug/health" params={{ slug }} search={{ build: buildId }} underline="never" size="sm" data-row>
      Launch health: <BandBadge band={data.band} />{' '}
      <Text span size="sm" c="dimmed">
        {formatMissingDevices(data)}
      </Text>
    </SiteLink>
  );
}

type CountProps = {
  count: number | undefined;
  /** Whether there are more than `count`. */
  hasMore: boolean;
  one: string;
  other: string;
};

function Count({ count, hasMore, one, other }: CountProps) {
  if (count === undefined) return <Skeleton w={140} h={28} />;
  return (
    <span>
      <span className={classes.count}>{hasMore ? `${count}+` : count}</span> {count === 1 ? one : other}
    </span>
  );
}

type UsageData = OutputOf<typeof getUsage>;

const useUsage = (game: OpenGame) => useQuery(ask(getUsage, { uid: game.game_uid }));

/** Shows how much of its limits a game uses. */
function Usage({ game }: { game: OpenGame }) {
  const { data, error, refetch } = useUsage(game);
  return (
    <Section title="Usage">
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Skeleton h={120} /> : <Meters usage={data} />}
    </Section>
  );
}

function Meters({ usage }: { usage: UsageData }) {
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="xl" verticalSpacing="sm">
        {metersOf(usage).map((meter) => (
          <Stack key={meter.name} gap={4} justify="space-between">
            <Text size="sm">
              {meter.name}: {meter.text}
            </Text>
            {meter.limit > 0 && (
              <Progress
                value={100 * shareOf(meter)}
                color={isNearLimit(meter) ? 'yellow' : 'accent'}
                aria-label={meter.name}
                size="sm"
              />
            )}
          </Stack>
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        Crash limits reset at midnight UTC.
      </Text>
    </Stack>
  );
}

/** Warns before a limit is reached. Renders nothing until then. */
function UsageNotice({ game }: { game: OpenGame }) {
  const { data } = useUsage(game);
  const near = data === undefined ? [] : metersOf(data).filter(isNearLimit);
  return near.map((meter) => <NearLimit key={meter.name} meter={meter} />);
}

function NearLimit({ meter }: { meter: Meter }) {
  const isReached = shareOf(meter) >= 1;
  return (
    <Notice tone={isReached ? 'bad' : 'unsure'} title={`${meter.name}: ${meter.text}`}>
      <Text size="sm">{isReached ? meter.whenReached : `When the limit is reached: ${meter.whenReached}`}</Text>
    </Notice>
  );
}
