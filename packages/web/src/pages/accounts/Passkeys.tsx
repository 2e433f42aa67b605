// The passkeys of the account: add one, rename and remove them.
import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { deletePasskey, type Passkey, passkeys, renamePasskey } from '../../account-calls.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/Dialog.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import { canUsePasskeys, isDismissed, passkeyAddress, registerPasskey } from './use-passkey.ts';

const MAX_NAME_LENGTH = 80;

export function Passkeys({ onChanged }: { onChanged: () => Promise<unknown> }) {
  const { data, error, isPending, refetch } = useQuery(passkeys);
  const [open, setOpen] = useState<{ kind: 'rename' | 'remove'; passkey: Passkey } | null>(null);
  const close = () => setOpen(null);
  return (
    <Section title="Passkeys">
      <Text size="sm">
        Sign in with your fingerprint, face or PIN, without your password. A passkey counts as a second factor.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {(isPending || (data?.length ?? 0) > 0) && (
        <DataTable
          label="Passkeys"
          columns={columns((kind, passkey) => setOpen({ kind, passkey }))}
          rows={data}
          rowKey={({ id }) => id}
          isLoading={isPending}
          skeletonRows={1}
        />
      )}
      <AddPasskey onChanged={onChanged} />
      {open?.kind === 'rename' && <RenamePasskey passkey={open.passkey} onChanged={onChanged} onClose={close} />}
      {open?.kind === 'remove' && <RemovePasskey passkey={open.passkey} onChanged={onChanged} onClose={close} />}
    </Section>
  );
}

function nameOf({ name }: Passkey): string {
  return name ?? 'Unnamed passkey';
}

function columns(onOpen: (kind: 'rename' | 'remove', passkey: Passkey) => void): Column<Passkey>[] {
  return [
    { header: 'Name', cell: nameOf },
    { header: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (passkey) => (
        <Group gap={6} justify="flex-end">
          {(['rename', 'remove'] as const).map((kind) => (
            <Button
              key={kind}
              size="compact-xs"
              variant="default"
              aria-label={`${kind === 'rename' ? 'Rename' : 'Remove'} ${nameOf(passkey)}`}
              onClick={() => onOpen(kind, passkey)}
            >
              {kind === 'rename' ? 'Rename' : 'Remove'}
            </Button>
          ))}
        </Group>
      ),
    },
  ];
}

function AddPasskey({ onChanged }: { onChanged: () => Promise<unknown> }) {
  const [name, setName] = useState('');
  const adding = useMutation({
    mutationFn: () => registerPasskey(name.trim() || 'Passkey'),
    onSuccess: async () => {
      setName('');
      await onChanged();
    },
  });
  const address = passkeyAddress();
  if (address !== null)
    return (
      <Text size="sm">
        Passkeys don't work on an IP address. <Anchor href={address}>Open this page at localhost</Anchor> to add one.
      </Text>
    );
  if (!canUsePasskeys()) return <Text size="sm">This browser doesn't support passkeys.</Text>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Add a passkey">
      <Stack gap="sm" align="flex-start">
        {adding.error !== null && !isDismissed(adding.error) && <Problem error={adding.error} />}
        <TextInput
          label="Name of the passkey"
          placeholder="Laptop"
          maxLength={MAX_NAME_LENGTH}
          w="100%"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" loading={adding.isPending}>
          Add a passkey
        </Button>
      </Stack>
    </form>
  );
}

type DialogProps = { passkey: Passkey; onChanged: () => Promise<unknown>; onClose: () => void };

function RenamePasskey({ passkey, onChanged, onClose }: DialogProps) {
  const [name, setName] = useState(passkey.name ?? '');
  const renaming = useMutation({
    mutationFn: () => renamePasskey(passkey.id, name.trim()),
    onSuccess: async () => {
      await onChanged();
      onClose();
    },
  });
  return (
    <FormDialog
      title="Rename passkey"
      submitLabel="Rename"
      isBusy={renaming.isPending}
      error={renaming.error}
      onSubmit={() => renaming.mutate()}
      onClose={onClose}
    >
      <TextInput
        data-field="name"
        label="Name"
        maxLength={MAX_NAME_LENGTH}
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function RemovePasskey({ passkey, onChanged, onClose }: DialogProps) {
  const removing = useMutation({
    mutationFn: () => deletePasskey(passkey.id),
    onSuccess: async () => {
      await onChanged();
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title="Remove passkey?"
      confirmLabel="Remove passkey"
      isBusy={removing.isPending}
      error={removing.error}
      onConfirm={() => removing.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{nameOf(passkey)} will no longer sign in to your account.</Text>
    </ConfirmDialog>
  );
}
