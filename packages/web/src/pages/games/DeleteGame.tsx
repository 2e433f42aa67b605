// The dialog that deletes a game. It lists the consequences and asks for the game's name and the password.
import { deleteGame, getGameDeletion } from '@chauffeur/contract/operations/game-deletion';
import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { PasswordField } from '../accounts/AccountFields.tsx';
import { Consequences } from '../channels/Consequences.tsx';
import type { OpenGame } from './use-game.ts';

export function DeleteGame({ game, onClose }: { game: OpenGame; onClose: () => void }) {
  const uid = game.game_uid;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  // Always loaded again: the decision must be based on the current consequences.
  const { data, error, isPending, refetch } = useQuery({ ...ask(getGameDeletion, { uid }), staleTime: 0, gcTime: 0 });
  const deleting = useMutation({
    mutationFn: () => call(deleteGame, { uid, name: typed, password }),
    onSuccess: async () => {
      await navigate({ to: '/dev' });
      // Cached results about the game are outdated.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      await queries.invalidateQueries();
    },
  });
  const isSure = data !== undefined && typed.trim() !== '' && password !== '';
  return (
    <Dialog title={`Delete ${game.name}?`} onClose={onClose}>
      <form
        aria-label="Delete game"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSure) deleting.mutate();
        }}
      >
        <Stack gap="md">
          {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
          {isPending && <Skeleton h={220} />}
          {data !== undefined && <Consequences lines={data.consequences} />}
          <TextInput
            data-field="name"
            label={`Type ${game.name} to confirm`}
            data-autofocus
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <PasswordField label="Your password" value={password} onChange={setPassword} />
          {deleting.error !== null && <Problem error={deleting.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" loading={deleting.isPending} disabled={!isSure}>
              Delete game
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
