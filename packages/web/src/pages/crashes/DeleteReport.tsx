// Deletes a report, after saying what is lost with it.
import { deleteCrash, getCrashGroup, listCrashes, listCrashGroups } from '@chauffeur/contract/operations/crashes';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import type { OpenGame } from '../games/use-game.ts';
import type { Crash } from './use-crash.ts';

type DeleteReportProps = { game: OpenGame; crash: Crash; onClose: () => void; onDeleted: () => void };

const CHANGED = [listCrashes.id, listCrashGroups.id, getCrashGroup.id];

export function DeleteReport({ game, crash, onClose, onDeleted }: DeleteReportProps) {
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => call(deleteCrash, { uid: game.game_uid, crash_id: crash.crash_id }),
    onSuccess: async () => {
      onDeleted();
      await Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] })));
    },
  });
  const files = crash.available.map((kind) => `its ${kind}`);
  const lost = files.length === 0 ? 'the report' : `the report, ${files.join(', ').replace(/, ([^,]*)$/, ' and $1')}`;
  return (
    <ConfirmDialog
      title="Delete this report?"
      does="Delete it"
      isBusy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        This deletes {lost} for everyone who works on {game.name}. Its group counts one report less, and goes when this
        was its last. It cannot be brought back.
      </Text>
    </ConfirmDialog>
  );
}
