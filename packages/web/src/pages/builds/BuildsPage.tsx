// The builds of a game, filtered by what the address holds, and the uploads that were rejected.
import { OSES } from '@chauffeur/contract/identity';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { sayOs } from '@chauffeur/contract/platform-words';
import { Button, Group, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { BUILD_STATES } from '../../ui/states.ts';
import table from '../../ui/table.module.css';
import { channelNames } from '../channels/grid.ts';
import { useGame } from '../games/use-game.ts';
import { BUILD_COLUMNS, BuildHeads, BuildRow } from './BuildRow.tsx';
import { asTexts, type BuildFilters, type ChangedFilters, isFiltered, readFilters } from './filters.ts';
import { RejectedUploads } from './RejectedUploads.tsx';

const route = getRouteApi('/signed-in/dev/$slug/builds');

const REFRESH_MS = 3000;

export function BuildsPage() {
  const game = useGame();
  const filters = readFilters(route.useSearch());
  const navigate = route.useNavigate();
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...ask(listGameBuilds, { uid: game.game_uid, ...filters }),
    placeholderData: keepPreviousData,
    // What is being scanned is followed; the rest of the time the list stands still.
    refetchInterval: ({ state }) =>
      state.data?.builds.some((build) => build.state === 'processing') ? REFRESH_MS : false,
  });
  /** How often the filters were cleared: what was typed goes with them. */
  const [cleared, setCleared] = useState(0);
  const change = (changed: ChangedFilters) =>
    void navigate({ search: asTexts({ ...filters, page: undefined, ...changed }), replace: true });
  const isEmpty = data?.builds.length === 0;
  return (
    <Stack gap="md">
      <PageHead title="Builds" tab={`Builds · ${game.name}`} />
      <Filters key={cleared} gameUid={game.game_uid} filters={filters} onChange={change} />
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isEmpty && isFiltered(filters) && (
        <Group>
          <Text size="sm">No build is like that.</Text>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              change({ search: undefined, os: undefined, channel: undefined, state: undefined });
              setCleared(cleared + 1);
            }}
          >
            Show all builds
          </Button>
        </Group>
      )}
      {isEmpty && !isFiltered(filters) && (
        <EmptyState command="chauffeur build --asset build.yml">
          No build yet. One appears here as soon as it is registered with the game’s deploy key.
        </EmptyState>
      )}
      {(isPending || (data !== undefined && !isEmpty)) && (
        <Table className={table.table} aria-label="Builds" aria-busy={isPending || isPlaceholderData}>
          <BuildHeads />
          <Table.Tbody>
            {isPending && <LoadingRows rows={8} columns={BUILD_COLUMNS} />}
            {data?.builds.map((build) => (
              <BuildRow key={build.build_id} slug={game.slug} build={build} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {data !== undefined && !isEmpty && (
        <Pager
          pagination={data.pagination}
          what="builds"
          onPage={(page) => void navigate({ search: asTexts({ ...filters, page }) })}
        />
      )}
      <RejectedUploads game={game} />
    </Stack>
  );
}

type FiltersProps = { gameUid: string; filters: BuildFilters; onChange: (changed: ChangedFilters) => void };

const OS_CHOICES = [{ value: '', label: 'Any system' }, ...OSES.map((os) => ({ value: os, label: sayOs(os) }))];
const STATE_CHOICES = [
  { value: '', label: 'Any state' },
  ...Object.entries(BUILD_STATES).map(([value, { word }]) => ({ value, label: word })),
];
const WAIT_MS = 200;

function Filters({ gameUid, filters, onChange }: FiltersProps) {
  const { data } = useQuery(ask(listChannels, { uid: gameUid }));
  const [search, setSearch] = useState(filters.search ?? '');
  const changeSearch = useDebouncedCallback(
    (typed: string) => onChange({ search: typed === '' ? undefined : typed }),
    WAIT_MS,
  );
  const channels = channelNames(data?.channels ?? []);
  const choose = (name: 'os' | 'channel' | 'state') => (event: { currentTarget: { value: string } }) =>
    onChange({ [name]: readFilters({ [name]: event.currentTarget.value })[name] });
  return (
    <Group gap="sm" role="search" aria-label="Builds">
      <TextInput
        aria-label="Search versions and titles"
        placeholder="Version or title"
        type="search"
        size="xs"
        w={200}
        data-search
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          changeSearch(event.currentTarget.value);
        }}
      />
      <NativeSelect aria-label="System" size="xs" data={OS_CHOICES} value={filters.os ?? ''} onChange={choose('os')} />
      <NativeSelect
        aria-label="Channel"
        size="xs"
        data={[{ value: '', label: 'Any channel' }, ...channels]}
        value={filters.channel ?? ''}
        onChange={choose('channel')}
      />
      <NativeSelect
        aria-label="State"
        size="xs"
        data={STATE_CHOICES}
        value={filters.state ?? ''}
        onChange={choose('state')}
      />
    </Group>
  );
}
