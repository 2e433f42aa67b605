// The builds of a game, with filters in the URL, and the uploads that were rejected.
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { listRejectedUploads } from '@chauffeur/contract/operations/files';
import { Button, Code, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { shorten } from '../../ui/format.ts';
import { Pager } from '../../ui/PagedTable.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { OS_FILTER_CHOICES } from '../../ui/platforms.ts';
import { selectColumn, useSelection } from '../../ui/SelectRows.tsx';
import { PushCommand } from '../../ui/ShellCommand.tsx';
import { RowAnchor, SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { BUILD_STATES, SCANS } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { channelNames } from '../channels/channel-grid.ts';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { buildColumns, type ListedBuild } from './build-columns.tsx';
import {
  type BuildFilters,
  type ChangedFilters,
  groupByVersion,
  isBuildFiltered,
  readBuildFilters,
  readPage,
  toBuildSearch,
} from './build-filters.ts';
import { SelectedBuilds } from './SelectedBuilds.tsx';

const route = getRouteApi('/signed-in/dev/$slug/builds');

const POLL_MS = 3000;
/** Most versions have all their builds on one page. */
const PAGE_SIZE = 50;

/** All builds on one page of the list can be selected. */
const MAX_SELECTED = PAGE_SIZE;

const SELECTABLE = {
  idOf: (build: ListedBuild) => build.build_id,
  nameOf: (build: ListedBuild) => `${build.version} for ${formatPlatform(build)}`,
  max: MAX_SELECTED,
};

export function BuildsPage() {
  const game = useGame();
  const filters = readBuildFilters(route.useSearch());
  const sort = filters.sort ?? 'registered';
  const navigate = route.useNavigate();
  const pollMs = useLiveInterval(POLL_MS);
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...ask(listGameBuilds, { uid: game.game_uid, page_size: PAGE_SIZE, ...filters }),
    placeholderData: keepPreviousData,
    // Polls only while a build is being scanned.
    refetchInterval: ({ state }) => (state.data?.builds.some((build) => build.state === 'processing') ? pollMs : false),
    meta: follow('builds'),
  });
  const channels = useQuery({ ...ask(listChannels, { uid: game.game_uid }), meta: follow('builds') });
  /** The number of resets is the key of the filters, so that a reset clears the search field too. */
  const [resets, setResets] = useState(0);
  /**
   * The selected rows stay while someone looks for other builds on another page of the list, or with other filters.
   */
  const [selected, setSelected] = useSelection('builds');
  const change = (changed: ChangedFilters) =>
    void navigate({ search: toBuildSearch({ ...filters, page: undefined, ...changed }), replace: true });
  const reset = () => {
    change({ search: undefined, os: undefined, channel: undefined, state: undefined });
    setResets(resets + 1);
  };
  const rows = sort === 'registered' && data !== undefined ? groupByVersion(data.builds) : data?.builds;
  return (
    <Stack gap="md">
      <PageHead title="Builds" tabTitle={`Builds · ${game.name}`}>
        <SiteLink to="/dev/$slug/versions" params={{ slug: game.slug }} size="sm">
          Versions
        </SiteLink>
      </PageHead>
      <Filters key={resets} gameUid={game.game_uid} filters={filters} onChange={change} />
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <SelectedBuilds game={game} selected={selected} onSelect={setSelected} listed={data?.builds} />
      <DataTable
        label="Builds"
        keepsColumns
        columns={[
          selectColumn({ ...SELECTABLE, ...(rows !== undefined && { rows }), selected, onSelect: setSelected }),
          ...buildColumns({
            slug: game.slug,
            pointers: channels.data?.channels,
            withdrawn: channels.data?.withdrawn,
            order: { sort, onSort: (order) => change({ sort: order === 'registered' ? undefined : order }) },
          }),
        ]}
        rows={rows}
        rowKey={({ build_id }) => build_id}
        isLoading={isPending || isPlaceholderData}
        skeletonRows={8}
        empty={isBuildFiltered(filters) ? <NoMatches onReset={reset} /> : <NoBuilds slug={game.slug} />}
      />
      {data !== undefined && data.builds.length > 0 && (
        <Pager
          pagination={data.pagination}
          itemName={{ one: 'build', other: 'builds' }}
          onPage={(page) => void navigate({ search: toBuildSearch({ ...filters, page }) })}
        />
      )}
      <RejectedUploads game={game} />
    </Stack>
  );
}

function NoMatches({ onReset }: { onReset: () => void }) {
  return (
    <Group>
      <Text size="sm">No builds match.</Text>
      <Button size="xs" variant="default" onClick={onReset}>
        Show all builds
      </Button>
    </Group>
  );
}

function NoBuilds({ slug }: { slug: string }) {
  return (
    <EmptyState command={<PushCommand slug={slug} />}>
      No builds yet. This command registers one and uploads its files from the folder <Code>dist</Code>:
    </EmptyState>
  );
}

type FiltersProps = { gameUid: string; filters: BuildFilters; onChange: (changed: ChangedFilters) => void };

const STATE_CHOICES = [
  { value: '', label: 'Any state' },
  ...Object.entries(BUILD_STATES).map(([value, { label }]) => ({ value, label })),
];
const TYPING_DELAY_MS = 200;

function Filters({ gameUid, filters, onChange }: FiltersProps) {
  const { data } = useQuery(ask(listChannels, { uid: gameUid }));
  const [search, setSearch] = useState(filters.search ?? '');
  const changeSearch = useDebouncedCallback(
    (text: string) => onChange({ search: text === '' ? undefined : text }),
    TYPING_DELAY_MS,
  );
  const channels = channelNames(data?.channels ?? []);
  const choose = (name: 'os' | 'channel' | 'state') => (event: { currentTarget: { value: string } }) =>
    onChange({ [name]: readBuildFilters({ [name]: event.currentTarget.value })[name] });
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
      <NativeSelect
        aria-label="OS"
        size="xs"
        data={OS_FILTER_CHOICES}
        value={filters.os ?? ''}
        onChange={choose('os')}
      />
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

type RejectedFile = OutputOf<typeof listRejectedUploads>['files'][number];

/** Uploads that were rejected by the virus scan. Renders nothing if there are none. */
function RejectedUploads({ game }: { game: OpenGame }) {
  const navigate = route.useNavigate();
  const page = readPage(route.useSearch().rejected);
  const openPage = (number: number) =>
    void navigate({
      search: (before) => ({ ...before, rejected: number === 1 ? undefined : String(number) }),
      resetScroll: false,
    });
  const { data, error, refetch } = useQuery({
    ...ask(listRejectedUploads, { uid: game.game_uid, page }),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.pagination.total === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-labelledby="rejected" mt="lg">
      <div>
        <Title order={2} size="h4" id="rejected">
          Rejected uploads
        </Title>
        <Text size="sm" c="dimmed">
          From the last 30 days. Players could never download these files, and their contents are not stored.
        </Text>
      </div>
      <DataTable
        label="Rejected uploads"
        columns={fileColumns(game.slug)}
        rows={data.files}
        rowKey={({ file_uid }) => file_uid}
      />
      <Pager
        pagination={data.pagination}
        itemName={{ one: 'rejected upload', other: 'rejected uploads' }}
        onPage={openPage}
      />
    </Stack>
  );
}

function fileColumns(slug: string): Column<RejectedFile>[] {
  return [
    {
      header: 'File',
      cell: ({ file_uid, filename }) => (
        <RowAnchor href={`/g/${slug}/files/${file_uid}`} title="Show the uploader and all scans">
          {filename}
        </RowAnchor>
      ),
    },
    {
      header: 'Build',
      cell: ({ build_id: buildId }) => (
        <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId }}>
          {shorten(buildId)}
        </SiteLink>
      ),
    },
    {
      header: 'Scan',
      cell: ({ status }) => <StateBadge tone={SCANS[status].tone}>{SCANS[status].label}</StateBadge>,
    },
    { header: 'Result', overflow: 'anywhere', isLong: true, cell: ({ detail }) => detail ?? '–' },
    {
      header: 'Size',
      align: 'right',
      overflow: 'nowrap',
      cell: ({ size }) => <Bytes count={size} />,
    },
    {
      header: 'Rejected',
      overflow: 'nowrap',
      cell: ({ rejected_at }) => <Time at={rejected_at} />,
    },
  ];
}
