// The dialog that deletes a game's event files from before a day.
import { deleteEventFiles, getEventFiles, listEventFiles } from '@chauffeur/contract/operations/event-files';
import { Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';

export function DeleteFiles({ uid, onClose }: { uid: string; onClose: () => void }) {
  const [before, setBefore] = useState(new Date().toISOString().slice(0, 10));
  const queries = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => call(deleteEventFiles, { uid, before }),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: [getEventFiles.id] });
      await queries.invalidateQueries({ queryKey: [listEventFiles.id] });
    },
  });
  return (
    <ConfirmDialog
      title="Delete event files?"
      confirmLabel="Delete files"
      isBusy={deletion.isPending}
      error={deletion.error}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <TextInput
        type="date"
        label="Delete the files of all days before"
        value={before}
        onChange={({ currentTarget }) => setBefore(currentTarget.value)}
      />
      <Text size="sm">
        The files are deleted in the background and not written again. This cannot be undone. Launch health and counts
        stay.
      </Text>
    </ConfirmDialog>
  );
}
