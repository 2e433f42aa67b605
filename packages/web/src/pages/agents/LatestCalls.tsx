// What programs last called for the person, also what reached no game.
import { listOwnAgentCalls } from '@chauffeur/contract/operations/agents';
import { Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { CallTable } from './CallTable.tsx';

/** A glance; the rest is a click away. */
const AT_ONCE = 10;

export function LatestCalls() {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [listOwnAgentCalls.id],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(listOwnAgentCalls, { limit: AT_ONCE, ...(cursor !== '' && { cursor }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  const calls = data?.pages.flatMap((page) => page.calls) ?? [];
  return (
    <Stack gap="md" component="section">
      <Title order={2} size="h4">
        Latest calls
      </Title>
      <Text size="sm">What programs did or tried for you, by consent or with a personal key.</Text>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {data !== undefined && calls.length === 0 && <EmptyState>No program has called anything for you.</EmptyState>}
      {(isPending || calls.length > 0) && (
        <CallTable
          label="Latest calls"
          calls={calls}
          isPending={isPending}
          last={{ name: 'Game', of: ({ game }) => (game === null ? 'no game' : <GameLink {...game} />) }}
        />
      )}
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show earlier calls
      </NextPage>
    </Stack>
  );
}

function GameLink({ slug, name }: { slug: string; name: string }) {
  return (
    <SiteLink to="/dev/$slug" params={{ slug }}>
      {name}
    </SiteLink>
  );
}
