// Changes crash groups, and undoes the last change.
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import { getCrashGroup, listCrashGroups } from '@chauffeur/contract/operations/crash-groups';
import { listCrashes } from '@chauffeur/contract/operations/crash-reports';
import { listSimilarGroups } from '@chauffeur/contract/operations/crash-stacks';
import { createCrashGroupIssue } from '@chauffeur/contract/operations/issue-tracker';
import { summarizeGames } from '@chauffeur/contract/operations/overview';
import {
  changeCrashGroups,
  listCrashGroupActivity,
  mergeCrashGroups,
  splitCrashGroup,
  undoCrashGroupChange,
  unmergeCrashGroups,
  updateCrashGroup,
} from '@chauffeur/contract/operations/triage';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { useGame } from '../games/use-game.ts';

export type GroupDetail = OutputOf<typeof getCrashGroup>;

type Input<Op extends Parameters<typeof call>[0]> = Omit<InputOf<Op>, 'uid'>;

/** A new status of groups, and the message for when it is set, such as "resolved in the next build". */
export type StatusChange = Omit<InputOf<typeof changeCrashGroups>, 'uid' | 'group_ids'>;
export type GroupStatusAction = (change: StatusChange, done: string) => Action;

type Action =
  | { readonly kind: 'update'; readonly input: Input<typeof updateCrashGroup>; readonly message: string }
  | { readonly kind: 'change'; readonly input: Input<typeof changeCrashGroups>; readonly message: string }
  | { readonly kind: 'merge'; readonly input: Input<typeof mergeCrashGroups>; readonly message: string }
  | { readonly kind: 'unmerge'; readonly input: Input<typeof unmergeCrashGroups>; readonly message: string }
  | { readonly kind: 'split'; readonly input: Input<typeof splitCrashGroup>; readonly message: string }
  | { readonly kind: 'issue'; readonly input: Input<typeof createCrashGroupIssue>; readonly message: string }
  | { readonly kind: 'undo' | 'redo'; readonly changeUid: string };

export type Done = {
  readonly message: string;
  /** Null if there is nothing to undo. */
  readonly changeUid: string | null;
  readonly isUndone: boolean;
  /** The group that the action led to. */
  readonly groupId?: string;
};

const CHANGED = [
  listCrashGroups.id,
  getCrashGroup.id,
  listCrashGroupActivity.id,
  listSimilarGroups.id,
  listCrashes.id,
  summarizeGames.id,
];

export type Triage = ReturnType<typeof useTriage>;

export function useTriage() {
  const { game_uid: uid } = useGame();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (action: Action) => run(uid, action),
    onSuccess: () => Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] }))),
  });
}

/**
 * Makes the change of a dialog with a form, which closes once the change was made, and otherwise shows why it was not.
 */
export function useTriageForm(triage: Triage, onDone: () => void) {
  const [error, setError] = useState<Error | null>(null);
  const submit = (action: Action) => {
    setError(null);
    triage.mutate(action, {
      onSuccess: onDone,
      onError: (cause) => {
        setError(cause);
        // The page below must not show the error as well.
        triage.reset();
      },
    });
  };
  return { error, isBusy: triage.isPending, submit };
}

async function run(uid: string, action: Action): Promise<Done> {
  switch (action.kind) {
    case 'undo':
    case 'redo': {
      const { change_uid: changeUid, skipped } = await call(undoCrashGroupChange, {
        uid,
        change_uid: action.changeUid,
      });
      return { message: formatUndone(action.kind, skipped), changeUid, isUndone: action.kind === 'undo' };
    }
    case 'merge': {
      const { change_uid: changeUid, group_id: groupId } = await call(mergeCrashGroups, { uid, ...action.input });
      return { message: action.message, changeUid, isUndone: false, groupId };
    }
    case 'split': {
      const { change_uid: changeUid, group_id: groupId } = await call(splitCrashGroup, { uid, ...action.input });
      return { message: action.message, changeUid, isUndone: false, groupId };
    }
    default: {
      const { change_uid: changeUid } = await callOf(uid, action);
      return { message: action.message, changeUid, isUndone: false };
    }
  }
}

function callOf(
  uid: string,
  action: Extract<Action, { kind: 'update' | 'change' | 'unmerge' | 'issue' }>,
): Promise<{ change_uid: string | null }> {
  if (action.kind === 'update') return call(updateCrashGroup, { uid, ...action.input });
  if (action.kind === 'change') return call(changeCrashGroups, { uid, ...action.input });
  if (action.kind === 'issue') return call(createCrashGroupIssue, { uid, ...action.input });
  return call(unmergeCrashGroups, { uid, ...action.input });
}

function formatUndone(kind: 'undo' | 'redo', skipped: number): string {
  const done = kind === 'undo' ? 'Change undone.' : 'Change made again.';
  if (skipped === 0) return done;
  if (skipped === 1) return `${done} One group has changed since and was left as it is.`;
  return `${done} ${skipped} groups have changed since and were left as they are.`;
}
