// The overview of a game: whether it is all right, what is new and how much is used; before the first build, how to ship
// it.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { getGameOverview } from '@chauffeur/contract/operations/game-overview';
import { getUsage } from '@chauffeur/contract/operations/usage';
import { Group, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Notice, PageHead, Section } from '../../ui/PageLayout.tsx';
import { useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { buildColumns, type ListedBuild } from '../builds/build-columns.tsx';
import { groupByVersion } from '../builds/build-filters.ts';
import type { Pointer } from '../channels/channel-grid.ts';
import { RolloutLines } from '../rollouts/RolloutLines.tsx';
import { Activity } from './Activity.tsx';
import { ChannelHealth } from './ChannelHealth.tsx';
import { FirstBuild } from './FirstBuild.tsx';
import { News } from './News.tsx';
import { RefusalNotice } from './RefusalNotice.tsx';
import { TopCrashes } from './TopCrashes.tsx';
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

/** Crashes and bug reports change all the time. */
const REFRESH_MS = 60_000;
/** The height in pixels is a guess, so that the content below moves little. */
const STATUS_HEIGHT = { base: 720, sm: 560, lg: 420 };

type OverviewProps = { game: OpenGame; channels: UseQueryResult<OutputOf<typeof listChannels>> };

function Overview({ game, channels }: OverviewProps) {
  const builds = useQuery({
    ...ask(listGameBuilds, { uid: game.game_uid, page_size: 5 }),
    meta: follow('builds'),
    enabled: !channels.isPending,
  });
  const overview = useQuery({
    ...ask(getGameOverview, { uid: game.game_uid }),
    meta: follow('builds'),
    refetchInterval: REFRESH_MS,
    // What was done about a crash on another page must be here at once.
    staleTime: 0,
    enabled: !channels.isPending,
  });
  return (
    <Stack gap="lg">
      <PageHead title="Overview" tabTitle={`Overview · ${game.name}`} />
      {channels.error !== null && <Problem error={channels.error} onRetry={() => void channels.refetch()} />}
      {builds.error !== null && <Problem error={builds.error} onRetry={() => void builds.refetch()} />}
      <UsageNotice game={game} />
      <RefusalNotice gameUid={game.game_uid} />
      <RolloutLines game={game} />
      {channels.isPending ? (
        <Skeleton h={480} />
      ) : (
        <>
          {overview.error !== null && <Problem error={overview.error} onRetry={() => void overview.refetch()} />}
          {overview.isPending && <Skeleton h={STATUS_HEIGHT} />}
          {overview.data !== undefined && <Status game={game} overview={overview.data} />}
          <Activity game={game} />
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

type StatusProps = { game: OpenGame; overview: OutputOf<typeof getGameOverview> };

/** Answers whether the game is all right: what is live and how it does, what crashes, and what is new. */
function Status({ game, overview: { channels, top_crashes, news } }: StatusProps) {
  return (
    <>
      <ChannelHealth slug={game.slug} channels={channels} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="lg">
        <TopCrashes game={game} crashes={top_crashes} />
        <News slug={game.slug} news={news} />
      </SimpleGrid>
    </>
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
