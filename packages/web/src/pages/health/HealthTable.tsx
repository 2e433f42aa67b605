// The builds with their bands and the numbers that decide them.
import { formatDuration, formatMilliseconds, formatNumber, formatPlatform } from '@chauffeur/contract/format';
import { Text } from '@mantine/core';
import { Swatch } from '../../charts/Bars.tsx';
import { BandBadge, formatMissingDevices } from '../../ui/BandBadge.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatShare } from '../../ui/format.ts';
import { isOnlySessions } from '../../ui/OnlySessions.tsx';
import { RowLink } from '../../ui/SiteLink.tsx';
import type { RatedBuild } from './health-days.ts';

type HealthTableProps = {
  slug: string;
  builds: readonly RatedBuild[];
  /** The ID of the build whose days are shown below the table. */
  selected: string | undefined;
  /** The ID of the build whose band players see. */
  listed: string | null;
  colourOf: (buildId: string) => number;
};

export function HealthTable({ builds, selected, ...columnProps }: HealthTableProps) {
  return (
    <DataTable
      label="Builds by launch health"
      columns={healthColumns(columnProps)}
      rows={builds}
      rowKey={({ build_id }) => build_id}
      isCurrent={({ build_id }) => build_id === selected}
    />
  );
}

type ColumnProps = Pick<HealthTableProps, 'slug' | 'listed' | 'colourOf'>;

function healthColumns({ slug, listed, colourOf }: ColumnProps): Column<RatedBuild>[] {
  return [
    {
      header: 'Build',
      overflow: 'nowrap',
      cell: (build) => <BuildName slug={slug} build={build} colour={colourOf(build.build_id)} />,
    },
    {
      header: 'Band',
      cell: (build) => (
        <>
          <BandBadge band={build.band} />{' '}
          <Text span size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {formatRating(build, listed)}
          </Text>
        </>
      ),
    },
    { header: 'Devices', align: 'right', hiddenBelow: 'md', cell: ({ devices }) => formatNumber(devices) },
    {
      header: 'Booted',
      align: 'right',
      overflow: 'nowrap',
      cell: ({ booted, devices }) => formatShare(booted, devices),
    },
    {
      header: 'Crashed on boot',
      align: 'right',
      overflow: 'nowrap',
      cell: ({ crashed_on_boot, devices }) => formatShare(crashed_on_boot, devices),
    },
    {
      header: 'Crash-free',
      align: 'right',
      overflow: 'nowrap',
      cell: ({ crash_free: { devices, crashed_devices } }) => formatShare(devices - crashed_devices, devices),
    },
    // The charts of the build also show them.
    ...MEDIAN_COLUMNS.map((column) => ({ ...column, hiddenBelow: 'md' as const })),
  ];
}

function formatRating(build: RatedBuild, listed: string | null): string | null {
  if (isOnlySessions(build)) return 'only sessions';
  return formatMissingDevices(build) ?? (build.build_id === listed ? "on the game's page" : null);
}

function BuildName({ slug, build, colour }: { slug: string; build: RatedBuild; colour: number }) {
  return (
    <>
      <Swatch look={{ colour, pattern: 0 }} />{' '}
      <RowLink
        to="/dev/$slug/health"
        params={{ slug }}
        search={(before) => ({ ...before, build: build.build_id })}
        resetScroll={false}
      >
        {build.version}
      </RowLink>
      <Text span size="sm" c="dimmed">
        {' '}
        {formatPlatform(build)}
      </Text>
    </>
  );
}

/** The columns of the medians of launch health, the same for builds and for days. */
export const MEDIAN_COLUMNS: readonly Column<Pick<RatedBuild, 'boot_ms' | 'session_seconds'>>[] = [
  {
    header: 'Time to start',
    align: 'right',
    overflow: 'nowrap',
    cell: ({ boot_ms }) => <Median {...boot_ms} format={formatMilliseconds} />,
  },
  {
    header: 'Session',
    align: 'right',
    overflow: 'nowrap',
    cell: ({ session_seconds }) => <Median {...session_seconds} format={formatDuration} />,
  },
];

type MedianProps = {
  /** Null if there are no samples. */
  median: number | null;
  samples: number;
  format: (median: number) => string;
};

/** A median with the number of its samples: `2.5 s of 24`. */
function Median({ median, samples, format }: MedianProps) {
  if (median === null) return '–';
  return (
    <>
      {format(median)}{' '}
      <Text span size="sm" c="dimmed">
        {`of ${formatNumber(samples)}`}
      </Text>
    </>
  );
}
