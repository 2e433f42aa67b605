// All listed games, searched by text and filtered by OS and tag.
import { browseGames } from '@chauffeur/contract/operations/browse';
import { Group, Pill, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../../frame/page-title.ts';
import { Problem } from '../../ui/Problem.tsx';
import { ANY_OS, OS_FILTER_CHOICES } from '../../ui/platforms.ts';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { usePages } from '../../ui/use-pages.ts';
import classes from './BrowsePage.module.css';
import { GameGrid, LoadingGrid } from './GameGrid.tsx';
import { MoreGames } from './MoreGames.tsx';
import { SearchBox } from './SearchBox.tsx';
import { type BrowseFilters, browseInput } from './store-queries.ts';

const route = getRouteApi('/browse');

export function BrowsePage() {
  const filters = route.useSearch();
  useTitle(filters.q === undefined ? 'Browse games' : `Search results for "${filters.q}"`);
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        Browse games
      </Title>
      {/* Going back or searching from another page changes the text, so the field starts over. */}
      <SearchBox key={filters.q} {...filters} />
      <Filters {...filters} />
      <Results {...filters} />
    </Stack>
  );
}

function Filters({ q, os = ANY_OS, tag }: BrowseFilters) {
  const navigate = route.useNavigate();
  return (
    <Group gap="md">
      <SegmentedControl
        aria-label="OS"
        size="xs"
        className={classes.oses}
        data={OS_FILTER_CHOICES}
        value={os}
        onChange={(next) => void navigate({ search: { q, tag, os: next === ANY_OS ? undefined : next } })}
      />
      {tag !== undefined && (
        <Pill
          withRemoveButton
          onRemove={() => void navigate({ search: { q, os: os === ANY_OS ? undefined : os } })}
          removeButtonProps={{ 'aria-label': `Remove tag ${tag}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {tag}
        </Pill>
      )}
    </Group>
  );
}

function Results(filters: BrowseFilters) {
  const list = usePages(browseGames, browseInput(filters), (page) => page.games);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <section aria-label="Results">
      {list.isLoading && <LoadingGrid />}
      {list.rows !== undefined && list.rows.length > 0 && <GameGrid games={list.rows} />}
      {list.rows?.length === 0 && <NoGames isFiltered={isFiltered} />}
      {list.error !== null && <Problem error={list.error} onRetry={list.retry} />}
      {list.error === null && <MoreGames list={list} />}
    </section>
  );
}

function NoGames({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) return <Text size="sm">No games yet. Public games with a build on stable appear here.</Text>;
  return (
    <Text size="sm" role="status">
      No games match. <SiteLink to="/browse">Show all games</SiteLink>
    </Text>
  );
}
