// An organisation: its games, its members with their roles, its invitations and its name.
import {
  getOrganisationSignIn,
  inviteMember,
  listMemberInvitations,
  resendMemberInvitation,
  updateOrganisation,
  withdrawMemberInvitation,
} from '@chauffeur/contract/operations/organisations';
import { mayGrant, ROLE_NAMES, type Role } from '@chauffeur/contract/roles';
import { Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { RowLink } from '../../ui/SiteLink.tsx';
import { VISIBILITIES } from '../../ui/states.ts';
import { type Change, InvitationParts } from '../games/Invitations.tsx';
import { Members } from './Members.tsx';
import { OrganisationFrame } from './OrganisationFrame.tsx';
import { OrganisationSettings } from './OrganisationSettings.tsx';
import type { Organisation } from './organisation.ts';
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
          empty={<Text size="sm">No games yet. Create one on the page of your games.</Text>}
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
