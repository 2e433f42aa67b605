// A summary of a build's launch health, with a link to the numbers by day.
import { formatMilliseconds, formatNumber, formatPercent } from '@chauffeur/contract/format';
import { getBuildHealth } from '@chauffeur/contract/operations/health';
import { Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { formatMissingDevices } from '../../ui/bands.ts';
import { type Figure, Figures } from '../../ui/Figures.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

type BuildHealthProps = { gameUid: string; slug: string; buildId: string };

export function BuildHealth({ gameUid, slug, buildId }: BuildHealthProps) {
  const { data, error, isPending, refetch } = useQuery(ask(getBuildHealth, { uid: gameUid, build_id: buildId }));
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={96} />;
  const { median, samples } = data.boot_ms;
  const { crash_free: crashFree } = data;
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
        <Figures
          figures={[
            shareOf('Booted', data.booted, data.devices),
            shareOf('Crashed on boot', data.crashed_on_boot, data.devices),
            shareOf('Crash-free devices', crashFree.devices - crashFree.crashed_devices, crashFree.devices),
            shareOf('Crash-free sessions', Math.max(0, crashFree.sessions - crashFree.crashes), crashFree.sessions),
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

function shareOf(name: string, part: number, total: number): Figure {
  if (total === 0) return { name, value: '–', note: 'none yet' };
  return { name, value: formatPercent(part / total), note: `of ${formatNumber(total)}` };
}
