// Resolves a group or opens it again, and knows how to take that back.
import { getCrashGroup, listCrashGroups, updateCrashGroup } from '@chauffeur/contract/operations/crashes';
import { summarizeGames } from '@chauffeur/contract/operations/overview';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';

/** `fixedIn` null: resolved, in no version that is named. */
export type Resolution = { readonly status: 'open' } | { readonly status: 'resolved'; readonly fixedIn: string | null };

export type Resolved = { readonly says: string; readonly undo: Resolution };

type Group = { group_id: string; status: 'open' | 'resolved'; fixed_in_version: string | null };

const CHANGED = [listCrashGroups.id, getCrashGroup.id, summarizeGames.id];

export function useResolve(gameUid: string, group: Group) {
  const queries = useQueryClient();
  const { group_id, status, fixed_in_version: fixedIn } = group;
  return useMutation({
    mutationFn: async (wanted: Resolution): Promise<Resolved> => {
      const version = wanted.status === 'resolved' ? wanted.fixedIn : null;
      await call(updateCrashGroup, {
        uid: gameUid,
        group_id,
        status: wanted.status,
        ...(version !== null && { fixed_in_version: version }),
      });
      return { says: say(wanted), undo: status === 'open' ? { status } : { status, fixedIn } };
    },
    onSuccess: () => Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] }))),
  });
}

function say(wanted: Resolution): string {
  if (wanted.status === 'open') return 'The group is open.';
  return wanted.fixedIn === null
    ? 'The group is resolved. A report of a build that is registered from now on opens it again.'
    : `The group is resolved as fixed in ${wanted.fixedIn}. A report of that version or of a later build opens it again.`;
}
