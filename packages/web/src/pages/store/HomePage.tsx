// The shop window: a few shelves of games.
import { getShelf, type ShelfName } from '@chauffeur/contract/operations/shelves';
import { Group, Stack, Text, Title } from '@mantine/core';
import { type QueryClient, useQueries, useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { GameShelf, WaitingShelf } from './GameGrid.tsx';
import { SearchBox } from './SearchBox.tsx';

/** What each shelf is for, as docs/shelves.md defines it. */
const SHELF_TITLES: readonly { shelf: ShelfName; title: string; says: string }[] = [
  { shelf: 'tonight', title: 'Tonight', says: 'Small enough to start this evening, and known to start' },
  { shelf: 'unheard_of', title: 'Unheard of', says: 'New games that few have played; another choice each day' },
  { shelf: 'new', title: 'New', says: 'Published last' },
  { shelf: 'recently_updated', title: 'Recently updated', says: 'With a new build on stable' },
];

const shelfQuery = (shelf: ShelfName) => ask(getShelf, { shelf });

/** Begins to ask; the page shows itself meanwhile. */
export function loadHome(queries: QueryClient): void {
  for (const { shelf } of SHELF_TITLES) void queries.prefetchQuery(shelfQuery(shelf));
}

export function HomePage() {
  useTitle('');
  return (
    <Stack gap="xl">
      <Title order={1} size="h2">
        Games to play
      </Title>
      <Group gap="md">
        <SearchBox />
        <SiteLink to="/browse" size="sm">
          Browse all games
        </SiteLink>
      </Group>
      <Shelves />
    </Stack>
  );
}

/** Shelves that are empty are left out, once another is not. */
function Shelves() {
  const shelves = useQueries({ queries: SHELF_TITLES.map(({ shelf }) => shelfQuery(shelf)) });
  const isFilled = shelves.some(({ data }) => data !== undefined && data.games.length > 0);
  return SHELF_TITLES.map((shelf, index) => {
    const isEmpty = shelves[index]?.data?.games.length === 0;
    return isEmpty && isFilled ? null : <Shelf key={shelf.shelf} {...shelf} />;
  });
}

function Shelf({ shelf, title, says }: (typeof SHELF_TITLES)[number]) {
  const { data, error, isPending, refetch } = useQuery(shelfQuery(shelf));
  return (
    <section aria-labelledby={`shelf-${shelf}`}>
      <Title order={2} size="h4" id={`shelf-${shelf}`}>
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {says}
      </Text>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isPending && <WaitingShelf />}
      {data?.games.length === 0 && <Text size="sm">No game stands here yet.</Text>}
      {data !== undefined && data.games.length > 0 && <GameShelf games={data.games} />}
    </section>
  );
}
