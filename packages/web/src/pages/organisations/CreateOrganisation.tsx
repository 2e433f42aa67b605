// The dialog that creates an organisation and then opens it.
import { LIMITS } from '@chauffeur/contract/limits';
import { createOrganisation, listOrganisations } from '@chauffeur/contract/operations/organisations';
import { Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';

export function CreateOrganisation({ onClose }: { onClose: () => void }) {
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
