// The home page of the store: search and a few shelves of games.
import { getShelf, type ShelfName } from '@chauffeur/contract/operations/shelves';
import { Group, Stack, Text, Title } from '@mantine/core';
import { type QueryClient, useQueries, useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { SetupNotice } from '../setup/SetupNotice.tsx';
import { GameShelf, LoadingShelf } from './GameGrid.tsx';
import { SearchBox } from './SearchBox.tsx';

/** docs/shelves.md defines the shelves. */
const SHELVES: readonly { shelf: ShelfName; title: string; description: string }[] = [
  { shelf: 'tonight', title: 'Tonight', description: 'Small downloads that start reliably' },
  {
    shelf: 'unheard_of',
    title: 'Unheard of',
    description: 'New games that few have played. A new selection every day.',
  },
  { shelf: 'new', title: 'New', description: 'Latest releases' },
  { shelf: 'recently_updated', title: 'Recently updated', description: 'Games with a new stable build' },
];

const shelfQuery = (shelf: ShelfName) => ask(getShelf, { shelf });

/** Starts loading the shelves. The page renders without waiting for them. */
export function loadHome(queries: QueryClient): void {
  for (const { shelf } of SHELVES) void queries.prefetchQuery(shelfQuery(shelf));
}

export function HomePage() {
  useTitle('');
  return (
    <Stack gap="xl">
      <Title order={1} size="h2">
        Games
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

/** Empty shelves are left out, unless all are empty. */
function Shelves() {
  const shelves = useQueries({ queries: SHELVES.map(({ shelf }) => shelfQuery(shelf)) });
  const isFilled = shelves.some(({ data }) => data !== undefined && data.games.length > 0);
  const isEmpty = shelves.every(({ data }) => data?.games.length === 0);
  return (
    <>
      {isEmpty && <SetupNotice />}
      {SHELVES.map((shelf, index) => {
        const isShelfEmpty = shelves[index]?.data?.games.length === 0;
        return isShelfEmpty && isFilled ? null : <Shelf key={shelf.shelf} {...shelf} />;
      })}
    </>
  );
}

function Shelf({ shelf, title, description }: (typeof SHELVES)[number]) {
  const { data, error, isPending, refetch } = useQuery(shelfQuery(shelf));
  return (
    <section aria-labelledby={`shelf-${shelf}`}>
      <Title order={2} size="h4" id={`shelf-${shelf}`}>
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {description}
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <LoadingShelf />}
      {data?.games.length === 0 && <Text size="sm">No games yet.</Text>}
      {data !== undefined && data.games.length > 0 && <GameShelf games={data.games} />}
    </section>
  );
}
