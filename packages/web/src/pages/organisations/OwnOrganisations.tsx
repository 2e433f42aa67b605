// The organisations that the signed-in person is a member of, with a button that creates another one.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { createOrganisation, listOrganisations } from '@chauffeur/contract/operations/organisations';
import { ROLES } from '@chauffeur/contract/roles';
import { Button, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

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

/** Names are not row links, because j and k move between the games above. */
const COLUMNS: Column<Organisation>[] = [
  {
    header: 'Organisation',
    overflow: 'anywhere',
    cell: ({ organisation_uid: uid, slug, name }) => (
      <SiteLink to="/org/$organisation" params={{ organisation: slug ?? uid }} fw={600}>
        {name}
      </SiteLink>
    ),
  },
  { header: 'Your role', cell: ({ role }) => ROLES[role].label },
  { header: 'Games', align: 'right', cell: ({ games }) => games },
  { header: 'Members', align: 'right', cell: ({ members }) => members },
];

/** The dialog that creates an organisation and then opens it. */
function CreateOrganisation({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: () => call(createOrganisation, { name, ...(slug !== '' && { slug }) }),
    onSuccess: async ({ slug: address, organisation_uid: uid }) => {
      await navigate({ to: '/org/$organisation', params: { organisation: address ?? uid } });
      await queries.invalidateQueries({ queryKey: [listOrganisations.id] });
    },
  });
  return (
    <FormDialog
      title="Create organisation"
      submitLabel="Create"
      isBusy={creating.isPending}
      error={creating.error}
      onSubmit={() => creating.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        An organisation owns games. Its members have their role on all of them. You become its owner.
      </Text>
      <TextInput
        data-field="name"
        label="Name"
        required
        maxLength={LIMITS.organisationNameLength}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        data-field="slug"
        label="Address"
        description={slug === '' ? 'You can choose it later.' : `${location.host}/org/${slug}`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        pattern="[a-z0-9][a-z0-9\-]{1,62}[a-z0-9]"
        title="3 to 64 lowercase letters, digits and hyphens"
        value={slug}
        onChange={(event) => setSlug(event.currentTarget.value.toLowerCase())}
      />
    </FormDialog>
  );
}
