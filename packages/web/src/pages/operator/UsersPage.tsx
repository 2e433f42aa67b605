// The accounts of the service: operators search them by name or email, verify an email by hand, and sign people out.
import { formatCompactNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listUsers, signUserOut, verifyUser } from '@chauffeur/contract/operations/operator';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { call } from '../../api.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PagedTable } from '../../ui/PagedTable.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { usePages } from '../../ui/use-pages.ts';

type User = OutputOf<typeof listUsers>['users'][number];
type UserAction = { kind: 'verify' | 'sign-out'; user: User };

const route = getRouteApi('/signed-in/operator/users');

const TYPING_DELAY_MS = 250;

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
      <div role="status">{action.isSuccess && <Text size="sm">{formatResult(action.variables)}</Text>}</div>
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
    mutationFn: ({ kind, user }: UserAction) =>
      call(kind === 'verify' ? verifyUser : signUserOut, { user_id: user.user_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listUsers.id] }),
  });
}

function formatResult({ kind, user }: UserAction): string {
  return kind === 'verify' ? `${user.email} is now verified.` : `${user.email} was signed out everywhere.`;
}

function userColumns(isBusy: boolean, onAction: (action: UserAction) => void): Column<User>[] {
  return [
    { header: 'Account', cell: (user) => <UserName user={user} /> },
    { header: 'Created', hiddenBelow: 'sm', cell: (user) => <Time at={user.created_at} /> },
    { header: 'Games', align: 'right', hiddenBelow: 'sm', cell: (user) => formatCompactNumber(user.games) },
    { header: 'Sessions', align: 'right', hiddenBelow: 'sm', cell: (user) => formatCompactNumber(user.sessions) },
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
    </Group>
  );
}
