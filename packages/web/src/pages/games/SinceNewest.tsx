// What came of the newest build: crashes of a kind that was not known before it, and tickets that wait.
import { listBugTickets } from '@chauffeur/contract/operations/bugs';
import { listCrashGroups } from '@chauffeur/contract/operations/crashes';
import { Group, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './SinceNewest.module.css';

const MOST = 100;

type SinceNewestProps = { gameUid: string; build: { build_id: string; version: string; created_at: string } };

export function SinceNewest({ gameUid, build }: SinceNewestProps) {
  const groups = useQuery(ask(listCrashGroups, { uid: gameUid, status: 'open', limit: MOST }));
  const bugs = useQuery(ask(listBugTickets, { uid: gameUid, status: 'open', limit: MOST }));
  const error = groups.error ?? bugs.error;
  const fresh = groups.data?.groups.filter(({ first_seen }) => first_seen >= build.created_at);
  return (
    <section aria-labelledby="since-newest">
      <Title order={2} size="h4" id="since-newest" mb="xs">
        Since {build.version}
      </Title>
      {error !== null && <Problem error={error} again={() => void Promise.all([groups.refetch(), bugs.refetch()])} />}
      <Group gap="xl" style={{ rowGap: 4 }}>
        <Count count={fresh?.length} hasMore={groups.data?.next_cursor != null} one="new crash group" />
        <Count count={bugs.data?.bugs.length} hasMore={bugs.data?.next_cursor != null} one="open bug ticket" />
        <Text size="sm" c="dimmed">
          registered <Time at={build.created_at} />
        </Text>
      </Group>
    </section>
  );
}

type CountProps = { count: number | undefined; hasMore: boolean; one: string };

function Count({ count, hasMore, one }: CountProps) {
  if (count === undefined) return <Skeleton w={140} h={28} />;
  return (
    <span>
      <span className={classes.count}>
        {count}
        {hasMore && ' or more'}
      </span>{' '}
      {count === 1 ? one : `${one}s`}
    </span>
  );
}
