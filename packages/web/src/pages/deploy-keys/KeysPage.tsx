// The deploy keys of a game: the active one, the revoked ones, and a button that creates a new one.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
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
  const [isConfirming, setConfirming] = useState(false);
  const active = data?.deploy_keys.find(({ revoked_at }) => revoked_at === null);
  const issue = () => issuing.mutate(undefined, { onSettled: () => setConfirming(false) });
  return (
    <Stack gap="md">
      <PageHead title="Deploy keys" tabTitle={`Deploy keys · ${game.name}`}>
        <Button
          loading={issuing.isPending}
          disabled={data === undefined}
          onClick={() => (active === undefined ? issue() : setConfirming(true))}
        >
          Create key
        </Button>
      </PageHead>
      <Text size="sm">
        A deploy key lets a machine, such as your CI, upload builds, symbols and images of this game. A game has one
        active key at a time.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {issuing.error !== null && <Problem error={issuing.error} onRetry={issue} />}
      {issuing.data !== undefined && <IssuedKey issued={issuing.data} />}
      <DataTable
        label="Deploy keys"
        columns={COLUMNS}
        rows={data?.deploy_keys}
        rowKey={(key) => `${key.key_ref} ${key.issued_at}`}
        isLoading={isPending}
        skeletonRows={3}
        empty={<EmptyState>No deploy key yet. Create one and add it to your CI.</EmptyState>}
      />
      {isConfirming && active !== undefined && (
        <ConfirmDialog
          title="Create a new key?"
          confirmLabel="Revoke and create a new key"
          isBusy={issuing.isPending}
          onConfirm={issue}
          onClose={() => setConfirming(false)}
        >
          <Text size="sm">
            This revokes <code>{active.key_ref}…</code> immediately. Every machine that uses it can't upload until you
            give it the new key. Players aren't affected.
          </Text>
          <Text size="sm">Last used: {active.last_used_at === null ? 'never' : <Time at={active.last_used_at} />}</Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  { header: 'Key', className: table.main, cell: ({ key_ref }) => <code>{key_ref}…</code> },
  { header: 'Status', cell: ({ revoked_at }) => <Status revokedAt={revoked_at} /> },
  {
    header: 'Created',
    cell: (key) => (
      <>
        <Time at={key.issued_at} />{' '}
        <Text span size="sm" c="dimmed">
          by {key.issued_by}
        </Text>
      </>
    ),
  },
  {
    header: 'Last used',
    hiddenBelow: 'sm',
    cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time at={last_used_at} />),
  },
];

function Status({ revokedAt }: { revokedAt: string | null }) {
  if (revokedAt === null) return <StateBadge tone="good">Active</StateBadge>;
  return (
    <Group gap={6}>
      <StateBadge tone="none">Revoked</StateBadge>
      <Text span size="sm" c="dimmed">
        <Time at={revokedAt} />
      </Text>
    </Group>
  );
}
