// The members of an organisation. Admins change roles and remove members; everyone can leave.
import {
  getOrganisation,
  leaveOrganisation,
  listOrganisations,
  removeMember,
  setMemberRole,
} from '@chauffeur/contract/operations/organisations';
import { ROLE_SUMMARIES } from '@chauffeur/contract/role-summaries';
import { mayGrant, ROLE_NAMES, ROLES, type Role } from '@chauffeur/contract/roles';
import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { session } from '../../session.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { RoleSelect } from '../../ui/RoleSelect.tsx';
import type { Organisation } from './organisation.ts';

type Member = Organisation['member_list'][number];

export function Members({ organisation }: { organisation: Organisation }) {
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
    {
      header: 'Person',
      cell: ({ name, email }) => (
        <>
          <strong>{name}</strong>{' '}
          <Text span size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {email}
          </Text>
        </>
      ),
    },
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
