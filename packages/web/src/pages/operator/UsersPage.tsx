// The accounts: found by name or email, verified by hand, signed out everywhere.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listUsers, signUserOut, verifyUser } from '@chauffeur/contract/operations/operator';
import { Stack, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import table from '../../ui/table.module.css';
import { UserRow } from './UserRow.tsx';

export type OperatedUser = OutputOf<typeof listUsers>['users'][number];
export type UserStep = { kind: 'verify' | 'sign-out'; user: OperatedUser };

const route = getRouteApi('/signed-in/operator/users');

const TYPING_MS = 250;

export function UsersPage() {
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const find = useDebouncedCallback(
    (text: string) => void navigate({ search: { search: text.trim() || undefined }, replace: true }),
    TYPING_MS,
  );
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [listUsers.id, search ?? ''],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(listUsers, { ...(search !== undefined && { search }), ...(cursor !== '' && { cursor }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const steps = useMutation({
    mutationFn: ({ kind, user }: UserStep) =>
      call(kind === 'verify' ? verifyUser : signUserOut, { user_id: user.user_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listUsers.id] }),
  });
  const users = data?.pages.flatMap((page) => page.users) ?? [];
  return (
    <Stack gap="md">
      <PageHead title="Accounts" />
      <TextInput
        type="search"
        aria-label="Find accounts"
        placeholder="Name or email"
        maw={320}
        defaultValue={search ?? ''}
        onChange={(event) => find(event.currentTarget.value)}
      />
      <div role="status">{steps.isSuccess && <Text size="sm">{sayDone(steps.variables)}</Text>}</div>
      {steps.error !== null && <Problem error={steps.error} again={() => steps.mutate(steps.variables)} />}
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {data !== undefined && users.length === 0 && <EmptyState>No account has that in its name or email.</EmptyState>}
      {(isPending || users.length > 0) && (
        <Table className={table.table} aria-label="Accounts">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Account</Table.Th>
              <Table.Th visibleFrom="sm">Made</Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Games
              </Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Signed in
              </Table.Th>
              <Table.Th>
                <VisuallyHidden>Change</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending && <LoadingRows rows={8} columns={5} />}
            {users.map((user) => (
              <UserRow key={user.user_id} user={user} isBusy={steps.isPending} onStep={(step) => steps.mutate(step)} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show older ones
      </NextPage>
    </Stack>
  );
}

function sayDone({ kind, user }: UserStep): string {
  return kind === 'verify' ? `${user.email} counts as verified now.` : `${user.email} is signed out everywhere.`;
}
