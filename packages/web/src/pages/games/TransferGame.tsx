// Offers a game to another owner by email, and shows the offer until it is accepted, declined or withdrawn.
import { LIMITS } from '@chauffeur/contract/limits';
import {
  listInvitations,
  offerTransfer,
  resendInvitation,
  withdrawInvitation,
} from '@chauffeur/contract/operations/invitations';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Facts } from '../../ui/Facts.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { PasswordField } from '../accounts/AccountFields.tsx';
import { type Invitation, InvitationState } from './Invitations.tsx';
import type { OpenGame } from './use-game.ts';

const EFFECTS = [
  'The new owner must accept by email. Until then nothing changes, and you can withdraw the offer.',
  'Builds, players, the store page and admins are kept. You become an admin.',
  'The deploy key and the symbol upload address are revoked. Create a new key for CI afterwards.',
  'Open invitations are withdrawn. Pending approvals go to the new owner.',
];

export function TransferGame({ game }: { game: OpenGame }) {
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
