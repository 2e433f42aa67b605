// The crashes of a game: its open groups by default, or single reports if the URL asks for them.
import { findMistake } from '@chauffeur/contract/crash-query-mistake';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { useGame } from '../games/use-game.ts';
import { CrashFilterBar } from './CrashFilterBar.tsx';
import { FacetPanel } from './FacetPanel.tsx';
import { type CrashFilters, readFilters, toSearch } from './filters.ts';
import { GroupList } from './GroupList.tsx';
import { QueryMistake } from './QueryMistake.tsx';
import { ReportList } from './ReportList.tsx';

const route = getRouteApi('/signed-in/dev/$slug/crashes');

const MAX_BUILDS = 100;

export function CrashesPage() {
  const game = useGame();
  const filters = readFilters(route.useSearch());
  const navigate = route.useNavigate();
  const { data } = useQuery(ask(listGameBuilds, { uid: game.game_uid, page_size: MAX_BUILDS }));
  const builds = data?.builds ?? [];
  const change = (changed: CrashFilters) => void navigate({ search: toSearch(changed), replace: true });
  const reset = () => change(readFilters({}));
  const mistake = findMistake(filters.query);
  return (
    <Stack gap="md">
      <PageHead title="Crashes" tabTitle={`Crashes · ${game.name}`} />
      <CrashFilterBar filters={filters} builds={builds} onChange={change} />
      {mistake === null && (
        <FacetPanel game={game} query={filters.query} onChange={(query) => change({ ...filters, query })} />
      )}
      {mistake !== null ? (
        <QueryMistake mistake={mistake} onSearch={(query) => change({ ...filters, query })} onReset={reset} />
      ) : filters.view === 'groups' ? (
        <GroupList
          key={JSON.stringify(filters)}
          game={game}
          filters={filters}
          builds={builds}
          onSort={(sort) => change({ ...filters, sort })}
          onReset={reset}
        />
      ) : (
        <ReportList key={JSON.stringify(filters)} game={game} filters={filters} onReset={reset} />
      )}
    </Stack>
  );
}
