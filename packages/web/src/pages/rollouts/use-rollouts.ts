// Starts, changes and reads rollouts.
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import { listChannelMoves, listChannels } from '@chauffeur/contract/operations/channels';
import {
  abortRollout,
  finishRollout,
  getRollout,
  listRollouts,
  pauseRollout,
  resumeRollout,
  setRolloutShare,
  startRollout,
} from '@chauffeur/contract/operations/rollouts';
import { getVersion, listVersions } from '@chauffeur/contract/operations/versions';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';

export type Rollout = OutputOf<typeof listRollouts>['rollouts'][number];
type Status = OutputOf<typeof startRollout>;
export type RolloutDetail = OutputOf<typeof getRollout>;

export type RolloutChange =
  | { readonly kind: 'pause' | 'resume' | 'finish' | 'abort' }
  | { readonly kind: 'share'; readonly share: number };

const CHANGED = [getRollout, listRollouts, listChannels, listChannelMoves, getVersion, listVersions].map(
  ({ id }) => id,
);

function useInvalidate() {
  const queries = useQueryClient();
  return () => Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] })));
}

export function useStartRollout(uid: string) {
  const invalidate = useInvalidate();
  return useMutation({
    mutationFn: (input: Omit<InputOf<typeof startRollout>, 'uid'>) => call(startRollout, { uid, ...input }),
    onSuccess: invalidate,
  });
}

export function useRolloutChange(uid: string, rolloutId: string) {
  const invalidate = useInvalidate();
  return useMutation({
    mutationFn: (change: RolloutChange) => run({ uid, rollout_id: rolloutId }, change),
    // The rollout is loaded again after a refusal as well, because it has then changed in the meantime.
    onSettled: invalidate,
  });
}

function run(ref: { uid: string; rollout_id: string }, change: RolloutChange): Promise<Status> {
  switch (change.kind) {
    case 'pause':
      return call(pauseRollout, ref);
    case 'resume':
      return call(resumeRollout, ref);
    case 'share':
      return call(setRolloutShare, { ...ref, share: change.share });
    case 'finish':
      return call(finishRollout, ref);
    case 'abort':
      return call(abortRollout, ref);
  }
}

/** The versions that the channel offered when the rollout began. */
export function basesOf({ builds }: Rollout): string {
  return [...new Set(builds.map(({ base_version }) => base_version))].join(', ');
}
