// Renames an organisation, sets its address, and deletes it once it has no games.
import { LIMITS } from '@chauffeur/contract/limits';
import {
  deleteOrganisation,
  getOrganisation,
  listOrganisations,
  updateOrganisation,
} from '@chauffeur/contract/operations/organisations';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UnsavedChanges } from '../../ui/UnsavedWarning.tsx';
import type { Organisation } from './organisation.ts';

export function OrganisationSettings({ organisation }: { organisation: Organisation }) {
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
