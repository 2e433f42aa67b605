// The public page of a developer: who they are, and their games.
import { ApiError } from '@chauffeur/contract/errors';
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { sayDay, sayExactTime } from '../../ui/say.ts';
import { GameGrid, WaitingGrid } from './GameGrid.tsx';
import { developerQuery } from './store-queries.ts';

const route = getRouteApi('/@{$handle}');

export function DeveloperPage() {
  const { handle } = route.useParams();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    developerQuery(handle),
  );
  const developer = data?.pages[0];
  const games = data?.pages.flatMap((page) => page.games) ?? [];
  useTitle(developer?.name);
  if (error instanceof ApiError && [4040, 4002].includes(error.code)) return <UnknownPage />;
  return (
    <Stack gap="lg">
      <header>
        {developer === undefined ? (
          error === null && <Skeleton h={36} w={240} aria-label="Loading the developer" />
        ) : (
          <>
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              {developer.name}
            </Title>
            <Text c="dimmed" size="sm">
              @{developer.handle} · here since{' '}
              <time dateTime={developer.since} title={sayExactTime(new Date(developer.since))}>
                {sayDay(new Date(developer.since))}
              </time>
            </Text>
          </>
        )}
      </header>
      <section aria-label="Games">
        {developer === undefined && error === null && <WaitingGrid />}
        {games.length > 0 && <GameGrid games={games} />}
        {developer !== undefined && games.length === 0 && (
          <Text size="sm">No game of theirs is public and can be downloaded yet.</Text>
        )}
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
    </Stack>
  );
}
