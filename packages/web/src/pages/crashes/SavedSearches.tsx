// The searches that the members of the game saved, and the dialog that saves the current one.
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  type CrashView,
  deleteCrashSearch,
  listCrashSearches,
  saveCrashSearch,
} from '@chauffeur/contract/operations/crash-searches';
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { offerUndo } from '../../frame/undo.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { useGame } from '../games/use-game.ts';

type Search = OutputOf<typeof listCrashSearches>['searches'][number];

type SavedSearchesProps = {
  query: string;
  view: CrashView;
  onOpen: (query: string, view: CrashView) => void;
};

export function SavedSearches({ query, view, onOpen }: SavedSearchesProps) {
  const { game_uid: uid } = useGame();
  const queries = useQueryClient();
  const { data } = useQuery(ask(listCrashSearches, { uid }));
  const [isSaving, setSaving] = useState(false);
  const searches = data?.searches ?? [];
  const current = searches.find((search) => search.query === query && search.view === view);
  const reload = () => queries.invalidateQueries({ queryKey: [listCrashSearches.id] });
  const deleting = useMutation({
    mutationFn: ({ search_uid }: Search) => call(deleteCrashSearch, { uid, search_uid }),
    onSuccess: (_, { name, query: deleted, view: of }) => {
      offerUndo({
        message: `The search ${name} was deleted.`,
        undo: async () => {
          await call(saveCrashSearch, { uid, name, query: deleted, view: of });
          await reload();
        },
      });
      return reload();
    },
  });
  return (
    <Group gap="xs">
      {searches.length > 0 && (
        <NativeSelect
          aria-label="Saved searches"
          size="xs"
          maw={200}
          value={current?.search_uid ?? ''}
          data={[
            { value: '', label: 'Saved searches' },
            ...searches.map(({ search_uid, name }) => ({ value: search_uid, label: name })),
          ]}
          onChange={({ currentTarget: { value } }) => {
            const chosen = searches.find(({ search_uid }) => search_uid === value);
            if (chosen !== undefined) onOpen(chosen.query, chosen.view);
          }}
        />
      )}
      <Permitted operation={saveCrashSearch}>
        {current === undefined ? (
          <Button size="xs" variant="default" disabled={query === ''} onClick={() => setSaving(true)}>
            Save search
          </Button>
        ) : (
          <Button size="xs" variant="default" loading={deleting.isPending} onClick={() => deleting.mutate(current)}>
            Delete search
          </Button>
        )}
      </Permitted>
      {isSaving && <SaveDialog uid={uid} query={query} view={view} onSaved={reload} onClose={() => setSaving(false)} />}
    </Group>
  );
}

type SaveDialogProps = {
  uid: string;
  query: string;
  view: CrashView;
  onSaved: () => Promise<unknown>;
  onClose: () => void;
};

function SaveDialog({ uid, query, view, onSaved, onClose }: SaveDialogProps) {
  const [name, setName] = useState('');
  const saving = useMutation({
    mutationFn: () => call(saveCrashSearch, { uid, name: name.trim(), query, view }),
    onSuccess: async () => {
      await onSaved();
      onClose();
    },
  });
  return (
    <FormDialog
      title="Save search"
      submitLabel="Save search"
      isBusy={saving.isPending}
      isDisabled={name.trim() === ''}
      error={saving.error}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <Text size="sm" ff="monospace">
        {query}
      </Text>
      <TextInput
        data-field="name"
        label="Name"
        description="All members of the game see it. A search with the same name is replaced."
        required
        withAsterisk={false}
        maxLength={80}
        value={name}
        autoComplete="off"
        data-autofocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </FormDialog>
  );
}
