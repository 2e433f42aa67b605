// What programs called about a game: who for, what, and how it ended. For the game’s owner.
import { listAgentCalls } from '@chauffeur/contract/operations/agents';
import { Stack, Switch, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useGame } from '../games/use-game.ts';
import { CallTable } from './CallTable.tsx';

const route = getRouteApi('/signed-in/dev/$slug/edit/audit');

export function AuditPage() {
  const game = useGame();
  return (
    <Stack gap="md" data-wide>
      <PageHead title="Calls of programs" tab={`Calls of programs · ${game.name}`} />
      {game.role === 'owner' ? (
        <Calls uid={game.game_uid} />
      ) : (
        <Text size="sm">Only the game’s owner sees what programs called.</Text>
      )}
    </Stack>
  );
}

function Calls({ uid }: { uid: string }) {
  const { failed } = route.useSearch();
  const navigate = route.useNavigate();
  const failedOnly = failed === 'only';
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [listAgentCalls.id, { uid, failedOnly }],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(listAgentCalls, { uid, ...(failedOnly && { failed: 'only' }), ...(cursor !== '' && { cursor }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  const calls = data?.pages.flatMap((page) => page.calls) ?? [];
  return (
    <>
      <Text size="sm">
        Everything that a program did or tried over MCP, for you or for an admin. What is done on this site is not among
        it.
      </Text>
      <Switch
        label="Failed calls only"
        checked={failedOnly}
        onChange={({ currentTarget }) =>
          void navigate({ search: { failed: currentTarget.checked ? 'only' : undefined }, replace: true })
        }
      />
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {data !== undefined && calls.length === 0 && <NoCalls failedOnly={failedOnly} />}
      {(isPending || calls.length > 0) && (
        <CallTable
          label="Calls of programs"
          calls={calls}
          isPending={isPending}
          last={{ name: 'For', of: ({ user }) => user }}
        />
      )}
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show earlier calls
      </NextPage>
    </>
  );
}

function NoCalls({ failedOnly }: { failedOnly: boolean }) {
  return failedOnly ? (
    <EmptyState>No call has failed.</EmptyState>
  ) : (
    <EmptyState command={`${location.origin}/mcp`}>
      No program has called anything about this game. Give this address to one that speaks MCP:
    </EmptyState>
  );
}
