// The active logins of the `chauffeur` command in the account settings, with a button that revokes one.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listCliLogins, revokeCliLogin } from '@chauffeur/contract/operations/cli-logins';
import { Button, Code, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Unverified } from '../../ui/Facts.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';

type Login = OutputOf<typeof listCliLogins>['logins'][number];

const logins = ask(listCliLogins, {});

export function CliLogins() {
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
