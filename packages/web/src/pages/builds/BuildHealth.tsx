// How a build does: its launch health, with a link to the numbers by day, and who is affected by its crashes.
import { formatCompactNumber, formatMilliseconds, formatNumber, formatPercent } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getBuildHealth } from '@chauffeur/contract/operations/health';
import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { BandBadge, formatMissingDevices } from '../../ui/BandBadge.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { type Figure, Figures } from '../../ui/Facts.tsx';
import { isOnlySessions, OnlySessions } from '../../ui/OnlySessions.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { CrashLink } from '../crashes/CrashTitle.tsx';
import { Impact, type ImpactData, useImpact } from '../crashes/Facets.tsx';
import type { OpenGame } from '../games/use-game.ts';

type Health = OutputOf<typeof getBuildHealth>;
type BuildHealthProps = { gameUid: string; slug: string; buildId: string };

export function BuildHealth({ gameUid, slug, buildId }: BuildHealthProps) {
  const { data, error, isPending, refetch } = useQuery(ask(getBuildHealth, { uid: gameUid, build_id: buildId }));
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={96} />;
  const { median, samples } = data.boot_ms;
  const { crash_free: crashFree } = data;
  const missingDevices = formatMissingDevices(data);
  const hasOnlySessions = isOnlySessions(data);
  return (
    <>
      <Group gap="sm">
        <BandBadge band={data.band} />
        {!hasOnlySessions && (
          <Text size="sm">
            {missingDevices === null
              ? `${formatNumber(data.devices)} devices in the last 30 days`
              : `${missingDevices} in the last 30 days`}
          </Text>
        )}
        <SiteLink to="/dev/$slug/health" params={{ slug }} search={{ build: buildId }} size="sm">
          Daily numbers
        </SiteLink>
      </Group>
      {hasOnlySessions && <OnlySessions of="build" />}
      {hasOnlySessions && <Figures figures={crashFreeFigures(crashFree)} />}
      {data.devices > 0 && (
        <Figures
          figures={[
            shareOf('Booted', data.booted, data.devices),
            shareOf('Crashed on boot', data.crashed_on_boot, data.devices),
            ...crashFreeFigures(crashFree),
            median === null
              ? { name: 'Time to start', value: '–', note: 'none yet' }
              : {
                  name: 'Time to start',
                  value: formatMilliseconds(median),
                  note: `median of ${formatNumber(samples)}`,
                },
          ]}
        />
      )}
    </>
  );
}

function crashFreeFigures({ devices, crashed_devices, sessions, crashes }: Health['crash_free']): Figure[] {
  return [
    shareOf('Crash-free devices', devices - crashed_devices, devices),
    shareOf('Crash-free sessions', Math.max(0, sessions - crashes), sessions),
  ];
}

function shareOf(name: string, part: number, total: number): Figure {
  if (total === 0) return { name, value: '–', note: 'none yet' };
  return { name, value: formatPercent(part / total), note: `of ${formatNumber(total)}` };
}

type ImpactGroup = ImpactData['groups'][number];

/** Who is affected by the crashes of a build, and the crash groups that affect the most devices. */
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

function groupColumns(slug: string): Column<ImpactGroup>[] {
  const count = (header: string, of: (group: ImpactGroup) => number): Column<ImpactGroup> => ({
    header,
    align: 'right',
    width: 84,
    title: (group) => formatNumber(of(group)),
    // Reports from clients that send no device ID are not counted.
    cell: (group) => (of(group) === 0 ? '–' : formatCompactNumber(of(group))),
  });
  return [
    {
      header: 'Crash',
      cell: ({ group_id: groupId, title }) => <CrashLink slug={slug} groupId={groupId} title={title} />,
    },
    count('Devices', ({ devices }) => devices),
    count('Reports', ({ reports }) => reports),
  ];
}
