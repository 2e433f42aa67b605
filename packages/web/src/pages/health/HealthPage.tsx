// Launch health: the band that players see, the builds with their numbers, the days of one build, and how bands are computed.
import { listHealth } from '@chauffeur/contract/operations/health';
import { Skeleton, Stack, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useBuildColours } from '../../charts/use-build-colours.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { SendEvents } from '../events/SendEvents.tsx';
import { useGame } from '../games/use-game.ts';
import { BuildDays } from './BuildDays.tsx';
import { CompareBuilds } from './CompareBuilds.tsx';
import { HealthRules } from './HealthRules.tsx';
import { HealthTable } from './HealthTable.tsx';
import { ListingBand } from './ListingBand.tsx';

const route = getRouteApi('/signed-in/dev/$slug/health');

export function HealthPage() {
  const game = useGame();
  const search = route.useSearch();
  const list = usePages(listHealth, { uid: game.game_uid }, (page) => page.builds);
  const colourOf = useBuildColours(game.game_uid);
  const builds = list.rows ?? [];
  const listing = list.firstPage?.listing;
  // The newest build, as on the overview. Players may see the band of an older one.
  const selected = search.build ?? builds[0]?.build_id;
  return (
    <Stack gap="lg">
      <PageHead title="Launch health" tabTitle={`Launch health · ${game.name}`} />
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
