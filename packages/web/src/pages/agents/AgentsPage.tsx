// The programs that a person let act for them: what each may do, when it last did, and its end.
import type { OutputOf } from '@chauffeur/contract/operation';
import { disconnectAgent, listAgentConnections } from '@chauffeur/contract/operations/agents';
import { Button, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { LatestCalls } from './LatestCalls.tsx';
import { sayGames, sayRights } from './reach.ts';

type Connection = OutputOf<typeof listAgentConnections>['connections'][number];

export function AgentsPage() {
  useTitle('Connected programs');
  return (
    <Stack gap="xl">
      <Connections />
      <LatestCalls />
    </Stack>
  );
}

function Connections() {
  const [asked, setAsked] = useState<Connection | null>(null);
  const queries = useQueryClient();
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [listAgentConnections.id],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(listAgentConnections, { ...(cursor !== '' && { cursor }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  const ending = useMutation({
    mutationFn: ({ connection_id }: Connection) => call(disconnectAgent, { connection_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listAgentConnections.id] }),
  });
  const connections = data?.pages.flatMap((page) => page.connections) ?? [];
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        Connected programs
      </Title>
      <Text size="sm">
        Programs that speak MCP, such as coding agents, can read your games’ crash reports and manage builds for you.
        Give one this address; it sends you here to agree.{' '}
        <SiteLink to="/docs/$page" params={{ page: 'mcp' }} size="sm">
          How to set it up
        </SiteLink>
      </Text>
      <CopyText text={`${location.origin}/mcp`} what="address" whole />
      <div role="status">
        {ending.isSuccess && <Text size="sm">{ending.variables.name} is no longer connected.</Text>}
      </div>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {data !== undefined && connections.length === 0 && <EmptyState>No program is connected yet.</EmptyState>}
      {(isPending || connections.length > 0) && (
        <Table className={table.table} aria-label="Connected programs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Program</Table.Th>
              <Table.Th visibleFrom="sm">May</Table.Th>
              <Table.Th visibleFrom="sm">Games</Table.Th>
              <Table.Th visibleFrom="sm">Last used</Table.Th>
              <Table.Th>
                <VisuallyHidden>Change</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending && <LoadingRows rows={2} columns={5} />}
            {connections.map((connection) => (
              <ConnectionRow
                key={connection.connection_id}
                connection={connection}
                onEnd={() => {
                  ending.reset();
                  setAsked(connection);
                }}
              />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show earlier ones
      </NextPage>
      {asked !== null && (
        <ConfirmDialog
          title={`Disconnect ${asked.name}?`}
          does="Disconnect"
          isBusy={ending.isPending}
          error={ending.error}
          onConfirm={() => ending.mutate(asked, { onSuccess: () => setAsked(null) })}
          onClose={() => setAsked(null)}
        >
          <Text size="sm">
            It can read and change nothing more from this moment on. To connect it again, you agree to it again.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

function ConnectionRow({ connection, onEnd }: { connection: Connection; onEnd: () => void }) {
  return (
    <Table.Tr>
      <Table.Td>
        <span className={table.main}>{connection.name}</span>{' '}
        <Text span size="sm" c="dimmed">
          {connection.host !== null && `of ${connection.host} `}since <Time at={connection.connected_at} />
        </Text>
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {sayRights(connection)} · {sayGames(connection)}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{sayRights(connection)}</Table.Td>
      <Table.Td visibleFrom="sm">{sayGames(connection)}</Table.Td>
      <Table.Td visibleFrom="sm">
        {connection.last_used_at === null ? 'Never' : <Time at={connection.last_used_at} />}
      </Table.Td>
      <Table.Td ta="right">
        <Button size="compact-xs" variant="default" aria-label={`Disconnect ${connection.name}`} onClick={onEnd}>
          Disconnect
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
