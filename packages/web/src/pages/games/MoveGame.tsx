// Moves a game to another organisation, after saying who gets and who loses access.
import { getGame, listGames } from '@chauffeur/contract/operations/games';
import { getOrganisation, listOrganisations, moveGame } from '@chauffeur/contract/operations/organisations';
import { Button, Group, List, NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { changesOfMove } from './changes-of-move.ts';
import type { OpenGame } from './use-game.ts';

export function MoveGame({ game }: { game: OpenGame }) {
  const { data, error, refetch } = useQuery(ask(listOrganisations, {}));
  const [target, setTarget] = useState('');
  const [isConfirming, setConfirming] = useState(false);
  const [movedTo, setMovedTo] = useState<string | null>(null);
  const owned = data?.organisations.filter(
    ({ role, organisation_uid: uid }) => role === 'owner' && uid !== game.organisation.organisation_uid,
  );
  const chosen = owned?.find(({ organisation_uid: uid }) => uid === target) ?? owned?.[0];
  return (
    <Section title="Move game">
      <Text size="sm">
        The game belongs to {game.organisation.name}. You can move it to another organisation that you own.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {owned?.length === 0 && (
        <Text size="sm">You own no other organisation. Create one on the page of your games.</Text>
      )}
      {chosen !== undefined && owned !== undefined && (
        <Group gap="sm" align="flex-end">
          <NativeSelect
            label="Organisation"
            data={owned.map(({ organisation_uid: value, name: label }) => ({ value, label }))}
            value={chosen.organisation_uid}
            maw="100%"
            onChange={(event) => setTarget(event.currentTarget.value)}
          />
          <Button variant="default" onClick={() => setConfirming(true)}>
            Move game
          </Button>
        </Group>
      )}
      <div role="status">{movedTo !== null && <Text size="sm">{`Moved to ${movedTo}.`}</Text>}</div>
      {isConfirming && chosen !== undefined && (
        <ConfirmMove
          game={game}
          to={{ uid: chosen.organisation_uid, name: chosen.name }}
          onMoved={() => setMovedTo(chosen.name)}
          onClose={() => setConfirming(false)}
        />
      )}
    </Section>
  );
}

type ConfirmMoveProps = {
  game: OpenGame;
  to: { uid: string; name: string };
  onMoved: () => void;
  onClose: () => void;
};

const CHANGED = [getGame.id, listGames.id, getOrganisation.id, listOrganisations.id];

function ConfirmMove({ game, to, onMoved, onClose }: ConfirmMoveProps) {
  const queries = useQueryClient();
  const target = useQuery(ask(getOrganisation, { organisation: to.uid }));
  const moving = useMutation({
    mutationFn: () => call(moveGame, { uid: game.game_uid, organisation: to.uid }),
    onSuccess: async () => {
      onMoved();
      onClose();
      await Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] })));
    },
  });
  return (
    <ConfirmDialog
      title={`Move ${game.name} to ${to.name}?`}
      confirmLabel="Move game"
      isBusy={moving.isPending || target.isPending}
      error={moving.error}
      onConfirm={() => moving.mutate()}
      onClose={onClose}
    >
      {target.error !== null && <Problem error={target.error} onRetry={() => void target.refetch()} />}
      {target.isPending && <Skeleton h={80} />}
      {target.data !== undefined && (
        <Stack gap="sm">
          <List size="sm" spacing={4}>
            {changesOfMove(game.members, target.data.member_list).map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
          <Text size="sm">
            Deploy keys and upload tokens keep working. Create new ones if someone who loses access knows them.
          </Text>
        </Stack>
      )}
    </ConfirmDialog>
  );
}
