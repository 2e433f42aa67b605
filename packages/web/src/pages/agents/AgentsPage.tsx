// Account settings: the agents that the person connected, with their permissions and latest activity.
import type { OutputOf } from '@chauffeur/contract/operation';
import { disconnectAgent, listAgentConnections, listOwnAgentCalls } from '@chauffeur/contract/operations/agents';
import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { DocLink, SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { ACCESS_COLUMNS, callColumns } from './agent-columns.tsx';

type Connection = OutputOf<typeof listAgentConnections>['connections'][number];

export function AgentsPage() {
  useTitle('Connected agents');
  return (
    <Stack gap="xl">
      <Connections />
      <LatestCalls />
    </Stack>
  );
}

function Connections() {
  const [selected, setSelected] = useState<Connection | null>(null);
  const queries = useQueryClient();
  const connections = usePages(listAgentConnections, {}, (page) => page.connections);
  const ending = useMutation({
    mutationFn: ({ connection_id }: Connection) => call(disconnectAgent, { connection_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listAgentConnections.id] }),
  });
  const select = (connection: Connection) => {
    ending.reset();
    setSelected(connection);
  };
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        Connected agents
      </Title>
      <Text size="sm">
        Agents that support MCP, such as coding agents, can read your crash reports and manage builds for you. Give the
        agent this URL. It then asks for your consent on this site.{' '}
        <DocLink page="mcp" size="sm">
          How to set up agents
        </DocLink>
      </Text>
      <CopyText text={`${location.origin}/mcp`} label="URL" block />
      <div role="status">{ending.isSuccess && <Text size="sm">{ending.variables.name} was disconnected.</Text>}</div>
      <PagedTable
        label="Connected agents"
        list={connections}
        columns={connectionColumns(select)}
        rowKey={({ connection_id }) => connection_id}
        skeletonRows={2}
        empty={<EmptyState>No connected agents yet. Give an agent the URL above to connect it.</EmptyState>}
        more="Show older connections"
      />
      {selected !== null && (
        <ConfirmDialog
          title={`Disconnect ${selected.name}?`}
          confirmLabel="Disconnect"
          isBusy={ending.isPending}
          error={ending.error}
          onConfirm={() => ending.mutate(selected, { onSuccess: () => setSelected(null) })}
          onClose={() => setSelected(null)}
        >
          <Text size="sm">It loses access immediately. To reconnect it, you have to give your consent again.</Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

function connectionColumns(onDisconnect: (connection: Connection) => void): Column<Connection>[] {
  return [
    { header: 'Agent', cell: (connection) => <AgentName connection={connection} /> },
    ...ACCESS_COLUMNS,
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (connection) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Disconnect ${connection.name}`}
          onClick={() => onDisconnect(connection)}
        >
          Disconnect
        </Button>
      ),
    },
  ];
}

function AgentName({ connection }: { connection: Connection }) {
  return (
    <>
      <span className={table.main}>{connection.name}</span>{' '}
      <Text span size="sm" c="dimmed">
        {connection.host !== null && `${connection.host} · `}Connected <Time at={connection.connected_at} />
      </Text>
    </>
  );
}

type OwnCall = OutputOf<typeof listOwnAgentCalls>['calls'][number];

const PAGE_SIZE = 10;

/** The latest calls that agents made for the person, including calls that don't belong to a game. */
function LatestCalls() {
  const calls = usePages(listOwnAgentCalls, { limit: PAGE_SIZE }, (page) => page.calls);
  return (
    <Stack gap="md" component="section">
      <Title order={2} size="h4">
        Agent activity
      </Title>
      <Text size="sm">What agents did, or tried to do, for you through a connection or a personal key.</Text>
      <PagedTable
        label="Agent activity"
        list={calls}
        columns={COLUMNS}
        rowKey={({ call_id }) => call_id}
        empty={<EmptyState>No activity yet. Calls that agents make for you appear here.</EmptyState>}
        more="Show older calls"
      />
    </Stack>
  );
}

const COLUMNS = callColumns<OwnCall>({
  header: 'Game',
  cell: ({ game }) =>
    game === null ? (
      'No game'
    ) : (
      <SiteLink to="/dev/$slug" params={{ slug: game.slug }}>
        {game.name}
      </SiteLink>
    ),
});
