// Resolves or reopens a crash group, and returns how to undo it.
import { getCrashGroup, listCrashGroups, updateCrashGroup } from '@chauffeur/contract/operations/crashes';
import { summarizeGames } from '@chauffeur/contract/operations/overview';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';

/** `fixedIn` is null if the group is resolved without a version. */
export type Resolution = { readonly status: 'open' } | { readonly status: 'resolved'; readonly fixedIn: string | null };

export type Resolved = { readonly message: string; readonly undo: Resolution };

type Group = { group_id: string; status: 'open' | 'resolved'; fixed_in_version: string | null };

const CHANGED = [listCrashGroups.id, getCrashGroup.id, summarizeGames.id];

export function useResolve(gameUid: string, group: Group) {
  const queries = useQueryClient();
  const { group_id, status, fixed_in_version: fixedIn } = group;
  return useMutation({
    mutationFn: async (resolution: Resolution): Promise<Resolved> => {
      const version = resolution.status === 'resolved' ? resolution.fixedIn : null;
      await call(updateCrashGroup, {
        uid: gameUid,
        group_id,
        status: resolution.status,
        ...(version !== null && { fixed_in_version: version }),
      });
      return { message: formatResolution(resolution), undo: status === 'open' ? { status } : { status, fixedIn } };
    },
    onSuccess: () => Promise.all(CHANGED.map((id) => queries.invalidateQueries({ queryKey: [id] }))),
  });
}

function formatResolution(resolution: Resolution): string {
  if (resolution.status === 'open') return 'Group reopened.';
  return resolution.fixedIn === null
    ? 'Group resolved. A report from a build registered after this moment reopens it.'
    : `Group resolved as fixed in ${resolution.fixedIn}. A report from that version or a later build reopens it.`;
}
