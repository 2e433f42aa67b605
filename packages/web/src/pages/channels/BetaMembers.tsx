// The players who joined the beta, who came last first; each can be taken out.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listBetaMembers, removeBetaMember } from '@chauffeur/contract/operations/channels';
import { Button, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { OpenGame } from '../games/use-game.ts';
import { RemoveMember } from './RemoveMember.tsx';

export type BetaMember = OutputOf<typeof listBetaMembers>['members'][number];

export function BetaMembers({ game }: { game: OpenGame }) {
  const [asked, setAsked] = useState<BetaMember | null>(null);
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: (member: BetaMember) => call(removeBetaMember, { uid: game.game_uid, user_id: member.user_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listBetaMembers.id] }),
  });
  const ask = (member: BetaMember) => {
    removing.reset();
    setAsked(member);
  };
  return (
    <Stack gap="xs" component="section" aria-labelledby="beta-members">
      <div>
        <Title order={2} size="h4" id="beta-members">
          Beta members
        </Title>
        <div role="status">
          {removing.isSuccess && <Text size="sm">{removing.variables.name} is no member of the beta any more.</Text>}
        </div>
      </div>
      <Members game={game} onAsk={ask} />
      {asked !== null && (
        <RemoveMember
          member={asked}
          busy={removing.isPending}
          error={removing.error}
          onRemove={() => removing.mutate(asked, { onSuccess: () => setAsked(null) })}
          onClose={() => setAsked(null)}
        />
      )}
    </Stack>
  );
}

function useMembers(uid: string) {
  return useInfiniteQuery({
    queryKey: [listBetaMembers.id, { uid }],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(listBetaMembers, { uid, ...(cursor !== '' && { cursor }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}

function Members({ game, onAsk }: { game: OpenGame; onAsk: (member: BetaMember) => void }) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useMembers(game.game_uid);
  const members = data?.pages.flatMap((page) => page.members) ?? [];
  return (
    <>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {data !== undefined && members.length === 0 && (
        <EmptyState command={`${location.origin}/g/${game.slug}`}>
          Nobody has joined the beta. Players do on the game’s page, as soon as the beta channel offers something.
        </EmptyState>
      )}
      {(isPending || members.length > 0) && (
        <Table className={table.table} aria-label="Beta members">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Player</Table.Th>
              <Table.Th>Joined</Table.Th>
              <Table.Th>
                <VisuallyHidden>Change</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending && <LoadingRows rows={3} columns={3} />}
            {members.map((member) => (
              <MemberRow key={member.user_id} member={member} onRemove={() => onAsk(member)} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show earlier members
      </NextPage>
    </>
  );
}

function MemberRow({ member, onRemove }: { member: BetaMember; onRemove: () => void }) {
  return (
    <Table.Tr>
      <Table.Td className={table.main}>{member.name}</Table.Td>
      <Table.Td>
        <Time at={member.joined_at} />
      </Table.Td>
      <Table.Td ta="right">
        <Button size="compact-xs" variant="default" aria-label={`Remove ${member.name}`} onClick={onRemove}>
          Remove
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
