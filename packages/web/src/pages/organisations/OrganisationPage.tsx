// An organisation: its games, its members with their roles, its invitations and its name.
import { getOrganisation } from '@chauffeur/contract/operations/organisations';
import { isAtLeast, ROLES } from '@chauffeur/contract/roles';
import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { RowLink } from '../../ui/RowLink.tsx';
import { Section } from '../../ui/Section.tsx';
import { VISIBILITIES } from '../../ui/states.ts';
import { MemberInvitations } from './MemberInvitations.tsx';
import { Members } from './Members.tsx';
import { OrganisationSettings } from './OrganisationSettings.tsx';
import type { Organisation } from './organisation.ts';
import { SignInRequirement } from './SignInRequirement.tsx';

const route = getRouteApi('/signed-in/org/$organisation');

export function OrganisationPage() {
  const { organisation: ref } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(ask(getOrganisation, { organisation: ref }));
  return (
    <Stack gap="lg">
      <PageHead title={data?.name ?? 'Organisation'} />
      {isPending && <Skeleton h={240} />}
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <Parts organisation={data} />}
    </Stack>
  );
}

const REQUIRED = {
  second_factor: 'Everyone must sign in with a second factor.',
  single_sign_on: 'Everyone must use single sign-on.',
} as const;

function Parts({ organisation }: { organisation: Organisation }) {
  const { role, required_sign_in: required } = organisation;
  return (
    <>
      <Text size="sm">
        Your role is {ROLES[role].label.toLowerCase()}. {required !== null && REQUIRED[required]}
      </Text>
      <Section title="Games">
        <DataTable
          label="Games"
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
      {isAtLeast(role, 'admin') && <MemberInvitations organisation={organisation} />}
      {role === 'owner' && <SignInRequirement organisation={organisation} />}
      {role === 'owner' && <OrganisationSettings organisation={organisation} />}
    </>
  );
}
