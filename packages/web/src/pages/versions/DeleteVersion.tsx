// The dialog that deletes all builds of a version at once, or none of them. It lists the consequences, and asks for the
// version.
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { listChannelMoves, listChannels } from '@chauffeur/contract/operations/channels';
import { listRejectedUploads } from '@chauffeur/contract/operations/files';
import { listGames } from '@chauffeur/contract/operations/games';
import { deleteVersion, getVersionDeletion, listVersions } from '@chauffeur/contract/operations/versions';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { ConfirmName, DeleteDialog } from '../../ui/Dialog.tsx';
import type { OpenGame } from '../games/use-game.ts';

type DeleteVersionProps = {
  readonly game: OpenGame;
  readonly version: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
};

const CHANGED = [listChannels, listChannelMoves, listGameBuilds, listRejectedUploads, listGames, listVersions];

export function DeleteVersion({ game, version, onClose, onDeleted }: DeleteVersionProps) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  // Always loaded again: the decision must be based on what is true now.
  const preview = useQuery({
    ...ask(getVersionDeletion, { uid: game.game_uid, version }),
    staleTime: 0,
    gcTime: 0,
  });
  const deletion = useMutation({
    mutationFn: () => call(deleteVersion, { uid: game.game_uid, version }),
    onSuccess: async () => {
      onDeleted();
      await Promise.all(CHANGED.map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
    },
  });
  return (
    <DeleteDialog
      title={`Delete ${version}?`}
      label="Delete version"
      preview={preview}
      previewHeight={160}
      deletion={deletion}
      isSure={typed.trim() === version}
      onClose={onClose}
    >
      <ConfirmName name={version} typed={typed} onType={setTyped} />
    </DeleteDialog>
  );
}
