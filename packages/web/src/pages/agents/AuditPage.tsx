// The audit log of a game and, for its owner, the calls that agents made.
import { listAgentCalls } from '@chauffeur/contract/operations/agents';
import { Stack, Switch, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { CopyText } from '../../ui/CopyText.tsx';
import { EmptyState } from '../../ui/DataTable.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { AuditLog } from '../audit/AuditLog.tsx';
import { useGame } from '../games/use-game.ts';
import { callColumns } from './agent-columns.tsx';

const route = getRouteApi('/signed-in/dev/$slug/settings/audit');

export function AuditPage() {
  const game = useGame();
  const { failed, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Stack gap="md" data-wide>
      <PageHead title="Audit log" tabTitle={`Audit log · ${game.name}`} />
      <AuditLog
        scope={{ game: game.game_uid }}
        search={search}
        onChange={(changed) => void navigate({ search: { failed, ...changed }, replace: true })}
      />
      <Title order={2} size="h4" mt="md">
        Agent activity
      </Title>
      <Permitted operation={listAgentCalls} to="see agent activity">
        <Calls uid={game.game_uid} />
      </Permitted>
    </Stack>
  );
}

function Calls({ uid }: { uid: string }) {
  const { failed } = route.useSearch();
  const navigate = route.useNavigate();
  const failedOnly = failed === 'only';
  const calls = usePages(listAgentCalls, { uid, ...(failedOnly && { failed: 'only' }) }, (page) => page.calls);
  return (
    <>
      <Text size="sm">
        Everything that agents did, or tried to do, for you and the game's admins. Changes made on this site aren't
        included.
      </Text>
      <Switch
        label="Failed calls only"
        checked={failedOnly}
        onChange={({ currentTarget }) =>
          void navigate({
            search: (search) => ({ ...search, failed: currentTarget.checked ? 'only' : undefined }),
            replace: true,
          })
        }
      />
      <PagedTable
        label="Agent activity"
        list={calls}
        columns={COLUMNS}
        rowKey={({ call_id }) => call_id}
        empty={<NoCalls failedOnly={failedOnly} />}
        more="Show older calls"
      />
    </>
  );
}

const COLUMNS = callColumns({ header: 'Person', cell: ({ user }) => user });

function NoCalls({ failedOnly }: { failedOnly: boolean }) {
  return failedOnly ? (
    <EmptyState>No failed calls.</EmptyState>
  ) : (
    <EmptyState command={<CopyText text={`${location.origin}/mcp`} label="URL" block />}>
      No agent activity for this game yet. To connect an agent that supports MCP, give it this URL:
    </EmptyState>
  );
}
