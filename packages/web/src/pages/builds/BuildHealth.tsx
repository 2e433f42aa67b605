// A summary of a build's launch health, with a link to the numbers by day.
import { formatMilliseconds, formatNumber } from '@chauffeur/contract/format';
import { getBuildHealth } from '@chauffeur/contract/operations/health';
import { Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { formatMissingDevices } from '../../ui/bands.ts';
import { Facts } from '../../ui/Facts.tsx';
import { formatShare } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { formatCrashFree } from '../health/health-days.ts';

type BuildHealthProps = { gameUid: string; slug: string; buildId: string };

export function BuildHealth({ gameUid, slug, buildId }: BuildHealthProps) {
  const { data, error, isPending, refetch } = useQuery(ask(getBuildHealth, { uid: gameUid, build_id: buildId }));
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={96} />;
  const { median, samples } = data.boot_ms;
  const missingDevices = formatMissingDevices(data);
  return (
    <>
      <Group gap="sm">
        <BandBadge band={data.band} />
        <Text size="sm">
          {missingDevices === null
            ? `${formatNumber(data.devices)} devices in the last 30 days`
            : `${missingDevices} in the last 30 days`}
        </Text>
        <SiteLink to="/dev/$slug/health" params={{ slug }} search={{ build: buildId }} size="sm">
          Daily numbers
        </SiteLink>
      </Group>
      {data.devices > 0 && (
        <Facts
          facts={[
            ['Booted', formatShare(data.booted, data.devices)],
            ['Crashed on boot', formatShare(data.crashed_on_boot, data.devices)],
            ['Crash-free devices', formatCrashFree(data.crash_free).devices],
            ['Crash-free sessions', formatCrashFree(data.crash_free).sessions],
            [
              'Time to start',
              median === null ? 'none yet' : `${formatMilliseconds(median)}, median of ${formatNumber(samples)}`,
            ],
          ]}
        />
      )}
    </>
  );
}
