// The people who work on a game with their roles, and open invitations.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGame, leaveGame, listGames, removeAdmin, setGameRole } from '@chauffeur/contract/operations/games';
import { isAtLeast, ROLE_SUMMARIES, ROLES, type Role } from '@chauffeur/contract/roles';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { session } from '../../session.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { PERSON_COLUMN, RoleSelect } from '../../ui/RoleSelect.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { GAME_ROLES, type GameRole, Invitations } from './Invitations.tsx';
import { type OpenGame, useGame } from './use-game.ts';

type Member = OutputOf<typeof getGame>['members'][number];

export function AdminsPage() {
  const game = useGame();
  const [selected, setSelected] = useState<Member | null>(null);
  const isOwner = game.role === 'owner';
  const { organisation } = game;
  return (
    <Stack gap="lg">
      <Stack gap="md">
        <PageHead title="Members" tabTitle={`Members · ${game.name}`} />
        <Text size="sm">
          Members of the{' '}
          <SiteLink
            to="/org/$organisation"
            params={{ organisation: organisation.slug ?? organisation.organisation_uid }}
            size="sm"
          >
            organisation {organisation.name}
          </SiteLink>{' '}
          have their role on all of its games. Others only have a role on this game.
        </Text>
        <Permitted operation={removeAdmin} to="change this list">
          {null}
        </Permitted>
        <Members game={game} onSelect={setSelected} />
      </Stack>
      {isOwner && <Invitations game={game} />}
      {selected !== null && isOwner && <RemoveAdmin game={game} member={selected} onClose={() => setSelected(null)} />}
      {selected !== null && !isOwner && <LeaveGame game={game} onClose={() => setSelected(null)} />}
    </Stack>
  );
}

function Members({ game, onSelect }: { game: OpenGame; onSelect: (member: Member) => void }) {
  const { data: person } = useQuery(session);
  const queries = useQueryClient();
  const isOwner = game.role === 'owner';
  const mayChange = useMay(setGameRole);
  const changing = useMutation({
    mutationFn: ({ member: { user_id }, role }: { member: Member; role: Role }) =>
      call(setGameRole, { uid: game.game_uid, user_id, role: GAME_ROLES.find((each) => each === role) ?? 'viewer' }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [getGame.id] }),
  });
  const columns: Column<Member>[] = [
    PERSON_COLUMN,
    {
      header: 'Role',
      cell: (member) =>
        mayChange && member.role !== 'owner' && member.game_role !== null ? (
          <RoleSelect
            label={`Role of ${member.name}`}
            value={member.role}
            roles={rolesFor(member)}
            isCompact
            isDisabled={changing.isPending}
            onChange={(role) => changing.mutate({ member, role })}
          />
        ) : (
          <span title={ROLE_SUMMARIES[member.role]}>
            {ROLES[member.role].label}
            {member.organisation_role === null && member.game_role !== null && (
              <Text span size="sm" c="dimmed">
                {' '}
                · this game only
              </Text>
            )}
          </span>
        ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (member) => (
        <>
          {isOwner && member.role !== 'owner' && member.game_role !== null && (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Remove ${member.name}`}
              onClick={() => onSelect(member)}
            >
              Remove
            </Button>
          )}
          {!isOwner && member.user_id === person?.id && member.game_role !== null && (
            <Button size="compact-xs" variant="default" onClick={() => onSelect(member)}>
              Leave
            </Button>
          )}
        </>
      ),
    },
  ];
  return (
    <>
      {changing.error !== null && <Problem error={changing.error} />}
      <DataTable label="Members" columns={columns} rows={game.members} rowKey={({ user_id }) => user_id} />
    </>
  );
}

/** The roles to choose from: a role on one game has no effect unless it is higher than the one in the organisation. */
function rolesFor({ organisation_role: inOrganisation }: Member): readonly GameRole[] {
  return GAME_ROLES.filter((role) => inOrganisation === null || !isAtLeast(inOrganisation, role));
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
    <ConfirmDialog
      title={`Remove ${member.name}?`}
      confirmLabel="Remove"
      isBusy={removing.isPending}
      error={removing.error}
      onConfirm={() => removing.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        {member.name} and their agents lose access to {game.name} immediately. They keep anything they copied, such as
        the deploy key. If they know it, create a new one. To add them again, send another invitation.
      </Text>
    </ConfirmDialog>
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
    <ConfirmDialog
      title={`Leave ${game.name}?`}
      confirmLabel="Leave game"
      isBusy={leaving.isPending}
      error={leaving.error}
      onConfirm={() => leaving.mutate()}
      onClose={onClose}
    >
      <Text size="sm">You and your agents lose access immediately. Only an owner can invite you again.</Text>
    </ConfirmDialog>
  );
}
