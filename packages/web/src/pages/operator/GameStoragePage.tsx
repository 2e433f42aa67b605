// The storage of all games, the largest first: operators search them and set quotas.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGameStorage } from '@chauffeur/contract/operations/quotas';
import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import table from '../../ui/table.module.css';
import { QuotaDialog } from './QuotaDialog.tsx';

type GameStorage = OutputOf<typeof listGameStorage>['games'][number];

const route = getRouteApi('/signed-in/operator/games');

const TYPING_DELAY_MS = 250;

export function GameStoragePage() {
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const changeSearch = useDebouncedCallback(
    (text: string) => void navigate({ search: { search: text.trim() || undefined }, replace: true }),
    TYPING_DELAY_MS,
  );
  const games = usePages(listGameStorage, { ...(search !== undefined && { search }) }, (page) => page.games, {
    keepsPreviousRows: true,
  });
  const [edited, setEdited] = useState<GameStorage | null>(null);
  return (
    <Stack gap="md">
      <PageHead title="Storage by game" />
      <Text size="sm" c="dimmed">
        The quota counts builds, open uploads and symbols. Crash files have a separate daily limit.
      </Text>
      <TextInput
        type="search"
        aria-label="Search the storage of games"
        placeholder="Name or address"
        maw={320}
        defaultValue={search ?? ''}
        onChange={(event) => changeSearch(event.currentTarget.value)}
      />
      <PagedTable
        label="Storage by game"
        list={games}
        columns={gameColumns(setEdited)}
        rowKey={({ game_uid }) => game_uid}
        skeletonRows={8}
        empty={<EmptyState>No games match. Search for part of a name or an address.</EmptyState>}
        more="Show smaller games"
      />
      {edited !== null && <QuotaDialog game={edited} onClose={() => setEdited(null)} />}
    </Stack>
  );
}

function gameColumns(onEdit: (game: GameStorage) => void): Column<GameStorage>[] {
  return [
    { header: 'Game', cell: (game) => <GameName game={game} /> },
    {
      header: 'Used',
      overflow: 'nowrap',
      cell: (game) => <Used bytes={game.used_bytes} limit={game.storage_limit_bytes} />,
    },
    bytesColumn('Builds', (game) => game.builds_bytes),
    bytesColumn('Open uploads', (game) => game.sessions_bytes),
    bytesColumn('Symbols', (game) => game.symbols_bytes),
    bytesColumn('Event files', (game) => game.event_files_bytes),
    bytesColumn('Videos', (game) => game.videos_bytes),
    bytesColumn('Images', (game) => game.images_bytes),
    {
      header: 'Crash files today',
      overflow: 'nowrap',
      cell: (game) => <Used bytes={game.crash_bytes} limit={game.crash_limit_bytes} />,
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (game) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Set quota of ${game.name}`}
          onClick={() => onEdit(game)}
        >
          Set quota
        </Button>
      ),
    },
  ];
}

function bytesColumn(header: string, read: (game: GameStorage) => number): Column<GameStorage> {
  return {
    header,
    align: 'right',
    hiddenBelow: 'md',
    overflow: 'nowrap',
    cell: (game) => <Bytes count={read(game)} />,
  };
}

function GameName({ game: { slug, name, owner, storage_mb, crash_mb } }: { game: GameStorage }) {
  return (
    <>
      <Anchor href={`/g/${slug}`} className={table.main}>
        {name}
      </Anchor>{' '}
      {(storage_mb !== null || crash_mb !== null) && <StateBadge tone="none">Own quota</StateBadge>}
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {owner}
      </Text>
    </>
  );
}

function Used({ bytes, limit }: { bytes: number; limit: number }) {
  return (
    <>
      <Bytes count={bytes} />{' '}
      <Text span size="sm" c="dimmed">
        {limit === 0 ? (
          '(no limit)'
        ) : (
          <>
            of <Bytes count={limit} />
          </>
        )}
      </Text>
      {limit > 0 && bytes >= limit && (
        <>
          {' '}
          <StateBadge tone="bad">Full</StateBadge>
        </>
      )}
    </>
  );
}
