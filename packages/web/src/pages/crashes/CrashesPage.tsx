// The crashes of a game: its groups, or single reports that are searched for, narrowed down by what the address holds.
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { useGame } from '../games/use-game.ts';
import { CrashFilterBar } from './CrashFilterBar.tsx';
import { asTexts, type CrashFilters, readFilters } from './filters.ts';
import { GroupList } from './GroupList.tsx';
import { ReportList } from './ReportList.tsx';

const route = getRouteApi('/signed-in/dev/$slug/crashes');

const MOST_BUILDS = 100;

export function CrashesPage() {
  const game = useGame();
  const filters = readFilters(route.useSearch());
  const navigate = route.useNavigate();
  const { data } = useQuery(ask(listGameBuilds, { uid: game.game_uid, page_size: MOST_BUILDS }));
  const builds = data?.builds ?? [];
  /** How often the filters were cleared: what was typed goes with them. */
  const [cleared, setCleared] = useState(0);
  const change = (changed: CrashFilters) => void navigate({ search: asTexts(changed), replace: true });
  const showAll = () => {
    change({ view: 'groups', status: 'open' });
    setCleared(cleared + 1);
  };
  const List = filters.view === 'groups' ? GroupList : ReportList;
  return (
    <Stack gap="md">
      <PageHead title="Crashes" tab={`Crashes · ${game.name}`} />
      <CrashFilterBar key={cleared} filters={filters} builds={builds} onChange={change} />
      <List key={JSON.stringify(filters)} game={game} filters={filters} newest={builds[0]} onAll={showAll} />
    </Stack>
  );
}
