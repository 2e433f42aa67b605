// Account settings: personal keys, for agents that can't open the consent page, and logins of the command.

import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import { createAgentKey, listAgentKeys, revokeAgentKey } from '@chauffeur/contract/operations/agents';
import { listCliLogins, revokeCliLogin } from '@chauffeur/contract/operations/cli';
import { Button, Code, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { CredentialName, CredentialState } from '../../ui/credentials.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx';
import { Unverified } from '../../ui/Facts.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { Notice } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { SecretText } from '../../ui/UnsavedWarning.tsx';
import { ACCESS_COLUMNS } from './agent-columns.tsx';
import { ReachFields } from './ReachFields.tsx';
import { type Key, stateOf } from './reach.ts';

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
        <Notice tone="unsure" title={`Copy the key “${creating.data.name}” now. You won't see it again.`}>
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
          title={`Revoke “${selected.name}”?`}
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

/** The columns of the list of personal keys. */
function keyColumns(onRevoke: (key: Key) => void): Column<Key>[] {
  return [
    { header: 'Name', cell: ({ name, key_ref }) => <CredentialName name={name} reference={key_ref} /> },
    {
      header: 'Status',
      cell: (key) => <CredentialState state={stateOf(key, Date.now())} expiresAt={key.expires_at} />,
    },
    ...ACCESS_COLUMNS,
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (key) =>
        stateOf(key, Date.now()) === 'active' && (
          <Button size="compact-xs" variant="default" aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
            Revoke
          </Button>
        ),
    },
  ];
}

type NewKey = InputOf<typeof createAgentKey>;

const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: '', label: 'Never' },
];

type CreateKeyProps = { isBusy: boolean; error: unknown; onCreate: (key: NewKey) => void; onClose: () => void };

/** The form that creates a personal key. */
function CreateKey({ isBusy, error, onCreate, onClose }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [reach, setReach] = useState({ mayWrite: false, game: '' });
  const [days, setDays] = useState('90');
  return (
    <Dialog title="Create a personal key" onClose={onClose}>
      <form
        aria-label="Create a personal key"
        onSubmit={(event) => {
          event.preventDefault();
          onCreate({
            name,
            may_write: reach.mayWrite,
            ...(reach.game !== '' && { game: reach.game }),
            ...(days !== '' && { expires_in_days: Number(days) }),
          });
        }}
      >
        <Stack gap="md">
          <TextInput
            data-field="name"
            label="Name"
            description="For example, the agent or machine that will use it"
            required
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <ReachFields value={reach} onChange={setReach} />
          <NativeSelect
            data-field="expires_in_days"
            label="Expires"
            data={EXPIRIES}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
          {error != null && <Problem error={error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              Create key
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

type Login = OutputOf<typeof listCliLogins>['logins'][number];

const logins = ask(listCliLogins, {});

/** The active logins of the `chauffeur` command in the account settings, with a button that revokes one. */
function CliLogins() {
  const { data, error, isPending, refetch } = useQuery(logins);
  const [selected, setSelected] = useState<Login | null>(null);
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: ({ login_id }: Login) => call(revokeCliLogin, { login_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: logins.queryKey }),
  });
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        Signed-in commands
      </Title>
      <Text size="sm">
        On these computers, the chauffeur command can act for you with the rights of a deploy key. A login that isn't
        used for 90 days expires.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.logins.length === 0 ? (
        <EmptyState>
          No signed-in commands yet. To sign in, run <Code>chauffeur login</Code> in a terminal.
        </EmptyState>
      ) : (
        <DataTable
          label="Signed-in commands"
          columns={loginColumns(setSelected)}
          rows={data?.logins}
          rowKey={({ login_id }) => login_id}
          isLoading={isPending}
          skeletonRows={2}
        />
      )}
      {selected !== null && (
        <ConfirmDialog
          title="Revoke this login?"
          confirmLabel="Revoke login"
          isBusy={revoking.isPending}
          error={revoking.error}
          onConfirm={() => revoking.mutate(selected, { onSuccess: () => setSelected(null) })}
          onClose={() => setSelected(null)}
        >
          <Text size="sm">
            The command on “{selected.host}” is signed out immediately. Its key is <code>{selected.key_ref}…</code>.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

function loginColumns(onRevoke: (login: Login) => void): Column<Login>[] {
  return [
    { header: 'Computer', cell: (login) => <Computer value={login} /> },
    { header: 'Games', cell: ({ game }) => (game === null ? 'All games' : game.name) },
    { header: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
    { header: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (login) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Revoke the login on ${login.host}`}
          onClick={() => onRevoke(login)}
        >
          Revoke
        </Button>
      ),
    },
  ];
}

function Computer({ value: { host, os, key_ref } }: { value: Login }) {
  return (
    <>
      <Unverified text={`${host}, ${os}`} />{' '}
      <Text span size="sm" c="dimmed" ff="monospace">
        {key_ref}…
      </Text>
    </>
  );
}
