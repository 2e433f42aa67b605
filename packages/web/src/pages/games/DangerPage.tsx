// Actions that change who owns a game: moving it, transferring it, and deleting it.
import { LIMITS } from '@chauffeur/contract/limits';
import { deleteGame, getGameDeletion } from '@chauffeur/contract/operations/deletion';
import { getGame, listGames } from '@chauffeur/contract/operations/games';
import {
  listInvitations,
  offerTransfer,
  resendInvitation,
  withdrawInvitation,
} from '@chauffeur/contract/operations/invitations';
import { getOrganisation, listOrganisations, moveGame } from '@chauffeur/contract/operations/organisations';
import { Button, Group, List, NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { ConfirmDialog, ConfirmName, DeleteDialog } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { PageHead, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { PasswordField } from '../accounts/AccountForm.tsx';
import { changesOfMove } from './changes-of-move.ts';
import { type Invitation, InvitationState } from './Invitations.tsx';
import { type OpenGame, useGame } from './use-game.ts';

export function DangerPage() {
  const game = useGame();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Stack gap="xl">
      <PageHead title="Danger zone" tabTitle={`Danger zone · ${game.name}`} />
      <MoveGame game={game} />
      <TransferGame game={game} />
      <Section title="Delete game">
        <Text size="sm">
          {`Permanently deletes ${game.name} with its builds, store page, crash reports, events and bug tickets, for you and everyone else.`}
        </Text>
        <Group>
          <Button color="red.9" onClick={() => setDeleting(true)}>
            Delete game
          </Button>
        </Group>
      </Section>
      {isDeleting && <DeleteGame game={game} onClose={() => setDeleting(false)} />}
    </Stack>
  );
}

const EFFECTS = [
  'The new owner must accept by email. Until then nothing changes, and you can withdraw the offer.',
  'Builds, players, the store page and admins are kept. You become an admin.',
  'The deploy key and the symbol server URL are revoked. Create a new key for CI afterwards.',
  'Open invitations are withdrawn. Pending approvals go to the new owner.',
];

/** Offers a game to another owner by email, and shows the offer until it is accepted, declined or withdrawn. */
function TransferGame({ game }: { game: OpenGame }) {
  const uid = game.game_uid;
  const { data, error, refetch } = useQuery(ask(listInvitations, { uid }));
  const offers = data?.invitations.filter(({ role }) => role === 'owner') ?? [];
  const [offer] = offers;
  return (
    <Section title="Transfer game">
      <Stack gap="md">
        <ul style={{ margin: 0, paddingInlineStart: 20 }}>
          {EFFECTS.map((line) => (
            <Text key={line} component="li" size="sm">
              {line}
            </Text>
          ))}
        </ul>
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        {offer !== undefined && <Offer key={offer.invitation_uid} uid={uid} offer={offer} />}
        {data !== undefined && offer?.status !== 'pending' && <OfferForm uid={uid} />}
      </Stack>
    </Section>
  );
}

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [listInvitations.id] });
}

function Offer({ uid, offer }: { uid: string; offer: Invitation }) {
  const target = { uid, invitation_uid: offer.invitation_uid };
  const refresh = useRefresh();
  const resending = useMutation({ mutationFn: () => call(resendInvitation, target), onSuccess: refresh });
  const withdrawing = useMutation({ mutationFn: () => call(withdrawInvitation, target), onSuccess: refresh });
  const problem = resending.error ?? withdrawing.error;
  return (
    <Stack gap="sm" role="status">
      <Facts
        facts={[
          ['Offered to', offer.email],
          ['State', <InvitationState key="state" invitation={offer} />],
        ]}
      />
      {problem !== null && <Problem error={problem} />}
      {resending.isSuccess && <Text size="sm">We sent the email again. The earlier link no longer works.</Text>}
      <Group gap="sm">
        {offer.status !== 'declined' && (
          <Button size="xs" variant="default" loading={resending.isPending} onClick={() => resending.mutate()}>
            Resend
          </Button>
        )}
        <Button size="xs" variant="default" loading={withdrawing.isPending} onClick={() => withdrawing.mutate()}>
          {offer.status === 'pending' ? 'Withdraw offer' : 'Remove offer'}
        </Button>
      </Group>
    </Stack>
  );
}

function OfferForm({ uid }: { uid: string }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const refresh = useRefresh();
  const offering = useMutation({
    mutationFn: () => call(offerTransfer, { uid, email: email.trim(), password }),
    onSuccess: refresh,
  });
  return (
    <form
      aria-label="Transfer game"
      onSubmit={(event) => {
        event.preventDefault();
        offering.mutate();
      }}
    >
      <Stack gap="sm" maw={360}>
        <TextInput
          data-field="email"
          label="Email of the new owner"
          type="email"
          required
          maxLength={LIMITS.emailLength}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordField label="Your password" value={password} onChange={setPassword} />
        {offering.error !== null && <Problem error={offering.error} />}
        <Group>
          <Button type="submit" variant="default" loading={offering.isPending}>
            Offer game
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Moves a game to another organisation, after saying who gets and who loses access. */
function MoveGame({ game }: { game: OpenGame }) {
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
        <Text size="sm">
          You don't own another organisation. Create one under <SiteLink to="/dev">Your games</SiteLink>.
        </Text>
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

/** The dialog that deletes a game. It lists the consequences and asks for the game's name and the password. */
function DeleteGame({ game, onClose }: { game: OpenGame; onClose: () => void }) {
  const uid = game.game_uid;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  // The preview is always loaded again: the decision must be based on the current consequences.
  const preview = useQuery({ ...ask(getGameDeletion, { uid }), staleTime: 0, gcTime: 0 });
  const deletion = useMutation({
    mutationFn: () => call(deleteGame, { uid, name: typed, password }),
    onSuccess: async () => {
      await navigate({ to: '/dev' });
      // Cached results about the game are outdated.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      await queries.invalidateQueries();
    },
  });
  return (
    <DeleteDialog
      title={`Delete ${game.name}?`}
      label="Delete game"
      preview={preview}
      previewHeight={220}
      deletion={deletion}
      isSure={typed.trim() !== '' && password !== ''}
      onClose={onClose}
    >
      <ConfirmName name={game.name} typed={typed} onType={setTyped} />
      <PasswordField label="Your password" value={password} onChange={setPassword} />
    </DeleteDialog>
  );
}
