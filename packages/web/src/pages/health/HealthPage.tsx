// Launch health: what players see, the builds with their numbers, the days of one of them, and how all of it is counted.
import { Skeleton, Stack, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useBuildColours } from '../../charts/use-build-colours.ts';
import { NextPage } from '../../ui/NextPage.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SendEvents } from '../events/SendEvents.tsx';
import { useGame } from '../games/use-game.ts';
import { BuildDays } from './BuildDays.tsx';
import { HealthRules } from './HealthRules.tsx';
import { HealthTable } from './HealthTable.tsx';
import { ListingBand } from './ListingBand.tsx';
import { healthQuery } from './use-health.ts';

const route = getRouteApi('/signed-in/dev/$slug/health');

export function HealthPage() {
  const game = useGame();
  const search = route.useSearch();
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    healthQuery(game.game_uid),
  );
  const colourOf = useBuildColours(game.game_uid);
  const builds = data?.pages.flatMap((page) => page.builds) ?? [];
  const listing = data?.pages[0]?.listing;
  const opened = search.build ?? listing?.build_id ?? builds[0]?.build_id;
  return (
    <Stack gap="lg">
      <PageHead title="Launch health" tab={`Launch health · ${game.name}`} />
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Skeleton h={320} />}
      {data !== undefined && builds.length === 0 && (
        <SendEvents game={game}>No device has started a build in the last 30 days, as far as events tell.</SendEvents>
      )}
      {listing !== undefined && builds.length > 0 && (
        <>
          <ListingBand slug={game.slug} listing={listing} builds={builds} />
          <Stack gap="xs" component="section" aria-labelledby="builds">
            <Title order={2} size="h4" id="builds">
              Builds of the last 30 days
            </Title>
            <HealthTable builds={builds} opened={opened} listed={listing.build_id} colourOf={colourOf} />
            <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
              Show older builds
            </NextPage>
          </Stack>
        </>
      )}
      {opened !== undefined && <BuildDays key={opened} buildId={opened} colour={colourOf(opened)} />}
      <HealthRules />
    </Stack>
  );
}
