// All games that can be downloaded: looked for by words, kept to a system or a tag.
import { Button, Group, Pill, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../../frame/page-title.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import classes from './BrowsePage.module.css';
import { GameGrid, WaitingGrid } from './GameGrid.tsx';
import { SearchBox } from './SearchBox.tsx';
import { foundQuery, type Wanted } from './store-queries.ts';

const route = getRouteApi('/browse');

const ANY = '';
const SYSTEMS = [
  { value: ANY, label: 'Any' },
  { value: 'windows', label: 'Windows' },
  { value: 'macos', label: 'macOS' },
  { value: 'linux', label: 'Linux' },
  { value: 'android', label: 'Android' },
  { value: 'ios', label: 'iOS' },
  { value: 'web', label: 'In the browser' },
];

export function BrowsePage() {
  const wanted = route.useSearch();
  useTitle(wanted.q === undefined ? 'Browse games' : `Games for “${wanted.q}”`);
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        Browse games
      </Title>
      {/* A search from elsewhere, or the way back to one, has other words. */}
      <SearchBox key={wanted.q} {...wanted} />
      <Filters {...wanted} />
      <Results {...wanted} />
    </Stack>
  );
}

function Filters({ q, os = ANY, tag }: Wanted) {
  const navigate = route.useNavigate();
  return (
    <Group gap="md">
      <SegmentedControl
        aria-label="System"
        size="xs"
        className={classes.systems}
        data={SYSTEMS}
        value={os}
        onChange={(next) => void navigate({ search: { q, tag, os: next === ANY ? undefined : next } })}
      />
      {tag !== undefined && (
        <Pill
          withRemoveButton
          onRemove={() => void navigate({ search: { q, os: os === ANY ? undefined : os } })}
          removeButtonProps={{ 'aria-label': `Remove the tag ${tag}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {tag}
        </Pill>
      )}
    </Group>
  );
}

function Results(wanted: Wanted) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    foundQuery(wanted),
  );
  const games = data?.pages.flatMap((page) => page.games) ?? [];
  const isFiltered = Object.values(wanted).some((value) => value !== undefined);
  return (
    <section aria-label="Results">
      {isPending && <WaitingGrid />}
      {games.length > 0 && <GameGrid games={games} />}
      {data !== undefined && games.length === 0 && <NothingFound isFiltered={isFiltered} />}
      {error !== null && (
        <Problem error={error} again={() => void (data === undefined ? refetch() : fetchNextPage())} />
      )}
      {hasNextPage && error === null && (
        <Group justify="center" mt="lg">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </section>
  );
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return <Text size="sm">A game stands here once it is public, says what it is, and has a build on stable.</Text>;
  return (
    <Text size="sm" role="status">
      No game fits. <SiteLink to="/browse">Show all games</SiteLink>
    </Text>
  );
}
