// Whom the crashes of a build hit, and the crash groups that hit the most devices.
import { formatCompactNumber, formatNumber } from '@chauffeur/contract/format';
import { Stack, Text } from '@mantine/core';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Impact, type ImpactData, useImpact } from '../crashes/Facets.tsx';
import type { OpenGame } from '../games/use-game.ts';

type Group = ImpactData['groups'][number];

export function BuildImpact({ game, buildId }: { game: OpenGame; buildId: string }) {
  const { data } = useImpact(game, { build_id: buildId });
  return (
    <Stack gap="md">
      <Impact game={game} scope={{ build_id: buildId }} />
      {data !== undefined && data.groups.length > 0 && (
        <DataTable
          label="Crash groups of this build"
          keepsColumns
          columns={groupColumns(game.slug)}
          rows={data.groups}
          rowKey={({ group_id }) => group_id}
          isFixed
          empty={<Text size="sm">No crashes.</Text>}
        />
      )}
    </Stack>
  );
}

function groupColumns(slug: string): Column<Group>[] {
  const count = (header: string, of: (group: Group) => number): Column<Group> => ({
    header,
    align: 'right',
    width: 84,
    title: (group) => formatNumber(of(group)),
    // Reports of clients that send no ids are of no device.
    cell: (group) => (of(group) === 0 ? '–' : formatCompactNumber(of(group))),
  });
  return [
    {
      header: 'Crash',
      overflow: 'ellipsis',
      title: ({ title }) => title,
      cell: ({ group_id: groupId, title }) => (
        <SiteLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId }}>
          {title}
        </SiteLink>
      ),
    },
    count('Devices', ({ devices }) => devices),
    count('Reports', ({ reports }) => reports),
  ];
}
