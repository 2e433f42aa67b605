// An organisation: its games, its members with their roles, its invitations and its name.
import {
  getOrganisationSignIn,
  listMemberInvitations,
  updateOrganisation,
} from '@chauffeur/contract/operations/organisations';
import { Text } from '@mantine/core';
import { DataTable } from '../../ui/DataTable.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { RowLink } from '../../ui/RowLink.tsx';
import { Section } from '../../ui/Section.tsx';
import { VISIBILITIES } from '../../ui/states.ts';
import { MemberInvitations } from './MemberInvitations.tsx';
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
