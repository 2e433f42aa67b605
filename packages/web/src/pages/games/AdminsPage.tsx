// The people who work on a game: its owner, its admins, and those who are invited.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGame, leaveGame, listGames, removeAdmin } from '@chauffeur/contract/operations/games';
import { Button, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { session } from '../../session.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import table from '../../ui/table.module.css';
import { Invitations } from './Invitations.tsx';
import { type OpenGame, useGame } from './use-game.ts';

type Member = OutputOf<typeof getGame>['members'][number];

export function AdminsPage() {
  const game = useGame();
  const [chosen, setChosen] = useState<Member | null>(null);
  const isOwner = game.role === 'owner';
  return (
    <Stack gap="lg">
      <Stack gap="md">
        <PageHead title="Admins" tab={`Admins · ${game.name}`} />
        <Text size="sm">
          Admins can do everything that the owner can, except invite admins, and transfer or delete the game.
          {!isOwner && ' Ask the owner to change this list.'}
        </Text>
        <Members game={game} onChoose={setChosen} />
      </Stack>
      {isOwner && <Invitations game={game} />}
      {chosen !== null && isOwner && <RemoveAdmin game={game} member={chosen} onClose={() => setChosen(null)} />}
      {chosen !== null && !isOwner && <LeaveGame game={game} onClose={() => setChosen(null)} />}
    </Stack>
  );
}

function Members({ game, onChoose }: { game: OpenGame; onChoose: (member: Member) => void }) {
  const { data: person } = useQuery(session);
  const isOwner = game.role === 'owner';
  return (
    <Table className={table.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Person</Table.Th>
          <Table.Th>Role</Table.Th>
          <Table.Th>
            <VisuallyHidden>Change</VisuallyHidden>
          </Table.Th>
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
            <Table.Td ta="right">
              {isOwner && member.role === 'admin' && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Remove ${member.name}`}
                  onClick={() => onChoose(member)}
                >
                  Remove
                </Button>
              )}
              {!isOwner && member.user_id === person?.id && (
                <Button size="compact-xs" variant="default" onClick={() => onChoose(member)}>
                  Leave
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function RemoveAdmin({ game, member, onClose }: { game: OpenGame; member: Member; onClose: () => void }) {
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: () => call(removeAdmin, { uid: game.game_uid, user_id: member.user_id }),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: [getGame.id] });
    },
  });
  return (
    <Dialog title={`Remove ${member.name}?`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          {member.name} and their agents lose access to {game.name} at once. They keep what they copied, such as the
          deploy key: create a new one if they know it. To add them again, send another invitation.
        </Text>
        {removing.error !== null && <Problem error={removing.error} />}
        <Choice label="Remove" busy={removing.isPending} onConfirm={() => removing.mutate()} onClose={onClose} />
      </Stack>
    </Dialog>
  );
}

function LeaveGame({ game, onClose }: { game: OpenGame; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leaving = useMutation({
    mutationFn: () => call(leaveGame, { uid: game.game_uid }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [listGames.id] });
      await navigate({ to: '/dev' });
      queries.removeQueries({ queryKey: [getGame.id] });
    },
  });
  return (
    <Dialog title={`Leave ${game.name}?`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">You and your agents lose access at once. Only the owner can invite you again.</Text>
        {leaving.error !== null && <Problem error={leaving.error} />}
        <Choice label="Leave the game" busy={leaving.isPending} onConfirm={() => leaving.mutate()} onClose={onClose} />
      </Stack>
    </Dialog>
  );
}

type ChoiceProps = { label: string; busy: boolean; onConfirm: () => void; onClose: () => void };

function Choice({ label, busy, onConfirm, onClose }: ChoiceProps) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onClose} data-autofocus>
        Cancel
      </Button>
      <Button color="red.9" loading={busy} onClick={onConfirm}>
        {label}
      </Button>
    </Group>
  );
}
