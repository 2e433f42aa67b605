// The columns of a table of builds.
import { formatNumber, formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { Text } from '@mantine/core';
import { Bytes } from '../../ui/Bytes.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { RowLink } from '../../ui/RowLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { BUILD_STATES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';

export type ListedBuild = OutputOf<typeof listGameBuilds>['builds'][number];

export function buildColumns(slug: string): Column<ListedBuild>[] {
  return [
    { header: 'Version', cell: (build) => <BuildName slug={slug} build={build} /> },
    { header: 'Platform', cell: (build) => formatPlatform(build) },
    { header: 'Channel', hiddenBelow: 'sm', cell: ({ channel }) => channel },
    {
      header: 'State',
      cell: ({ state }) => <StateBadge tone={BUILD_STATES[state].tone}>{BUILD_STATES[state].label}</StateBadge>,
    },
    {
      header: 'Size',
      align: 'right',
      hiddenBelow: 'sm',
      cell: ({ file }) => (file === null ? '–' : <Bytes count={file.size} />),
    },
    {
      header: 'Downloads',
      align: 'right',
      hiddenBelow: 'sm',
      cell: ({ downloads }) => formatNumber(downloads),
    },
    {
      header: 'Registered',
      hiddenBelow: 'sm',
      overflow: 'nowrap',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ];
}

function BuildName({ slug, build: { build_id: buildId, version, title } }: { slug: string; build: ListedBuild }) {
  return (
    <>
      <RowLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId }}>
        {version}
      </RowLink>
      {title !== version && (
        <Text span size="sm" c="dimmed" visibleFrom="sm">
          {' '}
          · {title}
        </Text>
      )}
    </>
  );
}
