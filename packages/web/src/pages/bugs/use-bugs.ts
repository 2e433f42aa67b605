// Loads the bug tickets of a game, and changes their status.
import { getBugTicket, listBugTickets, updateBugTicket } from '@chauffeur/contract/operations/bugs';
import { summarizeGames } from '@chauffeur/contract/operations/overview';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ask, call, pagesQuery } from '../../api.ts';
import { usePages } from '../../ui/use-pages.ts';
import type { BugStatus, StatusFilter, Ticket } from './bug-status.ts';

const PAGE_SIZE = 50;

const listInput = (gameUid: string, filter: StatusFilter) => ({
  uid: gameUid,
  limit: PAGE_SIZE,
  ...(filter !== 'all' && { status: filter }),
});

export function useBugs(gameUid: string, filter: StatusFilter) {
  return usePages(listBugTickets, listInput(gameUid, filter), (page) => page.bugs);
}

export type StatusChange = {
  readonly status: BugStatus;
  /** The status before the change, to undo it. */
  readonly previous: BugStatus;
};

/** Changes the status of a ticket that was opened from the list with this filter. */
export function useStatusChange(gameUid: string, filter: StatusFilter, bugUid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ status }: StatusChange) => call(updateBugTicket, { uid: gameUid, bug_uid: bugUid, status }),
    onSuccess: (changed: Ticket) => {
      queries.setQueryData(ask(getBugTicket, { uid: gameUid, bug_uid: bugUid }).queryKey, changed);
      // The ticket stays in the open list, even if the filter no longer matches, so that readers keep their place.
      queries.setQueryData(pagesQuery(listBugTickets, listInput(gameUid, filter)).queryKey, (list) =>
        list === undefined
          ? list
          : {
              ...list,
              pages: list.pages.map((page) => ({
                ...page,
                bugs: page.bugs.map((bug) => (bug.bug_uid === changed.bug_uid ? changed : bug)),
              })),
            },
      );
      void queries.invalidateQueries({ queryKey: [listBugTickets.id], refetchType: 'none' });
      void queries.invalidateQueries({ queryKey: [summarizeGames.id] });
    },
  });
}
