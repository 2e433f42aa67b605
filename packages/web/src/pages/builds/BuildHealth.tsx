// The launch health of a build in short, with the way to its days.
import { getBuildHealth } from '@chauffeur/contract/operations/health';
import { Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { BandBadge } from '../../ui/BandBadge.tsx';
import { sayMissing } from '../../ui/bands.ts';
import { Facts } from '../../ui/Facts.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayExactNumber, sayMs, sayShare } from '../../ui/say.ts';

type BuildHealthProps = { gameUid: string; slug: string; buildId: string };

export function BuildHealth({ gameUid, slug, buildId }: BuildHealthProps) {
  const { data, error, isPending, refetch } = useQuery(ask(getBuildHealth, { uid: gameUid, build_id: buildId }));
  if (error !== null) return <Problem error={error} again={() => void refetch()} />;
  if (isPending) return <Skeleton h={96} />;
  const { median, samples } = data.boot_ms;
  const missing = sayMissing(data);
  return (
    <>
      <Group gap="sm">
        <BandBadge band={data.band} />
        <Text size="sm">
          {missing ?? `${sayExactNumber(data.devices)} devices`}{' '}
          <Text span c="dimmed" size="sm">
            in the last 30 days
          </Text>
        </Text>
        <SiteLink to="/dev/$slug/health" params={{ slug }} search={{ build: buildId }} size="sm">
          Day by day
        </SiteLink>
      </Group>
      {data.devices > 0 && (
        <Facts
          facts={[
            ['Booted', sayShare(data.booted, data.devices)],
            ['Crashed on boot', sayShare(data.crashed_on_boot, data.devices)],
            ['Time to start', median === null ? 'none yet' : `${sayMs(median)}, median of ${sayExactNumber(samples)}`],
          ]}
        />
      )}
    </>
  );
}
