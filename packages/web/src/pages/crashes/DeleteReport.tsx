// The dialog that deletes a report; it lists what is deleted with it.
import { deleteCrash, getCrashGroup, listCrashes, listCrashGroups } from '@chauffeur/contract/operations/crashes';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import type { OpenGame } from '../games/use-game.ts';
import type { Crash } from './use-crash.ts';

type DeleteReportProps = {
  game: OpenGame;
  crash: Crash;
  onClose: () => void;
  onDeleting: (isDeleting: boolean) => void;
  onDeleted: () => void;
};

const CHANGED = [listCrashes.id, listCrashGroups.id, getCrashGroup.id];

export function DeleteReport({ game, crash, onClose, onDeleting, onDeleted }: DeleteReportProps) {
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => call(deleteCrash, { uid: game.game_uid, crash_id: crash.crash_id }),
    onMutate: () => onDeleting(true),
    onError: () => onDeleting(false),
    onSuccess: async () => {
      onDeleted();
      await Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] })));
    },
  });
  const files = [...crash.available, ...(crash.attachments.length > 0 ? ['attachments'] : [])];
  return (
    <ConfirmDialog
      title="Delete this report?"
      confirmLabel="Delete report"
      isBusy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        {`This permanently deletes the report for everyone who works on ${game.name}. Its group loses one report; a group without reports is deleted too.`}
      </Text>
      {files.length > 0 && <Text size="sm">{`Files deleted with it: ${files.join(', ')}.`}</Text>}
    </ConfirmDialog>
  );
}
