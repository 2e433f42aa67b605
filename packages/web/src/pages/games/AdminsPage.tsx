// Who may work on a game: its owner, and the admins that the owner names.
import type { OutputOf } from '@chauffeur/contract/operation';
import { addAdmin, getGame, removeAdmin } from '@chauffeur/contract/operations/games';
import { Button, Group, Stack, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import table from '../../ui/table.module.css';
import { type OpenGame, useGame } from './use-game.ts';

type Change = { kind: 'add'; email: string } | { kind: 'remove'; member: Member };
type Member = OutputOf<typeof getGame>['members'][number];

export function AdminsPage() {
  const game = useGame();
  const uid = game.game_uid;
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: (change: Change) =>
      change.kind === 'add'
        ? call(addAdmin, { uid, email: change.email })
        : call(removeAdmin, { uid, user_id: change.member.user_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [getGame.id] }),
  });
  const { variables } = changing;
  const isOwner = game.role === 'owner';
  return (
    <Stack gap="md">
      <div>
        <PageHead title="Admins" tab={`Admins · ${game.name}`} />
        <Said change={changing.isSuccess ? variables : undefined} onUndo={(change) => changing.mutate(change)} />
      </div>
      <Text size="sm">
        Admins may do all that the owner may, except to name admins.
        {!isOwner && ' You are one: ask the owner to change this list.'}
      </Text>
      {changing.error !== null && variables !== undefined && (
        <Problem error={changing.error} again={() => changing.mutate(variables)} />
      )}
      <Members game={game} onRemove={(member) => changing.mutate({ kind: 'remove', member })} />
      {isOwner && (
        <AddAdmin busy={changing.isPending} onAdd={(email) => changing.mutateAsync({ kind: 'add', email })} />
      )}
    </Stack>
  );
}

function Members({ game, onRemove }: { game: OpenGame; onRemove: (member: Member) => void }) {
  const isOwner = game.role === 'owner';
  return (
    <Table className={table.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Person</Table.Th>
          <Table.Th>Role</Table.Th>
          {isOwner && (
            <Table.Th>
              <VisuallyHidden>Change</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {game.members.map((member) => (
          <Table.Tr key={member.user_id}>
            <Table.Td>
              <strong>{member.name}</strong>{' '}
              <Text span size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {member.email}
              </Text>
            </Table.Td>
            <Table.Td>{member.role === 'owner' ? 'Owner' : 'Admin'}</Table.Td>
            {isOwner && (
              <Table.Td ta="right">
                {member.role === 'admin' && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Remove ${member.name}`}
                    onClick={() => onRemove(member)}
                  >
                    Remove
                  </Button>
                )}
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Said({ change, onUndo }: { change: Change | undefined; onUndo: (change: Change) => void }) {
  return (
    <div role="status">
      {change?.kind === 'add' && <Text size="sm">{change.email} is an admin now.</Text>}
      {change?.kind === 'remove' && (
        <Group gap="sm">
          <Text size="sm">{change.member.name} is no admin any more.</Text>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => onUndo({ kind: 'add', email: change.member.email })}
          >
            Undo
          </Button>
        </Group>
      )}
    </div>
  );
}

function AddAdmin({ busy, onAdd }: { busy: boolean; onAdd: (email: string) => Promise<unknown> }) {
  const [email, setEmail] = useState('');
  return (
    <form
      aria-label="Add an admin"
      onSubmit={(event) => {
        event.preventDefault();
        // What went wrong is said above the list.
        onAdd(email).then(
          () => setEmail(''),
          () => undefined,
        );
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Email of an account"
          type="email"
          required
          maxLength={320}
          miw={200}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy}>
          Add as an admin
        </Button>
      </Group>
    </form>
  );
}
