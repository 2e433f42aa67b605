// The keys of a game: its deploy key, and the upload tokens below it.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listDeployKeys, listUploadTokens } from '@chauffeur/contract/operations/deploy-keys';
import { Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { formatItems } from '../../ui/format.ts';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { useGame } from '../games/use-game.ts';
import { NewSecret, useIssueKey } from './IssuedKey.tsx';
import { UploadTokens } from './UploadTokens.tsx';

export function KeysPage() {
  const game = useGame();
  return (
    <Stack gap="xl">
      <PageHead title="Keys" tabTitle={`Keys · ${game.name}`} />
      <DeployKeys gameUid={game.game_uid} />
      <UploadTokens gameUid={game.game_uid} />
    </Stack>
  );
}

type Key = OutputOf<typeof listDeployKeys>['deploy_keys'][number];

/** The deploy keys of a game: the active one, the revoked ones, and a button that creates a new one. */
function DeployKeys({ gameUid }: { gameUid: string }) {
  const { data, error, isPending, refetch } = useQuery(ask(listDeployKeys, { uid: gameUid }));
  const issuing = useIssueKey(gameUid);
  const [isConfirming, setConfirming] = useState(false);
  const active = data?.deploy_keys.find(({ revoked_at }) => revoked_at === null);
  const issue = (revokesTokens = false) => issuing.mutate(revokesTokens, { onSettled: () => setConfirming(false) });
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Deploy key
        </Title>
        <Button
          size="xs"
          loading={issuing.isPending}
          disabled={data === undefined}
          onClick={() => (active === undefined ? issue() : setConfirming(true))}
        >
          Create key
        </Button>
      </Group>
      <Text size="sm">
        A deploy key lets a machine, such as your CI, upload builds, symbols and images of this game, and change its
        channels. A game has one active key at a time.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {issuing.error !== null && <Problem error={issuing.error} onRetry={() => issue()} />}
      {issuing.data !== undefined && <NewSecret issued={issuing.data} onDone={issuing.reset} />}
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
        <ReplaceKey
          gameUid={gameUid}
          active={active}
          isBusy={issuing.isPending}
          onConfirm={issue}
          onClose={() => setConfirming(false)}
        />
      )}
    </Stack>
  );
}

type ReplaceKeyProps = {
  gameUid: string;
  active: Key;
  isBusy: boolean;
  onConfirm: (revokesTokens: boolean) => void;
  onClose: () => void;
};

function ReplaceKey({ gameUid, active, isBusy, onConfirm, onClose }: ReplaceKeyProps) {
  const { data } = useQuery(ask(listUploadTokens, { uid: gameUid }));
  const [revokesTokens, setRevokesTokens] = useState(false);
  const tokens = data?.upload_tokens.filter(({ state }) => state === 'active').length ?? 0;
  return (
    <ConfirmDialog
      title="Create a new key?"
      confirmLabel="Revoke and create a new key"
      isBusy={isBusy}
      onConfirm={() => onConfirm(revokesTokens)}
      onClose={onClose}
    >
      <Text size="sm">
        This revokes <code>{active.key_ref}…</code> immediately. Every machine that uses it can't upload until you give
        it the new key. Players aren't affected.
      </Text>
      <Text size="sm">Last used: {active.last_used_at === null ? 'never' : <Time at={active.last_used_at} />}</Text>
      {tokens > 0 && (
        <Checkbox
          label={`Also revoke ${formatItems(tokens, 'upload token')}`}
          description="Do this if someone else may have had access to your keys."
          checked={revokesTokens}
          onChange={(event) => setRevokesTokens(event.currentTarget.checked)}
        />
      )}
    </ConfirmDialog>
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
