// Paged lists of crash groups and reports that follow changes while someone reads them. Rows are updated in place, and
// new rows are added on request, so that nothing moves under the pointer.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listCrashes } from '@chauffeur/contract/operations/crash-reports';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api.ts';
import { useListPosition } from '../../frame/going-back.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import type { PagedList } from '../../ui/PagedTable.tsx';
import type { Arrivals } from '../../ui/ShowMore.tsx';
import { type LiveRow, mergeFresh } from '../../ui/table-rows.ts';

const POLL_MS = 5000;

type Page<Item> = { readonly items: readonly Item[]; readonly next: string | null };

type LiveListOptions<Item> = {
  /** The operation and its input. */
  queryKey: readonly [operation: string, ...input: unknown[]];
  loadPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>;
  idOf: (item: Item) => string;
};

export type LiveList<Item> = PagedList<LiveRow<Item>> & Arrivals;

/**
 * The component must get a new `key` when the list is replaced by another one, for example because a filter changed.
 */
export function useLiveList<Item>({ queryKey, loadPage, idOf }: LiveListOptions<Item>): LiveList<Item> {
  const refetchInterval = useLiveInterval(POLL_MS);
  const head = useQuery({
    queryKey: [...queryKey, 'head'],
    queryFn: ({ signal }) => loadPage(undefined, signal),
    refetchInterval,
    meta: follow('crashes'),
  });
  const position = useListPosition<{ first: Page<Item> | undefined; wantsMore: boolean }>(JSON.stringify(queryKey));
  const [first, setFirst] = useState<Page<Item> | undefined>(position.restored?.first);
  const [wantsMore, setWantsMore] = useState(position.restored?.wantsMore ?? false);
  const { save } = position;
  useEffect(() => save({ first, wantsMore }), [save, first, wantsMore]);
  // An empty list is filled immediately, because it has no rows that could move.
  if (head.data !== undefined && (first === undefined || (first.items.length === 0 && head.data.items.length > 0)))
    setFirst(head.data);
  const rest = useInfiniteQuery({
    queryKey: [...queryKey, 'rest', first?.next],
    queryFn: ({ pageParam, signal }) => loadPage(pageParam, signal),
    initialPageParam: first?.next ?? '',
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled: wantsMore,
  });
  const shown = [...(first?.items ?? []), ...(wantsMore ? (rest.data?.pages ?? []) : []).flatMap(({ items }) => items)];
  const merged = mergeFresh(distinct(shown, idOf), head.data?.items ?? [], { idOf, isWhole: head.data?.next === null });
  return {
    rows: first === undefined ? undefined : merged.rows,
    arrivals: merged.arrivals,
    hasMoreArrivals: merged.hasMore,
    isLoading: head.isPending,
    error: head.error ?? rest.error,
    retry: () => void Promise.all([head.refetch(), ...(wantsMore ? [rest.refetch()] : [])]),
    showNew: () => {
      setWantsMore(false);
      setFirst(head.data);
    },
    hasNext: wantsMore && rest.data !== undefined ? rest.hasNextPage : first !== undefined && first.next !== null,
    isLoadingNext: wantsMore && rest.isFetching && !rest.isRefetching,
    showNext: () => (wantsMore ? void rest.fetchNextPage() : setWantsMore(true)),
  };
}

/** A group that occurs again between two requests may be on two pages. */
function distinct<Item>(items: readonly Item[], idOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [idOf(item), item])).values()];
}

export type ListedReport = OutputOf<typeof listCrashes>['crashes'][number];
type ReportsInput = Omit<Parameters<typeof call<typeof listCrashes>>[1], 'cursor'>;

/** Crash reports, newest first, as a list that follows new ones. */
export function useReports(input: ReportsInput): LiveList<ListedReport> {
  return useLiveList({
    queryKey: [listCrashes.id, input],
    loadPage: async (cursor, signal) => {
      const page = await call(listCrashes, { ...input, ...(cursor !== undefined && { cursor }) }, signal);
      return { items: page.crashes, next: page.next_cursor };
    },
    idOf: ({ crash_id }) => crash_id,
  });
}

export function formatShowNewReports(count: number, isAtLeast: boolean): string {
  if (isAtLeast) return `Show ${count} or more new reports`;
  return count === 1 ? 'Show 1 new report' : `Show ${count} new reports`;
}
