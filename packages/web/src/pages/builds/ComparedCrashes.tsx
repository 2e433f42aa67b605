// The crash groups of two builds: which ones only one of the builds has, and which both have.
import { formatCompactNumber, formatNumber, formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { compareCrashes } from '@chauffeur/contract/operations/health';
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatItems } from '../../ui/format.ts';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import type { OpenGame } from '../games/use-game.ts';

type Comparison = OutputOf<typeof compareCrashes>;
type Groups = Comparison['both'];
type ComparedGroup = Groups['groups'][number];
type ComparedCrashesProps = { game: OpenGame; buildId: string; other: string };

export function ComparedCrashes({ game, buildId, other }: ComparedCrashesProps) {
  const { data, error, refetch } = useQuery(ask(compareCrashes, { uid: game.game_uid, build_id: buildId, other }));
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={320} />;
  const mine = nameOf(data.build, data.other);
  const theirs = nameOf(data.other, data.build);
  const mineColumns = countColumns(mine, data.build.devices, (group) => [group.reports, group.per_thousand]);
  const theirColumns = countColumns(theirs, data.other.devices, (group) => [
    group.other_reports,
    group.other_per_thousand,
  ]);
  const crash = crashColumn(game.slug);
  return (
    <>
      <GroupSection title={`Crashes only in ${mine}`} groups={data.only_build} columns={[crash, ...mineColumns]} />
      <GroupSection title={`Crashes only in ${theirs}`} groups={data.only_other} columns={[crash, ...theirColumns]} />
      <GroupSection title="Crashes in both" groups={data.both} columns={[crash, ...mineColumns, ...theirColumns]} />
      <Text size="sm" c="dimmed">
        Reports are counted over all time, and shown per 1,000 devices of the build if it sent events.
      </Text>
    </>
  );
}

type GroupSectionProps = { title: string; groups: Groups; columns: readonly Column<ComparedGroup>[] };

function GroupSection({ title, groups: { count, groups }, columns }: GroupSectionProps) {
  return (
    <Section title={title}>
      <DataTable
        label={title}
        columns={[...columns]}
        rows={groups}
        rowKey={({ group_id }) => group_id}
        empty={<Text size="sm">None.</Text>}
      />
      {count > groups.length && (
        <Text size="sm" c="dimmed">
          {`Showing the ${groups.length} with the most reports, of ${formatItems(count, 'group')}.`}
        </Text>
      )}
    </Section>
  );
}

/** The version, with the platform if the other build has the same version. */
function nameOf(build: Comparison['build'], other: Comparison['build']): string {
  return build.version === other.version ? `${build.version} for ${formatPlatform(build)}` : build.version;
}

function crashColumn(slug: string): Column<ComparedGroup> {
  return {
    header: 'Crash',
    overflow: 'anywhere',
    cell: ({ group_id: groupId, title }) => (
      <SiteLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId }}>
        {title}
      </SiteLink>
    ),
  };
}

function countColumns(
  name: string,
  devices: number,
  of: (group: ComparedGroup) => [reports: number, perThousand: number | null],
): Column<ComparedGroup>[] {
  const reports: Column<ComparedGroup> = {
    header: `Reports of ${name}`,
    align: 'right',
    title: (group) => formatNumber(of(group)[0]),
    cell: (group) => formatCompactNumber(of(group)[0]),
  };
  if (devices === 0) return [reports];
  return [
    reports,
    {
      header: `Per 1,000 devices of ${name}`,
      align: 'right',
      cell: (group) => formatRate(of(group)[1]),
    },
  ];
}

function formatRate(rate: number | null): string {
  return rate === null ? '–' : formatNumber(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));
}
