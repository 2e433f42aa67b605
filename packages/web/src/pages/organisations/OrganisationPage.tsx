// An organisation: its games, its members with their roles, its invitations and its name.
import { LIMITS } from '@chauffeur/contract/limits';
import {
  deleteOrganisation,
  getOrganisation,
  getOrganisationSignIn,
  inviteMember,
  leaveOrganisation,
  listMemberInvitations,
  listOrganisations,
  removeMember,
  resendMemberInvitation,
  setMemberRole,
  updateOrganisation,
  withdrawMemberInvitation,
} from '@chauffeur/contract/operations/organisations';
import { mayGrant, ROLE_NAMES, ROLE_SUMMARIES, ROLES, type Role } from '@chauffeur/contract/roles';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { session } from '../../session.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { PERSON_COLUMN, RoleSelect } from '../../ui/RoleSelect.tsx';
import { RowLink, SiteLink } from '../../ui/SiteLink.tsx';
import { VISIBILITIES } from '../../ui/states.ts';
import { UnsavedChanges } from '../../ui/UnsavedWarning.tsx';
import { type Change, InvitationParts } from '../games/Invitations.tsx';
import { type Organisation, OrganisationFrame } from './OrganisationFrame.tsx';
import { SignInRequirement } from './SignInRequirement.tsx';

export function OrganisationPage() {
  return (
    <OrganisationFrame route="/signed-in/org/$organisation" part="Overview">
      {(organisation) => <Parts organisation={organisation} />}
    </OrganisationFrame>
  );
}

function Parts({ organisation }: { organisation: Organisation }) {
  return (
    <>
      <Section title="Games">
        <DataTable
          label="Games"
          keepsColumns
          columns={[
            {
              header: 'Game',
              cell: ({ slug, name }) => (
                <RowLink to="/dev/$slug" params={{ slug }}>
                  {name}
                </RowLink>
              ),
            },
            { header: 'Visibility', cell: ({ visibility }) => VISIBILITIES[visibility].label },
          ]}
          rows={organisation.game_list}
          rowKey={({ game_uid }) => game_uid}
          empty={
            <Text size="sm">
              No games yet. Create one under <SiteLink to="/dev">Your games</SiteLink>.
            </Text>
          }
        />
      </Section>
      <Members organisation={organisation} />
      <Permitted operation={listMemberInvitations}>
        <MemberInvitations organisation={organisation} />
      </Permitted>
      <Permitted operation={getOrganisationSignIn}>
        <SignInRequirement organisation={organisation} />
      </Permitted>
      <Permitted operation={updateOrganisation}>
        <OrganisationSettings key={organisation.organisation_uid} organisation={organisation} />
      </Permitted>
    </>
  );
}

/** Open invitations to an organisation, and the form that sends a new one. */
function MemberInvitations({ organisation }: { organisation: Organisation }) {
  const uid = organisation.organisation_uid;
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(ask(listMemberInvitations, { organisation: uid }));
  const changing = useMutation({
    mutationFn: async (change: Change): Promise<unknown> => {
      if (change.kind === 'invite')
        return call(inviteMember, { organisation: uid, email: change.email, role: change.role });
      const target = { organisation: uid, invitation_uid: change.invitation.invitation_uid };
      return change.kind === 'resend' ? call(resendMemberInvitation, target) : call(withdrawMemberInvitation, target);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [listMemberInvitations.id] }),
  });
  const roles: readonly Role[] = ROLE_NAMES.filter((role) => mayGrant(organisation.role, role));
  return (
    <>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <InvitationParts
        title="Invite a member"
        roles={roles}
        invitations={data?.invitations ?? []}
        changing={changing}
      />
    </>
  );
}

/** Renames an organisation, sets its address, and deletes it once it has no games. */
function OrganisationSettings({ organisation }: { organisation: Organisation }) {
  const { organisation_uid: uid, games } = organisation;
  const [name, setName] = useState(organisation.name);
  const [slug, setSlug] = useState(organisation.slug ?? '');
  const [isDeleting, setDeleting] = useState(false);
  const isChanged = name !== organisation.name || slug !== (organisation.slug ?? '');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const saving = useMutation({
    mutationFn: () => call(updateOrganisation, { organisation: uid, name, slug: slug === '' ? null : slug }),
    onSuccess: async (saved) => {
      await navigate({
        to: '/org/$organisation',
        params: { organisation: saved.slug ?? uid },
        replace: true,
        ignoreBlocker: true,
      });
      await queries.invalidateQueries({ queryKey: [listOrganisations.id] });
      await queries.invalidateQueries({ queryKey: [getOrganisation.id] });
    },
  });
  const deleting = useMutation({
    mutationFn: () => call(deleteOrganisation, { organisation: uid }),
    onSuccess: async () => {
      await navigate({ to: '/dev', ignoreBlocker: true });
      await queries.invalidateQueries({ queryKey: [listOrganisations.id] });
    },
  });
  return (
    <Section title="Settings">
      <form
        aria-label="Settings"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Stack gap="md" maw={480}>
          <TextInput
            data-field="name"
            label="Name"
            required
            maxLength={LIMITS.organisationNameLength}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            data-field="slug"
            label="Address"
            description={`${location.host}/org/${slug || uid}`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            pattern="[a-z0-9][a-z0-9\-]{1,62}[a-z0-9]"
            title="3 to 64 lowercase letters, digits and hyphens"
            value={slug}
            onChange={(event) => setSlug(event.currentTarget.value.toLowerCase())}
          />
          {saving.error !== null && <Problem error={saving.error} />}
          <Group gap="sm">
            <Button type="submit" loading={saving.isPending}>
              Save
            </Button>
            {games === 0 && (
              <Button variant="default" onClick={() => setDeleting(true)}>
                Delete organisation
              </Button>
            )}
          </Group>
          <div role="status">{saving.isSuccess && !isChanged && <Text size="sm">Saved.</Text>}</div>
          {games > 0 && (
            <Text size="sm" c="dimmed">
              To delete the organisation, move, transfer or delete its games first.
            </Text>
          )}
        </Stack>
        <UnsavedChanges isChanged={isChanged} name="organisation" />
      </form>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${organisation.name}?`}
          confirmLabel="Delete organisation"
          isBusy={deleting.isPending}
          error={deleting.error}
          onConfirm={() => deleting.mutate()}
          onClose={() => setDeleting(false)}
        >
          <Text size="sm">Its members and open invitations are removed. It has no games.</Text>
        </ConfirmDialog>
      )}
    </Section>
  );
}

type Member = Organisation['member_list'][number];

/** The members of an organisation. Admins change roles and remove members; everyone can leave. */
function Members({ organisation }: { organisation: Organisation }) {
  const queries = useQueryClient();
  const { data: person } = useQuery(session);
  const [selected, setSelected] = useState<Member | null>(null);
  const changing = useMutation({
    mutationFn: ({ member, role }: { member: Member; role: Role }) =>
      call(setMemberRole, { organisation: organisation.organisation_uid, user_id: member.user_id, role }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [getOrganisation.id] }),
  });
  const own = organisation.role;
  const offered = ROLE_NAMES.filter((role) => mayGrant(own, role));
  const columns: Column<Member>[] = [
    PERSON_COLUMN,
    {
      header: 'Role',
      cell: (member) =>
        mayGrant(own, member.role) ? (
          <RoleSelect
            label={`Role of ${member.name}`}
            value={member.role}
            roles={offered}
            isCompact
            isDisabled={changing.isPending}
            onChange={(role) => changing.mutate({ member, role })}
          />
        ) : (
          <span title={ROLE_SUMMARIES[member.role]}>{ROLES[member.role].label}</span>
        ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (member) => {
        const isOwn = member.user_id === person?.id;
        if (!isOwn && !mayGrant(own, member.role)) return null;
        return (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={isOwn ? 'Leave' : `Remove ${member.name}`}
            onClick={() => setSelected(member)}
          >
            {isOwn ? 'Leave' : 'Remove'}
          </Button>
        );
      },
    },
  ];
  return (
    <Section title="Members">
      <Permitted operation={setMemberRole} to="change this list">
        {null}
      </Permitted>
      {changing.error !== null && <Problem error={changing.error} />}
      <DataTable label="Members" columns={columns} rows={organisation.member_list} rowKey={({ user_id }) => user_id} />
      {selected !== null && (
        <EndMembership
          organisation={organisation}
          member={selected}
          isOwn={selected.user_id === person?.id}
          onClose={() => setSelected(null)}
        />
      )}
    </Section>
  );
}

type EndMembershipProps = { organisation: Organisation; member: Member; isOwn: boolean; onClose: () => void };

function EndMembership({ organisation, member, isOwn, onClose }: EndMembershipProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { organisation_uid: uid, name } = organisation;
  const ending = useMutation({
    mutationFn: async (): Promise<unknown> =>
      isOwn
        ? call(leaveOrganisation, { organisation: uid })
        : call(removeMember, { organisation: uid, user_id: member.user_id }),
    onSuccess: async () => {
      onClose();
      if (isOwn) await navigate({ to: '/dev' });
      await queries.invalidateQueries({ queryKey: [listOrganisations.id] });
      await queries.invalidateQueries({ queryKey: [getOrganisation.id] });
    },
  });
  return (
    <ConfirmDialog
      title={isOwn ? `Leave ${name}?` : `Remove ${member.name}?`}
      confirmLabel={isOwn ? 'Leave organisation' : 'Remove'}
      isBusy={ending.isPending}
      error={ending.error}
      onConfirm={() => ending.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        {isOwn ? 'You and your agents' : `${member.name} and their agents`} lose access to all games of {name}{' '}
        immediately, except for games on which they have their own role.
      </Text>
    </ConfirmDialog>
  );
}
