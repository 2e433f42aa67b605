// The personal keys of a person, for programs that cannot be connected by consent.
import { createAgentKey, listAgentKeys, revokeAgentKey } from '@chauffeur/contract/operations/agents';
import { Button, Group, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import table from '../../ui/table.module.css';
import { KeyRow } from './KeyRow.tsx';
import { MakeKey, type NewKey } from './MakeKey.tsx';
import type { Key } from './reach.ts';

export function AgentKeysPage() {
  useTitle('Personal keys');
  const [makes, setMakes] = useState(false);
  const [asked, setAsked] = useState<Key | null>(null);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [listAgentKeys.id] });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [listAgentKeys.id],
    queryFn: ({ pageParam: cursor, signal }) => call(listAgentKeys, { ...(cursor !== '' && { cursor }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  const making = useMutation({ mutationFn: (key: NewKey) => call(createAgentKey, key), onSuccess: refresh });
  const revoking = useMutation({
    mutationFn: ({ key_id }: Key) => call(revokeAgentKey, { key_id }),
    onSuccess: refresh,
  });
  const keys = data?.pages.flatMap((page) => page.keys) ?? [];
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Personal keys
        </Title>
        <Button size="xs" onClick={() => setMakes(true)}>
          Make a key
        </Button>
      </Group>
      <Text size="sm">
        With a key, a program that speaks MCP acts for you where it cannot send you to this site to agree. Keys open
        nothing else.{' '}
        <SiteLink to="/docs/$page" params={{ page: 'mcp' }} size="sm">
          How to set it up
        </SiteLink>
      </Text>
      {making.data !== undefined && (
        <Notice tone="unsure" title={`Copy the key “${making.data.name}” now: it is not shown again`}>
          <CopyText text={making.data.key} what="personal key" whole />
        </Notice>
      )}
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {data !== undefined && keys.length === 0 && (
        <EmptyState>No key yet. Programs that ask for your consent need none.</EmptyState>
      )}
      {(isPending || keys.length > 0) && <KeyTable keys={keys} isPending={isPending} onRevoke={setAsked} />}
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show earlier keys
      </NextPage>
      {makes && (
        <MakeKey
          busy={making.isPending}
          error={making.error}
          onMake={(key) => making.mutate(key, { onSuccess: () => setMakes(false) })}
          onClose={() => setMakes(false)}
        />
      )}
      {asked !== null && (
        <ConfirmDialog
          title={`Revoke “${asked.name}”?`}
          does="Revoke"
          isBusy={revoking.isPending}
          error={revoking.error}
          onConfirm={() => revoking.mutate(asked, { onSuccess: () => setAsked(null) })}
          onClose={() => setAsked(null)}
        >
          <Text size="sm">
            Every program that has the key beginning with <code>{asked.key_ref}</code> stops at once.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

type KeyTableProps = { keys: readonly Key[]; isPending: boolean; onRevoke: (key: Key) => void };

function KeyTable({ keys, isPending, onRevoke }: KeyTableProps) {
  return (
    <Table className={table.table} aria-label="Personal keys">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th visibleFrom="sm">May</Table.Th>
          <Table.Th visibleFrom="sm">Games</Table.Th>
          <Table.Th visibleFrom="sm">Last used</Table.Th>
          <Table.Th>
            <VisuallyHidden>Change</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {isPending && <LoadingRows rows={2} columns={6} />}
        {keys.map((key) => (
          <KeyRow key={key.key_id} value={key} onRevoke={() => onRevoke(key)} />
        ))}
      </Table.Tbody>
    </Table>
  );
}
