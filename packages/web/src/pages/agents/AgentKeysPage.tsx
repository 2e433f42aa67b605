// Account settings: personal keys, for agents that can't open the consent page, and logins of the command.
import { createAgentKey, listAgentKeys, revokeAgentKey } from '@chauffeur/contract/operations/agents';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { DocLink } from '../../ui/DocLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PagedTable } from '../../ui/PagedTable.tsx';
import { SecretText } from '../../ui/SecretText.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { CliLogins } from '../cli/CliLogins.tsx';
import { CreateKey, type NewKey } from './CreateKey.tsx';
import { keyColumns } from './key-columns.tsx';
import type { Key } from './reach.ts';

export function AgentKeysPage() {
  useTitle('Personal keys');
  return (
    <Stack gap="xl">
      <PersonalKeys />
      <CliLogins />
    </Stack>
  );
}

function PersonalKeys() {
  const [isCreating, setCreating] = useState(false);
  const [selected, setSelected] = useState<Key | null>(null);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [listAgentKeys.id] });
  const keys = usePages(listAgentKeys, {}, (page) => page.keys);
  const creating = useMutation({ mutationFn: (key: NewKey) => call(createAgentKey, key), onSuccess: refresh });
  const revoking = useMutation({
    mutationFn: ({ key_id }: Key) => call(revokeAgentKey, { key_id }),
    onSuccess: refresh,
  });
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Personal keys
        </Title>
        <Button size="xs" onClick={() => setCreating(true)}>
          Create key
        </Button>
      </Group>
      <Text size="sm">
        A personal key lets an agent use MCP on your behalf if it can't open this site to ask for your consent. It gives
        no other access.{' '}
        <DocLink page="mcp" size="sm">
          How to set up agents
        </DocLink>
      </Text>
      {creating.data !== undefined && (
        <Notice tone="unsure" title={`Copy the key "${creating.data.name}" now. You won't see it again.`}>
          <SecretText text={creating.data.key} label="personal key" />
        </Notice>
      )}
      <PagedTable
        label="Personal keys"
        list={keys}
        columns={keyColumns(setSelected)}
        rowKey={({ key_id }) => key_id}
        skeletonRows={2}
        empty={<EmptyState>No personal keys yet. Agents that ask for your consent don't need one.</EmptyState>}
        more="Show older keys"
      />
      {isCreating && (
        <CreateKey
          isBusy={creating.isPending}
          error={creating.error}
          onCreate={(key) => creating.mutate(key, { onSuccess: () => setCreating(false) })}
          onClose={() => setCreating(false)}
        />
      )}
      {selected !== null && (
        <ConfirmDialog
          title={`Revoke "${selected.name}"?`}
          confirmLabel="Revoke key"
          isBusy={revoking.isPending}
          error={revoking.error}
          onConfirm={() => revoking.mutate(selected, { onSuccess: () => setSelected(null) })}
          onClose={() => setSelected(null)}
        >
          <Text size="sm">
            Every agent that uses the key <code>{selected.key_ref}…</code> loses access immediately.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}
