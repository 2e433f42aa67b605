// The overview of a game: what is live, what is new and how much is used; before the first build, how to ship it.
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { comparePlatforms } from '../../ui/platforms.ts';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { buildColumns, type ListedBuild } from '../builds/build-columns.tsx';
import { groupByVersion } from '../builds/build-filters.ts';
import { compareChannels, type Place } from '../channels/grid.ts';
import { Activity } from './Activity.tsx';
import { FirstBuild } from './FirstBuild.tsx';
import { SINCE_NEWEST_HEIGHT, SinceNewest } from './SinceNewest.tsx';
import { Usage, UsageNotice } from './Usage.tsx';
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
      {channels.isPending ? (
        <Skeleton h={480} />
      ) : (
        <>
          {builds.isPending && <Skeleton h={SINCE_NEWEST_HEIGHT} />}
          {newest !== undefined && <SinceNewest gameUid={game.game_uid} slug={game.slug} build={newest} />}
          <Activity game={game} />
          {channels.data !== undefined && <LiveNow slug={game.slug} places={channels.data.channels} />}
          {builds.isPending && <Skeleton h={220} />}
          {builds.data !== undefined && (
            <NewestBuilds slug={game.slug} builds={builds.data.builds} places={channels.data?.channels ?? null} />
          )}
          <Usage game={game} />
        </>
      )}
    </Stack>
  );
}

/** The version that players get on each channel and platform. */
function LiveNow({ slug, places }: { slug: string; places: readonly Place[] }) {
  return (
    <section aria-labelledby="live-now">
      <Title order={2} size="h4" id="live-now" mb="xs">
        Live now
      </Title>
      <DataTable
        label="Live now"
        keepsColumns
        columns={placeColumns(slug)}
        rows={places.toSorted((a, b) => compareChannels(a.channel, b.channel) || comparePlatforms(a, b))}
        rowKey={({ channel, os, arch }) => `${channel} ${os} ${arch}`}
        empty={<Text size="sm">No channel offers a build. Promote one on the Channels page.</Text>}
      />
    </section>
  );
}

function placeColumns(slug: string): Column<Place>[] {
  return [
    {
      header: 'Channel',
      cell: ({ channel }) => (
        <RowLink to="/dev/$slug/channels" params={{ slug }}>
          {channel}
        </RowLink>
      ),
    },
    { header: 'Platform', cell: (place) => formatPlatform(place) },
    { header: 'Version', cell: (place) => <LiveVersion slug={slug} place={place} /> },
    { header: 'Updated', hiddenBelow: 'sm', cell: ({ moved_at }) => <Time at={moved_at} /> },
    {
      header: 'Scan',
      hiddenBelow: 'sm',
      cell: ({ scan }) => scan !== null && <StateBadge tone={SCANS[scan].tone}>{SCANS[scan].label}</StateBadge>,
    },
  ];
}

function LiveVersion({ slug, place }: { slug: string; place: Place }) {
  if (place.expired) {
    return (
      <Text span size="sm" c="dimmed">
        {`None (${place.version} expired)`}
      </Text>
    );
  }
  return (
    <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: place.build_id }}>
      {place.version}
    </SiteLink>
  );
}

type NewestBuildsProps = { slug: string; builds: readonly ListedBuild[]; places: readonly Place[] | null };

/** The builds of a game that were registered last. */
function NewestBuilds({ slug, builds, places }: NewestBuildsProps) {
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
        columns={buildColumns({ slug, places })}
        rows={groupByVersion(builds)}
        rowKey={({ build_id }) => build_id}
      />
    </section>
  );
}
