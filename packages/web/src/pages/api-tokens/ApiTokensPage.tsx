// Account settings: API tokens, with which scripts call the API for the person.

import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import { createApiToken, listApiTokens, revokeApiToken } from '@chauffeur/contract/operations/api-tokens';
import { TOKEN_AREAS, type TokenArea, type TokenScope } from '@chauffeur/contract/token-scopes';
import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { CredentialName, CredentialState, LastUse } from '../../ui/credentials.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { SecretText } from '../../ui/UnsavedWarning.tsx';
import classes from './api-tokens.module.css';
import { TokenGames } from './TokenGames.tsx';
import { type Access, formatAccess, formatGames, scopesOf } from './token-access.ts';

type Token = OutputOf<typeof revokeApiToken>;
type NewToken = InputOf<typeof createApiToken>;

const tokens = ask(listApiTokens, {});

export function ApiTokensPage() {
  useTitle('API tokens');
  const { data, error, isPending, refetch } = useQuery(tokens);
  const [isCreating, setCreating] = useState(false);
  const [selected, setSelected] = useState<Token | null>(null);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: tokens.queryKey });
  const creating = useMutation({ mutationFn: (token: NewToken) => call(createApiToken, token), onSuccess: refresh });
  const revoking = useMutation({
    mutationFn: ({ token_id }: Token) => call(revokeApiToken, { token_id }),
    onSuccess: refresh,
  });
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2} size="h4">
          API tokens
        </Title>
        <Button size="xs" onClick={() => setCreating(true)}>
          Create token
        </Button>
      </Group>
      <Text size="sm">
        With an API token, a script can call the API for you, only for what you choose and never for more than you may
        do yourself.{' '}
        <DocLink page="api-tokens" size="sm">
          How to use a token
        </DocLink>
      </Text>
      {creating.data !== undefined && (
        <Notice tone="unsure" title={`Copy the token “${creating.data.name}” now. You won't see it again.`}>
          <SecretText text={creating.data.token} label="API token" />
        </Notice>
      )}
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <DataTable
        label="API tokens"
        columns={tokenColumns(setSelected)}
        rows={data?.tokens}
        rowKey={({ token_id }) => token_id}
        isLoading={isPending}
        skeletonRows={2}
        empty={<EmptyState>No API tokens yet.</EmptyState>}
      />
      {isCreating && (
        <CreateToken
          isBusy={creating.isPending}
          error={creating.error}
          onCreate={(token) => creating.mutate(token, { onSuccess: () => setCreating(false) })}
          onClose={() => setCreating(false)}
        />
      )}
      {selected !== null && (
        <ConfirmDialog
          title={`Revoke “${selected.name}”?`}
          confirmLabel="Revoke token"
          isBusy={revoking.isPending}
          error={revoking.error}
          onConfirm={() => revoking.mutate(selected, { onSuccess: () => setSelected(null) })}
          onClose={() => setSelected(null)}
        >
          <Text size="sm">
            Every script that uses the token <code>{selected.token_ref}…</code> loses access immediately.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

function tokenColumns(onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    {
      header: 'Name',
      cell: ({ name, token_ref, scopes }) => (
        <CredentialName name={name} reference={token_ref}>
          {formatAccess(scopes)}
        </CredentialName>
      ),
    },
    { header: 'Status', cell: ({ state, expires_at }) => <CredentialState state={state} expiresAt={expires_at} /> },
    { header: 'Games', overflow: 'anywhere', cell: formatGames },
    { header: 'Created', overflow: 'nowrap', cell: ({ created_at }) => <Time at={created_at} /> },
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
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Revoke ${token.name}`}
            onClick={() => onRevoke(token)}
          >
            Revoke
          </Button>
        ),
    },
  ];
}

const EXPIRIES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: String(LIMITS.apiTokenDefaultDays), label: `In ${LIMITS.apiTokenDefaultDays} days` },
  { value: String(LIMITS.apiTokenDays), label: 'In 1 year' },
];

const ACCESSES = [
  { value: 'none', label: 'No access' },
  { value: 'read', label: 'Read only' },
  { value: 'write', label: 'Read and change' },
];

type CreateTokenProps = {
  isBusy: boolean;
  error: Error | null;
  onCreate: (token: NewToken) => void;
  onClose: () => void;
};

/** The form that creates an API token. */
function CreateToken({ isBusy, error, onCreate, onClose }: CreateTokenProps) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Access>({});
  const [games, setGames] = useState<readonly string[] | null>(null);
  const [days, setDays] = useState(String(LIMITS.apiTokenDefaultDays));
  const scopes: TokenScope[] = scopesOf(access);
  return (
    <FormDialog
      title="Create an API token"
      submitLabel="Create token"
      isBusy={isBusy}
      error={error}
      isDisabled={scopes.length === 0 || games?.length === 0}
      onSubmit={() => onCreate({ name, scopes, expires_in_days: Number(days), games: games && [...games] })}
      onClose={onClose}
    >
      <TextInput
        data-field="name"
        label="Name"
        description="For example, the script or machine that will use it"
        required
        maxLength={LIMITS.apiTokenNameLength}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <fieldset className={classes.areas} data-field="scopes">
        <Text component="legend" size="sm" fw={700}>
          Access
        </Text>
        {(Object.keys(TOKEN_AREAS) as TokenArea[]).map((area) => (
          <AreaField
            key={area}
            area={area}
            value={access[area] ?? 'none'}
            onChange={(chosen) => setAccess({ ...access, [area]: chosen })}
          />
        ))}
      </fieldset>
      <TokenGames value={games} onChange={setGames} />
      <NativeSelect
        data-field="expires_in_days"
        label="Expires"
        description="We email you before it expires, at most a week ahead."
        data={EXPIRIES}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

type AreaFieldProps = { area: TokenArea; value: string; onChange: (chosen: 'none' | 'read' | 'write') => void };

function AreaField({ area, value, onChange }: AreaFieldProps) {
  return (
    <div className={classes.area}>
      <div>
        <Text size="sm" id={`area-${area}`} tt="capitalize">
          {area}
        </Text>
        <Text size="xs" c="dimmed" id={`area-${area}-is`}>
          {TOKEN_AREAS[area]}
        </Text>
      </div>
      <NativeSelect
        size="xs"
        aria-labelledby={`area-${area}`}
        aria-describedby={`area-${area}-is`}
        data={ACCESSES}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as 'none' | 'read' | 'write')}
      />
    </div>
  );
}
