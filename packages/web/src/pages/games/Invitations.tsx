// Invitations to administer a game that nobody has accepted yet, and the form that sends another.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  inviteAdmin,
  listInvitations,
  resendInvitation,
  withdrawInvitation,
} from '@chauffeur/contract/operations/invitations';
import { Button, Group, Stack, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { OpenGame } from './use-game.ts';

export type Invitation = OutputOf<typeof listInvitations>['invitations'][number];
type Change = { kind: 'invite'; email: string } | { kind: 'resend' | 'withdraw'; invitation: Invitation };

export function Invitations({ game }: { game: OpenGame }) {
  const uid = game.game_uid;
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(ask(listInvitations, { uid }));
  const changing = useMutation({
    mutationFn: async (change: Change): Promise<unknown> => {
      if (change.kind === 'invite') return call(inviteAdmin, { uid, email: change.email });
      const target = { uid, invitation_uid: change.invitation.invitation_uid };
      return change.kind === 'resend' ? call(resendInvitation, target) : call(withdrawInvitation, target);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [listInvitations.id] }),
  });
  const { variables } = changing;
  const open = data?.invitations.filter(({ role }) => role === 'admin') ?? [];
  return (
    <Section title="Invite an admin">
      <Stack gap="md">
        <InviteForm
          busy={changing.isPending && variables?.kind === 'invite'}
          onInvite={(email) => changing.mutateAsync({ kind: 'invite', email })}
        />
        <div role="status">
          {changing.isSuccess && variables !== undefined && <Text size="sm">{describeChange(variables)}</Text>}
        </div>
        {changing.error !== null && variables !== undefined && (
          <Problem error={changing.error} again={() => changing.mutate(variables)} />
        )}
        {error !== null && <Problem error={error} again={() => void refetch()} />}
        {open.length > 0 && (
          <InvitationTable
            invitations={open}
            busy={changing.isPending}
            onChange={(kind, invitation) => changing.mutate({ kind, invitation })}
          />
        )}
      </Stack>
    </Section>
  );
}

function describeChange(change: Change): string {
  if (change.kind === 'invite') return `We sent an invitation to ${change.email}. It expires in 7 days.`;
  const { email } = change.invitation;
  return change.kind === 'resend'
    ? `We sent the invitation to ${email} again. The link in the earlier mail no longer works.`
    : `The invitation to ${email} was removed.`;
}

function InviteForm({ busy, onInvite }: { busy: boolean; onInvite: (email: string) => Promise<unknown> }) {
  const [email, setEmail] = useState('');
  return (
    <form
      aria-label="Invite an admin"
      onSubmit={(event) => {
        event.preventDefault();
        // The error is shown above the list.
        onInvite(email.trim()).then(
          () => setEmail(''),
          () => undefined,
        );
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Email"
          type="email"
          required
          maxLength={LIMITS.emailLength}
          miw={240}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy}>
          Send invitation
        </Button>
      </Group>
    </form>
  );
}

const STATES: Readonly<Record<Invitation['status'], { tone: Tone; word: string }>> = {
  pending: { tone: 'busy', word: 'Pending' },
  expired: { tone: 'none', word: 'Expired' },
  declined: { tone: 'bad', word: 'Declined' },
};

type InvitationTableProps = {
  invitations: readonly Invitation[];
  busy: boolean;
  onChange: (kind: 'resend' | 'withdraw', invitation: Invitation) => void;
};

function InvitationTable({ invitations, busy, onChange }: InvitationTableProps) {
  return (
    <Table className={table.table} aria-label="Invitations">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Invited</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th visibleFrom="sm">Sent</Table.Th>
          <Table.Th>
            <VisuallyHidden>Change</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {invitations.map((invitation) => (
          <Table.Tr key={invitation.invitation_uid}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{invitation.email}</Table.Td>
            <Table.Td>
              <InvitationState invitation={invitation} />
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Time at={invitation.sent_at} />
            </Table.Td>
            <Table.Td ta="right">
              <Group gap="xs" justify="flex-end">
                {invitation.status !== 'declined' && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    disabled={busy}
                    aria-label={`Resend to ${invitation.email}`}
                    onClick={() => onChange('resend', invitation)}
                  >
                    Resend
                  </Button>
                )}
                <Button
                  size="compact-xs"
                  variant="default"
                  disabled={busy}
                  aria-label={`${invitation.status === 'pending' ? 'Withdraw' : 'Remove'} ${invitation.email}`}
                  onClick={() => onChange('withdraw', invitation)}
                >
                  {invitation.status === 'pending' ? 'Withdraw' : 'Remove'}
                </Button>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** With the time until which it can be accepted. */
export function InvitationState({ invitation: { status, expires_at: end } }: { invitation: Invitation }) {
  const { tone, word } = STATES[status];
  return (
    <Group gap={6}>
      <StateBadge tone={tone}>{word}</StateBadge>
      {status === 'pending' && (
        <Text span size="sm" c="dimmed">
          expires <Time at={end} />
        </Text>
      )}
    </Group>
  );
}
