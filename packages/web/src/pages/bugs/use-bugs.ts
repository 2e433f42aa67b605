// The tickets of a game: listed, and marked, with the way back.
import { getBugTicket, listBugTickets, updateBugTicket } from '@chauffeur/contract/operations/bugs';
import { summarizeGames } from '@chauffeur/contract/operations/overview';
import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import type { BugStatus, Shown, Ticket } from './bug-status.ts';

const PAGE = 50;

export function bugsQuery(gameUid: string, shown: Shown) {
  return infiniteQueryOptions({
    queryKey: [listBugTickets.id, { uid: gameUid, shown }],
    queryFn: ({ pageParam: cursor, signal }) =>
      call(
        listBugTickets,
        { uid: gameUid, limit: PAGE, ...(shown !== 'all' && { status: shown }), ...(cursor !== '' && { cursor }) },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}

export type Mark = {
  readonly status: BugStatus /** Where it came from, for the way back. */;
  readonly before: BugStatus;
};

export function useMarkBug(gameUid: string, shown: Shown, bugUid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ status }: Mark) => call(updateBugTicket, { uid: gameUid, bug_uid: bugUid, status }),
    onSuccess: (marked: Ticket) => {
      queries.setQueryData(ask(getBugTicket, { uid: gameUid, bug_uid: bugUid }).queryKey, marked);
      // In the list that is open it stays where it is: whoever goes through it does not lose their place.
      queries.setQueryData(bugsQuery(gameUid, shown).queryKey, (before) =>
        before === undefined
          ? before
          : {
              ...before,
              pages: before.pages.map((page) => ({
                ...page,
                bugs: page.bugs.map((bug) => (bug.bug_uid === marked.bug_uid ? marked : bug)),
              })),
            },
      );
      void queries.invalidateQueries({ queryKey: [listBugTickets.id], refetchType: 'none' });
      void queries.invalidateQueries({ queryKey: [summarizeGames.id] });
    },
  });
}
