// The public page of a developer with their games.
import { ApiError } from '@chauffeur/contract/errors';
import { getDeveloper } from '@chauffeur/contract/operations/developers';
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { formatDay, formatExactTime } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { GameGrid, LoadingGrid } from './GameGrid.tsx';
import { MoreGames } from './MoreGames.tsx';

const route = getRouteApi('/@{$handle}');

export function DeveloperPage() {
  const { handle } = route.useParams();
  const list = usePages(getDeveloper, { handle }, (page) => page.games);
  const { firstPage: developer, rows: games = [], error } = list;
  useTitle(developer?.name);
  if (error instanceof ApiError && [4040, 4002].includes(error.code)) return <UnknownPage />;
  return (
    <Stack gap="lg">
      <header>
        {developer === undefined ? (
          error === null && <Skeleton h={36} w={240} aria-label="Loading developer" />
        ) : (
          <>
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              {developer.name}
            </Title>
            <Text c="dimmed" size="sm">
              @{developer.handle} · Joined{' '}
              <time dateTime={developer.since} title={formatExactTime(new Date(developer.since))}>
                {formatDay(new Date(developer.since))}
              </time>
            </Text>
          </>
        )}
      </header>
      <section aria-label="Games">
        {developer === undefined && error === null && <LoadingGrid />}
        {games.length > 0 && <GameGrid games={games} />}
        {developer !== undefined && games.length === 0 && (
          <Text size="sm">This developer has no public games with a download yet.</Text>
        )}
        {error !== null && <Problem error={error} onRetry={list.retry} />}
        {error === null && <MoreGames list={list} />}
      </section>
    </Stack>
  );
}
