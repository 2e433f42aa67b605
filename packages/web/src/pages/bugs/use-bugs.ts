// Loads the bug tickets of a game, and changes them.
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import { createTicketIssue, getBugTicket, listBugTickets, updateBugTicket } from '@chauffeur/contract/operations/bugs';
import { summarizeGames } from '@chauffeur/contract/operations/overview';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, call, pagesQuery } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { session } from '../../session.ts';
import { usePages } from '../../ui/PagedTable.tsx';
import type { Arrivals } from '../../ui/ShowMore.tsx';
import { readStatusFilter, type StatusFilter, type Ticket } from './bug-status.ts';

const PAGE_SIZE = 50;
const POLL_MS = 15_000;

/** What the list shows. An empty text means no filter. `assignee` is the id of a person. */
export type BugFilter = {
  readonly status: StatusFilter;
  readonly label: string;
  readonly text: string;
  readonly assignee: string;
};

/** The filter in the address of the page. */
export function useBugFilter({ status, label = '', q = '', mine }: BugSearch): BugFilter {
  const { data: person } = useQuery(session);
  return {
    status: readStatusFilter(status),
    label,
    text: q,
    assignee: mine === undefined ? '' : (person?.id ?? ''),
  };
}

type BugSearch = { readonly [name in 'status' | 'label' | 'q' | 'mine']?: string | undefined };

const listInput = (gameUid: string, { status, label, text, assignee }: BugFilter) => ({
  uid: gameUid,
  limit: PAGE_SIZE,
  ...(status !== 'all' && { status }),
  ...(label !== '' && { label }),
  ...(text !== '' && { text }),
  ...(assignee !== '' && { assignee }),
});

export function useBugs(gameUid: string, filter: BugFilter) {
  return usePages(listBugTickets, listInput(gameUid, filter), (page) => page.bugs);
}

type Page = OutputOf<typeof listBugTickets>;

/** The tickets that were filed since the list was loaded. They are added when the reader asks for them. */
export function useNewBugs(
  gameUid: string,
  filter: BugFilter,
  list: ReturnType<typeof useBugs>,
  first: Page,
): Arrivals {
  const { data } = useQuery({
    ...ask(listBugTickets, listInput(gameUid, filter)),
    initialData: first,
    staleTime: POLL_MS,
    refetchInterval: useLiveInterval(POLL_MS),
    meta: follow('bugs'),
  });
  const shown = new Set(list.rows?.map(({ bug_uid }) => bug_uid));
  const arrivals = data.bugs.filter(({ bug_uid }) => !shown.has(bug_uid)).length;
  return {
    arrivals,
    hasMoreArrivals: arrivals === data.bugs.length && data.next_cursor !== null,
    showNew: list.retry,
  };
}

type Changes = Omit<InputOf<typeof updateBugTicket>, 'uid' | 'bug_uid'>;
/** A change of a ticket, the message after it, and the change that undoes it. */
export type TicketChange = {
  readonly change: Changes;
  /** Creates an issue in the tracker instead, and links it. */
  readonly createsIssue?: boolean;
  readonly message: string;
  readonly undo: Changes;
  /** The ticket after the change that this one undoes. */
  readonly undoes?: Ticket;
};
export type ChangedTicket = { readonly bug: Ticket; readonly message: string; readonly undo: TicketChange | null };
export type ChangeTicket = ReturnType<typeof useTicketChange>;

/** Changes a ticket that was opened from the list with this filter. */
export function useTicketChange(gameUid: string, filter: BugFilter, bugUid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ change, createsIssue, message, undo, undoes }: TicketChange): Promise<ChangedTicket> => {
      const ticket = { uid: gameUid, bug_uid: bugUid };
      const current = undoes === undefined ? undefined : await call(getBugTicket, ticket);
      if (undoes !== undefined && current !== undefined && !isSameIn(change, undoes, current))
        return { bug: current, message: "Someone else has changed this since, so it wasn't undone.", undo: null };
      if (createsIssue) {
        const bug = await call(createTicketIssue, ticket);
        // The issue stays in the tracker, so undoing this removes its link, and undoing that links it again.
        const unlink = { change: undo, message: 'Link to the issue removed.', undo: { issue_url: bug.issue_url } };
        return { bug, message, undo: { ...unlink, undoes: bug } };
      }
      const bug = await call(updateBugTicket, { ...ticket, ...change });
      return { bug, message, undo: { change: undo, message: 'Change undone.', undo: change, undoes: bug } };
    },
    onSuccess: ({ bug: changed }) => {
      queries.setQueryData(
        ask(getBugTicket, { uid: gameUid, bug_uid: bugUid }).queryKey,
        (shown) => shown && { ...shown, ...changed },
      );
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

/** Whether two states of a ticket are the same in what a change changes. */
function isSameIn(change: Changes, a: Ticket, b: Ticket): boolean {
  const valuesOf = ({ group, duplicate_of, assignee, ...others }: Ticket): Record<string, unknown> => ({
    ...others,
    assignee: assignee?.user_id ?? null,
    group_id: group?.group_id,
    duplicate_of: duplicate_of?.bug_uid,
  });
  const [before, after] = [valuesOf(a), valuesOf(b)];
  return Object.keys(change).every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]));
}
