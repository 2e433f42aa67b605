// The upload tokens of a game: created with a name, scopes and an expiry, renamed and revoked.

import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf, UploadScope } from '@chauffeur/contract/operation';
import {
  createUploadToken,
  listUploadTokens,
  renameUploadToken,
  revokeUploadToken,
} from '@chauffeur/contract/operations/deploy-keys';
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { CredentialName, CredentialState, LastUse } from '../../ui/credentials.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { NewSecret } from './IssuedKey.tsx';

type Step = { readonly kind: 'create' } | { readonly kind: 'rename' | 'revoke'; readonly token: Token };

export function UploadTokens({ gameUid: uid }: { gameUid: string }) {
  const { data, error, isPending, refetch } = useQuery(ask(listUploadTokens, { uid }));
  const [step, setStep] = useState<Step | null>(null);
  const queries = useQueryClient();
  const onSuccess = async () => {
    setStep(null);
    await queries.invalidateQueries({ queryKey: [listUploadTokens.id] });
  };
  const creating = useMutation({
    mutationFn: (token: NewToken) => call(createUploadToken, { uid, ...token }),
    onSuccess,
  });
  const renaming = useMutation({
    mutationFn: (input: { token_id: string; name: string }) => call(renameUploadToken, { uid, ...input }),
    onSuccess,
  });
  const revoking = useMutation({
    mutationFn: ({ token_id }: Token) => call(revokeUploadToken, { uid, token_id }),
    onSuccess,
  });
  const close = () => setStep(null);
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Upload tokens
        </Title>
        <Button size="xs" onClick={() => setStep({ kind: 'create' })}>
          Create token
        </Button>
      </Group>
      <Text size="sm">
        An upload token works like a deploy key, but only for what you choose. Give each CI system its own, and replace
        them one at a time without a pause.{' '}
        <DocLink page="ci" size="sm">
          How to rotate tokens
        </DocLink>
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {creating.data !== undefined && <NewSecret issued={creating.data} onDone={creating.reset} />}
      <DataTable
        label="Upload tokens"
        columns={tokenColumns((kind, token) => setStep({ kind, token }))}
        rows={data?.upload_tokens}
        rowKey={({ token_id }) => token_id}
        isLoading={isPending}
        skeletonRows={2}
        empty={<EmptyState>No upload tokens yet.</EmptyState>}
      />
      {step?.kind === 'create' && (
        <CreateToken
          isBusy={creating.isPending}
          error={creating.error}
          onCreate={(token) => creating.mutate(token)}
          onClose={close}
        />
      )}
      {step?.kind === 'rename' && (
        <RenameToken
          token={step.token}
          isBusy={renaming.isPending}
          error={renaming.error}
          onRename={(name) => renaming.mutate({ token_id: step.token.token_id, name })}
          onClose={close}
        />
      )}
      {step?.kind === 'revoke' && (
        <ConfirmDialog
          title={`Revoke “${step.token.name}”?`}
          confirmLabel="Revoke token"
          isBusy={revoking.isPending}
          error={revoking.error}
          onConfirm={() => revoking.mutate(step.token)}
          onClose={close}
        >
          <Text size="sm">
            Every machine that uses the token <code>{step.token.key_ref}…</code> loses access immediately. Players
            aren't affected.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

type Token = OutputOf<typeof revokeUploadToken>;

/** The columns of the list of upload tokens. */
function tokenColumns(onAct: (kind: 'rename' | 'revoke', token: Token) => void): Column<Token>[] {
  return [
    {
      header: 'Name',
      cell: ({ name, key_ref, scopes }) => (
        <CredentialName name={name} reference={key_ref}>
          {scopes.join(', ')}
        </CredentialName>
      ),
    },
    { header: 'Status', cell: ({ state, expires_at }) => <CredentialState state={state} expiresAt={expires_at} /> },
    {
      header: 'Created',
      hiddenBelow: 'md',
      cell: (token) => (
        <>
          <Time at={token.created_at} />{' '}
          <Text span size="sm" c="dimmed">
            by {token.created_by}
          </Text>
        </>
      ),
    },
    {
      header: 'Last used',
      cell: ({ last_used_at, last_used_from }) => <LastUse at={last_used_at} from={last_used_from} />,
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (token) =>
        token.state === 'active' && (
          <Group gap={6} justify="flex-end" wrap="nowrap">
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Rename ${token.name}`}
              onClick={() => onAct('rename', token)}
            >
              Rename
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Revoke ${token.name}`}
              onClick={() => onAct('revoke', token)}
            >
              Revoke
            </Button>
          </Group>
        ),
    },
  ];
}

type NewToken = { name: string; scopes: UploadScope[]; expires_in_days: number | null };

const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: '', label: 'Never' },
];

type CreateTokenProps = {
  isBusy: boolean;
  error: Error | null;
  onCreate: (token: NewToken) => void;
  onClose: () => void;
};

/** The form that creates an upload token. */
function CreateToken({ isBusy, error, onCreate, onClose }: CreateTokenProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['builds', 'symbols']);
  const [days, setDays] = useState('90');
  return (
    <FormDialog
      title="Create an upload token"
      submitLabel="Create token"
      isDisabled={scopes.length === 0}
      isBusy={isBusy}
      error={error}
      onSubmit={() => {
        const chosen = SCOPES.map(({ scope }) => scope).filter((scope) => scopes.includes(scope));
        onCreate({ name, scopes: chosen, expires_in_days: days === '' ? null : Number(days) });
      }}
      onClose={onClose}
    >
      <TextInput
        data-field="name"
        label="Name"
        description="For example, the CI system that will use it"
        required
        maxLength={LIMITS.uploadTokenNameLength}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox.Group data-field="scopes" label="Scopes" value={scopes} onChange={setScopes}>
        <Stack gap="xs" mt="xs">
          {SCOPES.map(({ scope, label, description }) => (
            <Checkbox key={scope} value={scope} label={label} description={description} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        data-field="expires_in_days"
        label="Expires"
        data={EXPIRIES}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

/** The scopes of upload tokens with their descriptions. */
const SCOPES: readonly { readonly scope: UploadScope; readonly label: string; readonly description: string }[] = [
  { scope: 'builds', label: 'Builds', description: 'Register builds and upload their files, on any channel' },
  { scope: 'symbols', label: 'Symbols', description: 'Upload symbols' },
  { scope: 'media', label: 'Media', description: 'Add, delete and sort store images and videos' },
  { scope: 'channels', label: 'Channels', description: 'Promote builds and roll channels back' },
];

type RenameTokenProps = {
  token: Token;
  isBusy: boolean;
  error: Error | null;
  onRename: (name: string) => void;
  onClose: () => void;
};

/** The form that renames an upload token. */
function RenameToken({ token, isBusy, error, onRename, onClose }: RenameTokenProps) {
  const [name, setName] = useState(token.name);
  return (
    <FormDialog
      title={`Rename “${token.name}”`}
      submitLabel="Rename"
      isBusy={isBusy}
      error={error}
      onSubmit={() => onRename(name)}
      onClose={onClose}
    >
      <TextInput
        data-field="name"
        label="Name"
        required
        maxLength={LIMITS.uploadTokenNameLength}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
