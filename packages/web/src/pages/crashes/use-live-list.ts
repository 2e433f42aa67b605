// A list that comes in pages and is followed while it is looked at: what is new waits until it is asked for.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mergeFresh } from './merge-fresh.ts';

const REFRESH_MS = 2500;

type Page<Item> = { readonly items: readonly Item[]; readonly next: string | null };

type LiveListOptions<Item> = {
  /** Under which it is kept: the operation, and what is asked of it. */
  queryKey: readonly [operation: string, ...input: unknown[]];
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>;
  idOf: (item: Item) => string;
};

/** For one list: a component whose list becomes another has to be made anew, by its key. */
export function useLiveList<Item>({ queryKey, load, idOf }: LiveListOptions<Item>) {
  const head = useQuery({
    queryKey: [...queryKey, 'head'],
    queryFn: ({ signal }) => load(undefined, signal),
    refetchInterval: REFRESH_MS,
  });
  const [first, setFirst] = useState<Page<Item>>();
  const [wantsMore, setWantsMore] = useState(false);
  // Where nothing stands, nothing can jump.
  if (head.data !== undefined && (first === undefined || (first.items.length === 0 && head.data.items.length > 0)))
    setFirst(head.data);
  const rest = useInfiniteQuery({
    queryKey: [...queryKey, 'rest', first?.next],
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: first?.next ?? '',
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled: wantsMore,
  });
  const shown = [...(first?.items ?? []), ...(wantsMore ? (rest.data?.pages ?? []) : []).flatMap(({ items }) => items)];
  const merged = mergeFresh(distinct(shown, idOf), head.data?.items ?? [], { idOf, isWhole: head.data?.next === null });
  return {
    ...merged,
    isPending: head.isPending,
    error: head.error ?? rest.error,
    again: () => void Promise.all([head.refetch(), ...(wantsMore ? [rest.refetch()] : [])]),
    showNew: () => {
      setWantsMore(false);
      setFirst(head.data);
    },
    hasNext: wantsMore && rest.data !== undefined ? rest.hasNextPage : first !== undefined && first.next !== null,
    isLoadingNext: wantsMore && rest.isFetching && !rest.isRefetching,
    showNext: () => (wantsMore ? void rest.fetchNextPage() : setWantsMore(true)),
  };
}

/** A group that is seen again meanwhile may be on two pages. */
function distinct<Item>(items: readonly Item[], idOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [idOf(item), item])).values()];
}

export type LiveList<Item> = ReturnType<typeof useLiveList<Item>>;
