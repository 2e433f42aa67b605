// The versions of a game: on which platforms each is, which channels offer it, and how well it starts.
import { formatNumber, formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listVersions } from '@chauffeur/contract/operations/versions';
import { Code, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { PageHead, Trail } from '../../ui/PageLayout.tsx';
import { comparePlatforms } from '../../ui/platforms.ts';
import { PushCommand } from '../../ui/ShellCommand.tsx';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { compareChannels } from '../channels/channel-grid.ts';
import { useGame } from '../games/use-game.ts';

const route = getRouteApi('/signed-in/dev/$slug/versions');

const TYPING_DELAY_MS = 200;

export function VersionsPage() {
  const game = useGame();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const list = usePages(
    listVersions,
    { uid: game.game_uid, ...(search !== undefined && { search }) },
    ({ versions }) => versions,
    { keepsPreviousRows: true },
  );
  const [typed, setTyped] = useState(search ?? '');
  const change = useDebouncedCallback(
    (text: string) => void navigate({ search: { search: text === '' ? undefined : text }, replace: true }),
    TYPING_DELAY_MS,
  );
  return (
    <Stack gap="md">
      <Trail parents={[{ key: 'builds', link: <BuildsLink slug={game.slug} /> }]} current="Versions" />
      <PageHead title="Versions" tabTitle={`Versions · ${game.name}`} />
      <TextInput
        aria-label="Search versions and titles"
        placeholder="Version or title"
        type="search"
        size="xs"
        w={200}
        data-search
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          change(event.currentTarget.value);
        }}
      />
      <PagedTable
        label="Versions"
        keepsColumns
        list={list}
        columns={columnsOf(game.slug)}
        rowKey={({ version }) => version}
        more="Show older versions"
        empty={
          search === undefined ? (
            <EmptyState command={<PushCommand slug={game.slug} />}>
              No versions yet. This command registers a build and uploads its files from the folder <Code>dist</Code>:
            </EmptyState>
          ) : (
            <Text size="sm">No versions match.</Text>
          )
        }
      />
    </Stack>
  );
}

export function BuildsLink({ slug }: { slug: string }) {
  return (
    <SiteLink to="/dev/$slug/builds" params={{ slug }}>
      Builds
    </SiteLink>
  );
}

type Row = OutputOf<typeof listVersions>['versions'][number];

function columnsOf(slug: string): Column<Row>[] {
  return [
    {
      header: 'Version',
      overflow: 'anywhere',
      cell: ({ version, notes }) => (
        <>
          <RowLink to="/dev/$slug/version" params={{ slug }} search={{ version }}>
            {version}
          </RowLink>
          {notes !== null && notes !== version && (
            <Text size="sm" c="dimmed">
              {notes}
            </Text>
          )}
        </>
      ),
    },
    {
      header: 'Platforms',
      hiddenBelow: 'sm',
      cell: ({ builds }) => [...new Set(builds.toSorted(comparePlatforms).map(formatPlatform))].join(', '),
    },
    { header: 'Live on', cell: ({ channels }) => formatChannels(channels) },
    { header: 'Launch health', cell: ({ launch }) => <BandBadge band={launch.band} /> },
    {
      header: 'Downloads',
      align: 'right',
      hiddenBelow: 'md',
      cell: ({ downloads }) => formatNumber(downloads),
    },
    {
      header: 'Registered',
      hiddenBelow: 'md',
      overflow: 'nowrap',
      cell: ({ registered_at }) => <Time at={registered_at} />,
    },
  ];
}

function formatChannels(offers: Row['channels']): string {
  const names = [...new Set(offers.map(({ channel }) => channel))].toSorted(compareChannels);
  return names.length === 0 ? '–' : names.join(', ');
}
