// The dialog that creates a game from its name and then opens it.
import { createGame, listGames } from '@chauffeur/contract/operations/games';
import { listOrganisations } from '@chauffeur/contract/operations/organisations';
import { isAtLeast } from '@chauffeur/contract/roles';
import { slugOf } from '@chauffeur/contract/slug';
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SlugField } from './SlugField.tsx';

export function CreateGame({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  /** Empty while the slug that is derived from the name is used. */
  const [slug, setSlug] = useState('');
  /** Empty for the person's own organisation. */
  const [organisation, setOrganisation] = useState('');
  const { data } = useQuery(ask(listOrganisations, {}));
  const choices = data?.organisations.filter(({ role, personal }) => isAtLeast(role, 'admin') && !personal) ?? [];
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: () =>
      call(createGame, { name, ...(slug !== '' && { slug }), ...(organisation !== '' && { organisation }) }),
    onSuccess: async (game) => {
      void queries.invalidateQueries({ queryKey: [listGames.id] });
      await navigate({ to: '/dev/$slug', params: { slug: game.slug } });
    },
  });
  return (
    <Dialog title="Create game" onClose={onClose}>
      <form
        aria-label="Create game"
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate();
        }}
      >
        <Stack gap="md">
          {creating.error !== null && <Problem error={creating.error} />}
          <TextInput
            data-field="name"
            label="Name"
            description="Shown to players. You can change it later."
            required
            maxLength={255}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <SlugField value={slug} proposed={name.trim() === '' ? '' : slugOf(name)} onChange={setSlug} />
          {choices.length > 0 && (
            <NativeSelect
              data-field="organisation"
              label="Organisation"
              description="Its members get access to the game."
              data={[
                { value: '', label: 'Your own' },
                ...choices.map(({ organisation_uid: value, name: label }) => ({ value, label })),
              ]}
              value={organisation}
              onChange={(event) => setOrganisation(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={creating.isPending}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
