// The accounts of the service: operators search them by name or email, verify an email by hand, sign people out, and
// disable accounts.
import { formatCompactNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  disableUser,
  enableUser,
  listUsers,
  resetSecondFactor,
  signUserOut,
  verifyUser,
} from '@chauffeur/contract/operations/operator';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';

type User = OutputOf<typeof listUsers>['users'][number];
type UserAction = { kind: keyof typeof ACTIONS; user: User };

const route = getRouteApi('/signed-in/operator/users');

const TYPING_DELAY_MS = 250;

const ACTIONS = {
  verify: { operation: verifyUser, result: (email: string) => `${email} is now verified.` },
  'sign-out': { operation: signUserOut, result: (email: string) => `${email} was signed out everywhere.` },
  disable: { operation: disableUser, result: (email: string) => `${email} is disabled.` },
  enable: { operation: enableUser, result: (email: string) => `${email} is enabled again.` },
  'reset-factor': {
    operation: resetSecondFactor,
    result: (email: string) => `${email} signs in with the password alone now.`,
  },
} as const;

export function UsersPage() {
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const changeSearch = useDebouncedCallback(
    (text: string) => void navigate({ search: { search: text.trim() || undefined }, replace: true }),
    TYPING_DELAY_MS,
  );
  const users = usePages(listUsers, { ...(search !== undefined && { search }) }, (page) => page.users, {
    keepsPreviousRows: true,
  });
  const action = useUserAction();
  return (
    <Stack gap="md">
      <PageHead title="Accounts" />
      <TextInput
        type="search"
        aria-label="Search accounts"
        placeholder="Name or email"
        maw={320}
        defaultValue={search ?? ''}
        onChange={(event) => changeSearch(event.currentTarget.value)}
      />
      <div role="status">
        {action.isSuccess && (
          <Text size="sm">{ACTIONS[action.variables.kind].result(action.variables.user.email)}</Text>
        )}
      </div>
      {action.error !== null && <Problem error={action.error} onRetry={() => action.mutate(action.variables)} />}
      <PagedTable
        label="Accounts"
        list={users}
        columns={userColumns(action.isPending, action.mutate)}
        rowKey={({ user_id }) => user_id}
        skeletonRows={8}
        empty={<EmptyState>No accounts match. Search for part of a name or an email address.</EmptyState>}
        more="Show older accounts"
      />
    </Stack>
  );
}

function useUserAction() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ kind, user }: UserAction) => call(ACTIONS[kind].operation, { user_id: user.user_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listUsers.id] }),
  });
}

function userColumns(isBusy: boolean, onAction: (action: UserAction) => void): Column<User>[] {
  return [
    { header: 'Account', cell: (user) => <UserName user={user} /> },
    { header: 'Created', cell: (user) => <Time at={user.created_at} /> },
    { header: 'Games', align: 'right', cell: (user) => formatCompactNumber(user.games) },
    { header: 'Sessions', align: 'right', cell: (user) => formatCompactNumber(user.sessions) },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (user) => <UserButtons user={user} isBusy={isBusy} onAction={onAction} />,
    },
  ];
}

function UserName({ user }: { user: User }) {
  return (
    <>
      <Group gap="xs">
        <Text span size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {user.name}
        </Text>
        {user.operator && <StateBadge tone="busy">Operator</StateBadge>}
        {!user.verified && <StateBadge tone="unsure">Not verified</StateBadge>}
        {user.disabled_at !== null && <StateBadge tone="bad">Disabled</StateBadge>}
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {user.email}
      </Text>
    </>
  );
}

type UserButtonsProps = { user: User; isBusy: boolean; onAction: (action: UserAction) => void };

function UserButtons({ user, isBusy, onAction }: UserButtonsProps) {
  return (
    <Group gap={6} justify="flex-end">
      {!user.verified && (
        <Button
          size="compact-xs"
          variant="default"
          disabled={isBusy}
          aria-label={`Verify ${user.email}`}
          onClick={() => onAction({ kind: 'verify', user })}
        >
          Verify
        </Button>
      )}
      <Button
        size="compact-xs"
        variant="default"
        disabled={isBusy || user.sessions === 0}
        aria-label={`Sign out ${user.email}`}
        onClick={() => onAction({ kind: 'sign-out', user })}
      >
        Sign out
      </Button>
      <MoreActions user={user} isBusy={isBusy} onAction={onAction} />
    </Group>
  );
}

type Confirmation = 'disable' | 'reset-factor';

/** Asks before an action that stops what a person uses. */
function MoreActions({ user, isBusy, onAction }: UserButtonsProps) {
  const [confirming, setConfirming] = useState<Confirmation | null>(null);
  const confirm = (kind: Confirmation) => {
    setConfirming(null);
    onAction({ kind, user });
  };
  const button = (label: string, onClick: () => void) => (
    <Button
      size="compact-xs"
      variant="default"
      disabled={isBusy}
      aria-label={`${label} ${user.email}`}
      onClick={onClick}
    >
      {label}
    </Button>
  );
  return (
    <>
      {user.second_factor && button('Reset second factor', () => setConfirming('reset-factor'))}
      {user.disabled_at === null
        ? button('Disable', () => setConfirming('disable'))
        : button('Enable', () => onAction({ kind: 'enable', user }))}
      {confirming !== null && (
        <ConfirmDialog
          title={confirming === 'disable' ? 'Disable account?' : 'Reset second factor?'}
          confirmLabel={confirming === 'disable' ? 'Disable account' : 'Reset second factor'}
          onConfirm={() => confirm(confirming)}
          onClose={() => setConfirming(null)}
        >
          <Text size="sm">
            {confirming === 'disable'
              ? `${user.email} is signed out and can't sign in. Personal keys, agents, commands, and invitations from this person stop working until you enable the account again. Deploy keys and upload tokens belong to games: they stop only for games without another active owner. Players keep their pages, downloads, crash reports and events.`
              : `${user.email} loses the authenticator app, backup codes and passkeys, and is signed out. Only do this if you are sure who asked for it.`}
          </Text>
        </ConfirmDialog>
      )}
    </>
  );
}
