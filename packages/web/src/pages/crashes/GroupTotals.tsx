// How many crash groups match the query, and how many reports they have.
import { LIMITS } from '@chauffeur/contract/limits';
import { countCrashGroups } from '@chauffeur/contract/operations/crashes';
import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { formatItems } from '../../ui/format.ts';

const POLL_MS = 15_000;

export function GroupTotals({ gameUid, query }: { gameUid: string; query: string }) {
  const { data } = useQuery({
    ...ask(countCrashGroups, { uid: gameUid, ...(query !== '' && { query }) }),
    placeholderData: keepPreviousData,
    refetchInterval: useLiveInterval(POLL_MS),
    meta: follow('crashes'),
  });
  if (data === undefined || data.groups === null || data.reports === null || data.groups === 0) return null;
  const { groups, reports } = data;
  const isPart = groups >= LIMITS.crashGroupsCounted;
  return (
    <Text size="sm" c="dimmed">
      {isPart && 'At least '}
      {formatItems(groups, 'group')} · {formatItems(reports, 'report')}
    </Text>
  );
}
