// The organisations that the signed-in person is a member of, with a button that creates another one.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listOrganisations } from '@chauffeur/contract/operations/organisations';
import { ROLES } from '@chauffeur/contract/roles';
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { CreateOrganisation } from './CreateOrganisation.tsx';

type Organisation = OutputOf<typeof listOrganisations>['organisations'][number];

export function OwnOrganisations() {
  const { data, error, isPending, refetch } = useQuery(ask(listOrganisations, {}));
  const [isCreating, setCreating] = useState(false);
  return (
    <Section
      title="Organisations"
      actions={
        <Button size="xs" variant="default" onClick={() => setCreating(true)}>
          Create organisation
        </Button>
      }
    >
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <DataTable
        label="Organisations"
        columns={COLUMNS}
        rows={data?.organisations}
        rowKey={({ organisation_uid: uid }) => uid}
        isLoading={isPending}
        skeletonRows={1}
        empty={<Text size="sm">You get one with your first game, or create one for a studio.</Text>}
      />
      {isCreating && <CreateOrganisation onClose={() => setCreating(false)} />}
    </Section>
  );
}

/** Names are no row links: j and k move between the games above. */
const COLUMNS: Column<Organisation>[] = [
  {
    header: 'Organisation',
    overflow: 'anywhere',
    cell: ({ organisation_uid: uid, slug, name }) => (
      <SiteLink to="/org/$organisation" params={{ organisation: slug ?? uid }}>
        {name}
      </SiteLink>
    ),
  },
  { header: 'Your role', cell: ({ role }) => ROLES[role].label },
  { header: 'Games', align: 'right', cell: ({ games }) => games },
  { header: 'Members', align: 'right', cell: ({ members }) => members },
];
