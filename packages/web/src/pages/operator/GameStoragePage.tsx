// The storage of all games, the largest first: operators search them and set quotas.
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import { MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGameQuota, listGameStorage, setGameQuota } from '@chauffeur/contract/operations/usage';
import { Anchor, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { Notice, PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';

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
    bytesColumn('Patches', (game) => game.patches_bytes),
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

type Quota = OutputOf<typeof getGameQuota>;
type Game = Pick<Quota['game'], 'game_uid' | 'name'>;

/**
 * Sets the quotas of a game: says beforehand what happens to a game that uses more, and shows who changed them before.
 */
function QuotaDialog({ game, onClose }: { game: Game; onClose: () => void }) {
  const { data, error, refetch } = useQuery(ask(getGameQuota, { uid: game.game_uid }));
  return (
    <Dialog title={`Quota of ${game.name}`} onClose={onClose}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Skeleton h={260} /> : <QuotaForm quota={data} onClose={onClose} />}
    </Dialog>
  );
}

function QuotaForm({ quota: { game, changes, defaults }, onClose }: { quota: Quota; onClose: () => void }) {
  const [storageMb, setStorageMb] = useState(game.storage_mb);
  const [crashMb, setCrashMb] = useState(game.crash_mb);
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: () => call(setGameQuota, { uid: game.game_uid, storage_mb: storageMb, crash_mb: crashMb }),
    onSuccess: async () => {
      await Promise.all([listGameStorage, getGameQuota].map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
      onClose();
    },
  });
  const limit = (storageMb ?? defaults.storage_mb) * MIB;
  return (
    <form
      aria-label="Quota"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack gap="md">
        <QuotaField
          field="storage_mb"
          label="Storage in MiB"
          value={storageMb}
          setting={defaults.storage_mb}
          onChange={setStorageMb}
        />
        <QuotaField
          field="crash_mb"
          label="Crash files per day in MiB"
          value={crashMb}
          setting={defaults.crash_mb}
          onChange={setCrashMb}
        />
        {limit > 0 && limit < game.used_bytes && (
          <Notice tone="unsure" title={`The game already uses ${formatBytes(game.used_bytes)}`}>
            <Text size="sm">Nothing is deleted. Uploads are refused until it uses less than the quota.</Text>
          </Notice>
        )}
        {saving.error !== null && <Problem error={saving.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            Save quota
          </Button>
        </Group>
        <Changes changes={changes} />
      </Stack>
    </form>
  );
}

type QuotaFieldProps = {
  field: string;
  label: string;
  value: number | null;
  setting: number;
  onChange: (value: number | null) => void;
};

function QuotaField({ field, label, value, setting, onChange }: QuotaFieldProps) {
  return (
    <TextInput
      data-field={field}
      label={label}
      description={`Leave it empty for the default, ${formatMb(setting)}. 0 means no limit.`}
      inputMode="numeric"
      pattern="[0-9]{1,9}"
      title="A whole number"
      value={value === null ? '' : String(value)}
      onChange={({ currentTarget: { value: text } }) => {
        if (/^\d{0,9}$/.test(text)) onChange(text === '' ? null : Number(text));
      }}
    />
  );
}

function formatMb(mb: number): string {
  return mb === 0 ? 'no limit' : `${formatNumber(mb)} MiB`;
}

function Changes({ changes }: Pick<Quota, 'changes'>) {
  if (changes.length === 0) return null;
  const format = (mb: number | null) => (mb === null ? 'default' : formatMb(mb));
  return (
    <Stack gap={4} component="section" aria-label="Changes">
      <Text size="sm" fw={600}>
        Changes
      </Text>
      {changes.map(({ at, by, storage_mb, crash_mb }) => (
        <Text key={at} size="sm" c="dimmed">
          <Time at={at} /> · {by ?? 'command line'}
          {`: storage ${format(storage_mb)}, crash files ${format(crash_mb)}`}
        </Text>
      ))}
    </Stack>
  );
}
