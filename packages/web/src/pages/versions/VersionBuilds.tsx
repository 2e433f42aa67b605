// The builds of a version, by platform, of which some can be selected.
import { formatNumber, formatPlatform } from '@chauffeur/contract/format';
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { comparePlatforms } from '../../ui/platforms.ts';
import { selectColumn } from '../../ui/SelectRows.tsx';
import { RowLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { BUILD_STATES } from '../../ui/states.ts';
import { SelectedBuilds } from '../builds/SelectedBuilds.tsx';
import type { OpenGame } from '../games/use-game.ts';
import type { VersionDetail } from './version-builds.ts';

type VersionBuildsProps = { game: OpenGame; version: VersionDetail };
type Row = VersionDetail['builds'][number];

export function VersionBuilds({ game, version: { version, builds: unsorted } }: VersionBuildsProps) {
  const builds = unsorted.toSorted(comparePlatforms);
  const [selected, setSelected] = useState<readonly string[]>([]);
  return (
    <Stack gap="sm">
      <SelectedBuilds
        game={game}
        selected={selected}
        onSelect={setSelected}
        listed={builds.map((build) => ({ ...build, version }))}
      />
      <DataTable
        label="Builds of this version"
        keepsColumns
        columns={[
          selectColumn({
            selected,
            onSelect: setSelected,
            idOf: ({ build_id }) => build_id,
            nameOf: (build) => `${version} for ${formatPlatform(build)}`,
            max: builds.length,
            rows: builds,
          }),
          ...columnsOf(game.slug, version),
        ]}
        rows={builds}
        rowKey={({ build_id }) => build_id}
        empty={<Text size="sm">All builds of this version were deleted.</Text>}
      />
    </Stack>
  );
}

function columnsOf(slug: string, version: string): Column<Row>[] {
  return [
    {
      header: 'Platform',
      cell: (build) => (
        <RowLink
          to="/dev/$slug/builds/$buildId"
          params={{ slug, buildId: build.build_id }}
          aria-label={`${version} for ${formatPlatform(build)}`}
        >
          {formatPlatform(build)}
        </RowLink>
      ),
    },
    {
      header: 'State',
      cell: ({ state }) => <StateBadge tone={BUILD_STATES[state].tone}>{BUILD_STATES[state].label}</StateBadge>,
    },
    { header: 'Launch health', cell: ({ launch }) => <BandBadge band={launch.band} /> },
    {
      header: 'Symbols',
      hiddenBelow: 'md',
      cell: ({ symbols, missing_symbols: missing }) =>
        missing === 0 ? formatNumber(symbols) : `${formatNumber(symbols)}, ${formatNumber(missing)} missing`,
    },
    {
      header: 'Size',
      align: 'right',
      hiddenBelow: 'md',
      overflow: 'nowrap',
      cell: ({ size }) => (size === null ? '–' : <Bytes count={size} />),
    },
    {
      header: 'Downloads',
      align: 'right',
      hiddenBelow: 'md',
      cell: ({ downloads }) => formatNumber(downloads),
    },
  ];
}
