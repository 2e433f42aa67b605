// The upload tokens of a game: created with a name, scopes and an expiry, renamed and revoked.
import {
  createUploadToken,
  listUploadTokens,
  renameUploadToken,
  revokeUploadToken,
} from '@chauffeur/contract/operations/deploy-keys';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { DocLink } from '../../ui/DocLink.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { CreateToken, type NewToken } from './CreateToken.tsx';
import { NewSecret } from './NewSecret.tsx';
import { RenameToken } from './RenameToken.tsx';
import { type Token, tokenColumns } from './token-columns.tsx';

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
          title={`Revoke "${step.token.name}"?`}
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
