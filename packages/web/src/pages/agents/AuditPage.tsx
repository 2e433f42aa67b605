// What programs called about a game: who for, what, and how it ended. For the game’s owner.
import { ERRORS, isErrorCode } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listAgentCalls } from '@chauffeur/contract/operations/agents';
import { Button, Group, Stack, Switch, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment } from 'react';
import { call } from '../../api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { useGame } from '../games/use-game.ts';

type Call = OutputOf<typeof listAgentCalls>['calls'][number];

const route = getRouteApi('/signed-in/dev/$slug/edit/audit');

export function AuditPage() {
  const game = useGame();
  return (
    <Stack gap="md">
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
        <Table className={table.table} aria-label="Calls of programs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th>Outcome</Table.Th>
              <Table.Th visibleFrom="sm">Program</Table.Th>
              <Table.Th visibleFrom="sm">For</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending && <LoadingRows rows={5} columns={5} />}
            {calls.map((one) => (
              <CallRow key={one.call_id} value={one} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {hasNextPage && (
        <Group>
          <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show earlier calls
          </Button>
        </Group>
      )}
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

function CallRow({ value }: { value: Call }) {
  const { outcome, agent } = value;
  return (
    <Table.Tr>
      <Table.Td>
        <Time at={value.at} />
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <ToolName name={value.tool} />
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {agent.name}, for {value.user}
        </Text>
      </Table.Td>
      <Table.Td>
        <Outcome code={outcome} />
        {isErrorCode(outcome) && (
          <Text size="xs" c="dimmed">
            {ERRORS[outcome].meaning}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
        {agent.name}{' '}
        <Text span size="sm" c="dimmed">
          {agent.kind === 'key' ? 'by key' : 'connected'}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{value.user}</Table.Td>
    </Table.Tr>
  );
}

const WAITS = 4214;

function Outcome({ code }: { code: number }) {
  if (code === 0) return <StateBadge tone="good">Done</StateBadge>;
  return code === WAITS ? (
    <StateBadge tone="busy">Waits</StateBadge>
  ) : (
    <StateBadge tone="bad">{`Error ${code}`}</StateBadge>
  );
}

/** May break behind each of its words. */
function ToolName({ name }: { name: string }) {
  return (
    <code>
      {name.split('_').map((word, index) => (
        <Fragment key={word}>
          {index > 0 && (
            <>
              _<wbr />
            </>
          )}
          {word}
        </Fragment>
      ))}
    </code>
  );
}
