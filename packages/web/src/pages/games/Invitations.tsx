// Open invitations to a game or an organisation, and the form that sends a new one.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  inviteAdmin,
  listInvitations,
  resendInvitation,
  withdrawInvitation,
} from '@chauffeur/contract/operations/invitations';
import { ROLES, type Role } from '@chauffeur/contract/roles';
import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { type UseMutationResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { RoleSelect } from '../../ui/RoleSelect.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from './use-game.ts';

export type Invitation = OutputOf<typeof listInvitations>['invitations'][number];
export type Change =
  | { kind: 'invite'; email: string; role: Role }
  | { kind: 'resend' | 'withdraw'; invitation: Invitation };
type Changing = UseMutationResult<unknown, Error, Change>;

/** The roles that someone can have on a single game. Its owners are those of its organisation. */
export const GAME_ROLES = ['viewer', 'triager', 'developer', 'admin'] as const;
export type GameRole = (typeof GAME_ROLES)[number];

export function Invitations({ game }: { game: OpenGame }) {
  const uid = game.game_uid;
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(ask(listInvitations, { uid }));
  const changing = useMutation({
    mutationFn: async (change: Change): Promise<unknown> => {
      if (change.kind === 'invite') {
        const role = GAME_ROLES.find((each) => each === change.role) ?? 'viewer';
        return call(inviteAdmin, { uid, email: change.email, role });
      }
      const target = { uid, invitation_uid: change.invitation.invitation_uid };
      return change.kind === 'resend' ? call(resendInvitation, target) : call(withdrawInvitation, target);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [listInvitations.id] }),
  });
  const open = data?.invitations.filter(({ role }) => role !== 'owner') ?? [];
  return (
    <>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <InvitationParts title="Invite to this game" roles={GAME_ROLES} invitations={open} changing={changing} />
    </>
  );
}

type InvitationPartsProps = {
  title: string;
  roles: readonly Role[];
  invitations: readonly Invitation[];
  changing: Changing;
};

/** The form and the list of open invitations, to a game or an organisation. */
export function InvitationParts({ title, roles, invitations, changing }: InvitationPartsProps) {
  const { variables } = changing;
  return (
    <Section title={title}>
      <Stack gap="md">
        <div>
          <InviteForm
            title={title}
            roles={roles}
            busy={changing.isPending && variables?.kind === 'invite'}
            error={variables?.kind === 'invite' ? changing.error : null}
            onInvite={(email, role) => changing.mutateAsync({ kind: 'invite', email, role })}
          />
          <Text size="sm" role="status" {...(changing.isSuccess && { mt: 'sm' })}>
            {changing.isSuccess && variables !== undefined && formatChange(variables)}
          </Text>
        </div>
        {changing.error !== null && variables !== undefined && variables.kind !== 'invite' && (
          <Problem error={changing.error} onRetry={() => changing.mutate(variables)} />
        )}
        {invitations.length > 0 && (
          <InvitationTable
            invitations={invitations}
            busy={changing.isPending}
            onChange={(kind, invitation) => changing.mutate({ kind, invitation })}
          />
        )}
      </Stack>
    </Section>
  );
}

function formatChange(change: Change): string {
  if (change.kind === 'invite') return `We sent an invitation to ${change.email}. It expires in 7 days.`;
  const { email } = change.invitation;
  return change.kind === 'resend'
    ? `We sent the invitation to ${email} again. The link in the earlier email no longer works.`
    : `The invitation to ${email} was removed.`;
}

type InviteFormProps = {
  title: string;
  roles: readonly Role[];
  busy: boolean;
  error: Error | null;
  onInvite: (email: string, role: Role) => Promise<unknown>;
};

function InviteForm({ title, roles, busy, error, onInvite }: InviteFormProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>(roles.includes('developer') ? 'developer' : 'viewer');
  return (
    <form
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        // The error is a property.
        onInvite(email.trim(), role).then(
          () => setEmail(''),
          () => undefined,
        );
      }}
    >
      <Stack gap="sm" align="flex-start">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm" w="100%" maw={640}>
          <TextInput
            data-field="email"
            label="Email"
            type="email"
            required
            maxLength={LIMITS.emailLength}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <RoleSelect label="Role" value={role} roles={roles} onChange={setRole} />
        </SimpleGrid>
        {error !== null && <Problem error={error} />}
        <Button type="submit" loading={busy}>
          Send invitation
        </Button>
      </Stack>
    </form>
  );
}

const STATES: Readonly<Record<Invitation['status'], { tone: Tone; label: string }>> = {
  pending: { tone: 'busy', label: 'Pending' },
  expired: { tone: 'none', label: 'Expired' },
  declined: { tone: 'bad', label: 'Declined' },
};

type InvitationTableProps = {
  invitations: readonly Invitation[];
  busy: boolean;
  onChange: (kind: 'resend' | 'withdraw', invitation: Invitation) => void;
};

function InvitationTable({ invitations, busy, onChange }: InvitationTableProps) {
  const columns: Column<Invitation>[] = [
    { header: 'Email', width: '12rem', overflow: 'anywhere', cell: ({ email }) => <strong>{email}</strong> },
    { header: 'Role', cell: ({ role }) => ROLES[role].label },
    { header: 'State', cell: (invitation) => <InvitationState invitation={invitation} /> },
    { header: 'Sent', cell: ({ sent_at }) => <Time at={sent_at} />, overflow: 'nowrap' },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (invitation) => <InvitationButtons invitation={invitation} busy={busy} onChange={onChange} />,
    },
  ];
  return (
    <DataTable
      label="Invitations"
      columns={columns}
      rows={invitations}
      rowKey={({ invitation_uid }) => invitation_uid}
    />
  );
}

type InvitationButtonsProps = Omit<InvitationTableProps, 'invitations'> & { invitation: Invitation };

function InvitationButtons({ invitation, busy, onChange }: InvitationButtonsProps) {
  const { email, status } = invitation;
  const isPending = status === 'pending';
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {status !== 'declined' && (
        <Button
          size="compact-xs"
          variant="default"
          disabled={busy}
          aria-label={`Resend to ${email}`}
          onClick={() => onChange('resend', invitation)}
        >
          Resend
        </Button>
      )}
      <Button
        size="compact-xs"
        variant="default"
        disabled={busy}
        aria-label={isPending ? `Withdraw ${email}` : `Remove ${email}`}
        onClick={() => onChange('withdraw', invitation)}
      >
        {isPending ? 'Withdraw' : 'Remove'}
      </Button>
    </Group>
  );
}

/** The state of an invitation, and when a pending one expires. */
export function InvitationState({ invitation: { status, expires_at: end } }: { invitation: Invitation }) {
  const { tone, label } = STATES[status];
  return (
    <Group gap={6}>
      <StateBadge tone={tone}>{label}</StateBadge>
      {status === 'pending' && (
        <Text span size="sm" c="dimmed">
          Expires <Time at={end} />
        </Text>
      )}
    </Group>
  );
}
