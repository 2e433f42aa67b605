// The dialog that creates an organisation and then opens it.
import { LIMITS } from '@chauffeur/contract/limits';
import { createOrganisation, listOrganisations } from '@chauffeur/contract/operations/organisations';
import { Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogButtons } from '../../ui/DialogButtons.tsx';
import { Problem } from '../../ui/Problem.tsx';

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
    <Dialog title="Create organisation" onClose={onClose}>
      <form
        aria-label="Create organisation"
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate();
        }}
      >
        <Stack gap="md">
          <Text size="sm">
            An organisation owns games. Its members have their role on all of them. You become its owner.
          </Text>
          {creating.error !== null && <Problem error={creating.error} />}
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
          <DialogButtons submitLabel="Create" isBusy={creating.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
