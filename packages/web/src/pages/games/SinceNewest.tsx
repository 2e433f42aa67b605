// What happened since the newest build: new crash groups, open bugs and launch health.
import { listBugTickets } from '@chauffeur/contract/operations/bugs';
import { listCrashGroups } from '@chauffeur/contract/operations/crashes';
import { getBuildHealth } from '@chauffeur/contract/operations/health';
import { Box, Group, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { BandBadge, formatMissingDevices } from '../../ui/BandBadge.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './SinceNewest.module.css';

const MAX_COUNTED = 100;
/** The height in pixels, so that the content below doesn't move when the numbers arrive. */
export const SINCE_NEWEST_HEIGHT = { base: 118, sm: 70 };

type SinceNewestProps = {
  gameUid: string;
  slug: string;
  build: { build_id: string; version: string; created_at: string };
};

export function SinceNewest({ gameUid, slug, build }: SinceNewestProps) {
  const groups = useQuery(
    ask(listCrashGroups, { uid: gameUid, status: 'open', since_build: build.build_id, limit: MAX_COUNTED }),
  );
  const bugs = useQuery(ask(listBugTickets, { uid: gameUid, status: 'open', limit: MAX_COUNTED }));
  const error = groups.error ?? bugs.error;
  return (
    <Box component="section" aria-labelledby="since-newest" mih={SINCE_NEWEST_HEIGHT}>
      <Title order={2} size="h4" id="since-newest" mb="xs">
        {`Since ${build.version}`}
      </Title>
      {error !== null && <Problem error={error} onRetry={() => void Promise.all([groups.refetch(), bugs.refetch()])} />}
      <Group gap="xl" style={{ rowGap: 4 }}>
        <SiteLink to="/dev/$slug/crashes" params={{ slug }} search={{ q: 'is:open is:new' }} c="inherit" data-row>
          <Count
            count={groups.data?.groups.length}
            hasMore={groups.data?.next_cursor != null}
            one="new crash group"
            other="new crash groups"
          />
        </SiteLink>
        <SiteLink to="/dev/$slug/bugs" params={{ slug }} c="inherit" data-row>
          <Count
            count={bugs.data?.bugs.length}
            hasMore={bugs.data?.next_cursor != null}
            one="open bug"
            other="open bugs"
          />
        </SiteLink>
        <BuildBand gameUid={gameUid} slug={slug} buildId={build.build_id} />
        <Text size="sm" c="dimmed">
          Registered <Time at={build.created_at} />
        </Text>
      </Group>
    </Box>
  );
}

/** The band of this build. Players may see the band of an older one. */
function BuildBand({ gameUid, slug, buildId }: { gameUid: string; slug: string; buildId: string }) {
  const { data } = useQuery(ask(getBuildHealth, { uid: gameUid, build_id: buildId }));
  if (data === undefined) return <Skeleton w={120} h={20} />;
  return (
    <SiteLink to="/dev/$slug/health" params={{ slug }} search={{ build: buildId }} underline="never" size="sm" data-row>
      Launch health: <BandBadge band={data.band} />{' '}
      <Text span size="sm" c="dimmed">
        {formatMissingDevices(data)}
      </Text>
    </SiteLink>
  );
}

type CountProps = {
  count: number | undefined;
  /** Whether there are more than `count`. */
  hasMore: boolean;
  one: string;
  other: string;
};

function Count({ count, hasMore, one, other }: CountProps) {
  if (count === undefined) return <Skeleton w={140} h={28} />;
  return (
    <span>
      <span className={classes.count}>{hasMore ? `${count}+` : count}</span> {count === 1 ? one : other}
    </span>
  );
}
