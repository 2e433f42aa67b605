// The deploy keys of a game: the one in force, those before it, and how to issue another.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { useGame } from '../games/use-game.ts';
import { IssuedKey } from './IssuedKey.tsx';
import { useIssueKey } from './use-issue-key.ts';

type Key = OutputOf<typeof listDeployKeys>['deploy_keys'][number];

export function KeysPage() {
  const game = useGame();
  const { data, error, isPending, refetch } = useQuery(ask(listDeployKeys, { uid: game.game_uid }));
  const issuing = useIssueKey(game.game_uid);
  const [asks, setAsks] = useState(false);
  const active = data?.deploy_keys.find(({ revoked_at }) => revoked_at === null);
  const issue = () => issuing.mutate(undefined, { onSettled: () => setAsks(false) });
  return (
    <Stack gap="md">
      <PageHead title="Deploy keys" tab={`Deploy keys · ${game.name}`}>
        <Button
          loading={issuing.isPending}
          disabled={data === undefined}
          onClick={() => (active === undefined ? issue() : setAsks(true))}
        >
          Issue a key
        </Button>
      </PageHead>
      <Text size="sm">
        With a deploy key a machine ships builds, symbols and images of this game, and nothing else. One is in force at
        a time.
      </Text>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {issuing.error !== null && <Problem error={issuing.error} again={issue} />}
      {issuing.data !== undefined && <IssuedKey issued={issuing.data} />}
      {data?.deploy_keys.length === 0 && <EmptyState>No key yet. Issue one, and give it to your CI.</EmptyState>}
      {(isPending || (data !== undefined && data.deploy_keys.length > 0)) && (
        <Table className={table.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Begins with</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Issued</Table.Th>
              <Table.Th visibleFrom="sm">Last used</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending && <LoadingRows rows={3} columns={4} />}
            {data?.deploy_keys.map((key) => (
              <KeyRow key={`${key.key_ref} ${key.issued_at}`} value={key} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {asks && active !== undefined && (
        <ConfirmDialog
          title="Issue another key?"
          does="End it and issue another"
          isBusy={issuing.isPending}
          onConfirm={issue}
          onClose={() => setAsks(false)}
        >
          <Text size="sm">
            The key that begins with <code>{active.key_ref}</code> ends at once
            {active.last_used_at === null ? '. It was never used' : <LastUsed at={active.last_used_at} />}. Every
            machine that has it stops shipping until it is given the new one. Players notice nothing.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

function LastUsed({ at }: { at: string }) {
  return (
    <>
      ; it was last used <Time at={at} />
    </>
  );
}

function KeyRow({ value: key }: { value: Key }) {
  return (
    <Table.Tr>
      <Table.Td ff="monospace">{key.key_ref}</Table.Td>
      <Table.Td>
        {key.revoked_at === null ? (
          <StateBadge tone="good">In force</StateBadge>
        ) : (
          <Group gap={6}>
            <StateBadge tone="none">Ended</StateBadge>
            <Text span size="sm" c="dimmed">
              <Time at={key.revoked_at} />
            </Text>
          </Group>
        )}
      </Table.Td>
      <Table.Td>
        <Time at={key.issued_at} />{' '}
        <Text span size="sm" c="dimmed">
          by {key.issued_by}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{key.last_used_at === null ? 'Never' : <Time at={key.last_used_at} />}</Table.Td>
    </Table.Tr>
  );
}
