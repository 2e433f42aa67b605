// The dialog that marks a bug ticket as fixed: in which version, and whether the player gets an email.
import { LIMITS } from '@chauffeur/contract/limits';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { Checkbox, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ask } from '../../api.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { formatItems } from '../../ui/format.ts';
import { useGame } from '../games/use-game.ts';
import { stateOf, type Ticket } from './bug-status.ts';
import type { ChangeTicket } from './use-bugs.ts';

type FixDialogProps = { bug: Ticket; change: ChangeTicket; onClose: () => void };

/** The number of newest builds whose versions are suggested as the one with the fix. */
const MAX_BUILDS = 100;

export function FixDialog({ bug, change, onClose }: FixDialogProps) {
  const { game_uid: uid } = useGame();
  const { data } = useQuery(ask(listGameBuilds, { uid, page_size: MAX_BUILDS }));
  const versions = [...new Set(data?.builds.map((build) => build.version))];
  const [version, setVersion] = useState('');
  const [notifies, setNotifies] = useState(true);
  const [error, setError] = useState<Error | null>(null);
  const list = useId();
  const fixedIn = version.trim();
  const duplicates = bug.duplicates.length;
  const canNotify = bug.can_reply || duplicates > 0;
  const save = () => {
    setError(null);
    change.mutate(
      {
        change: {
          status: 'fixed',
          ...(fixedIn !== '' && { fixed_in_version: fixedIn }),
          ...(canNotify && notifies && { notify_player: true }),
        },
        message: fixedIn === '' ? 'Ticket marked as fixed.' : `Ticket marked as fixed in ${fixedIn}.`,
        undo: stateOf(bug),
      },
      {
        onSuccess: onClose,
        onError: (cause) => {
          setError(cause);
          // The page below must not show the error as well.
          change.reset();
        },
      },
    );
  };
  return (
    <FormDialog
      title={`Mark #${bug.number} as fixed`}
      submitLabel="Mark as fixed"
      isBusy={change.isPending}
      error={error}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        data-field="fixed_in_version"
        label="Fixed in version"
        description="The player sees it. It can be a version that isn't released yet; leave it empty if you don't know."
        maxLength={LIMITS.versionLength}
        value={version}
        list={list}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setVersion(event.currentTarget.value)}
      />
      <datalist id={list}>
        {versions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {canNotify && (
        <Checkbox
          label={
            duplicates === 0
              ? 'Email the player'
              : `Email the player, and those who filed ${formatItems(duplicates, 'duplicate')}`
          }
          description={
            bug.gets_mail || duplicates > 0
              ? 'The email contains your name and the version.'
              : "They haven't confirmed their email address yet. The email asks them to."
          }
          checked={notifies}
          onChange={(event) => setNotifies(event.currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}
