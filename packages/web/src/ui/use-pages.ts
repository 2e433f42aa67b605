// A list that the API returns in pages with a cursor: its rows so far, its totals, and how to load the next page.
//
// How to build a list page (pages/operator/UsersPage.tsx is the model):
// 1. Keep the filters in the URL. The route validates them (`validateSearch` in router.tsx), the page reads them with
//    `route.useSearch()` and writes them with `route.useNavigate()`.
// 2. Pass them to `usePages` as the input of the operation. A different input is a different list: the query key contains
//    it, so the list starts again from the first page. No page writes a query key, a cursor or an abort signal itself.
// 3. Describe the columns as data (`Column<Row>[]`, see DataTable.tsx).
// 4. Render `<PagedTable list={…} columns={…} empty={…} more="Show older keys" />`. It shows the error with a retry button,
//    the skeleton, the empty state, the rows, and the button for the next page. A list that is not a table uses
//    the parts: `list.error`, `list.rows`, `<ShowMore list={list}>`.
//
// After a change, invalidate the list with `queries.invalidateQueries({ queryKey: [listAgentKeys.id] })`.
import type { InputOf, Operation, OutputOf } from '@chauffeur/contract/operation';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { pagesQuery } from '../api.ts';

/** What a list needs to offer its next page; see ShowMore.tsx. */
export type NextPage = {
  readonly hasNext: boolean;
  readonly isLoadingNext: boolean;
  readonly showNext: () => void;
};

export type PagedList<Row> = NextPage & {
  /** The rows of all loaded pages; undefined until the first page has arrived. */
  readonly rows: readonly Row[] | undefined;
  /** True while no rows can be shown yet, and while rows of an earlier input are shown. */
  readonly isLoading: boolean;
  readonly error: Error | null;
  /** Repeats the request that failed. */
  readonly retry: () => void;
};

type PagesOptions = {
  /** Milliseconds after which all loaded pages are requested again. */
  refetchInterval?: number;
  /**
   * Keeps the rows of the previous input until those of a new one arrive, such as while someone types in a search box.
   */
  keepsPreviousRows?: boolean;
};

/**
 * Loads an operation that returns `next_cursor`, page by page. `rowsOf` picks the rows from a page. `firstPage` is for
 * totals and other fields that the operation returns alongside its rows.
 */
export function usePages<Op extends Operation, Row>(
  operation: Op,
  input: Omit<InputOf<Op>, 'cursor'>,
  rowsOf: (page: OutputOf<Op>) => readonly Row[],
  { refetchInterval, keepsPreviousRows = false }: PagesOptions = {},
): PagedList<Row> & { readonly firstPage: OutputOf<Op> | undefined } {
  const query = useInfiniteQuery({
    ...pagesQuery(operation, input),
    ...(refetchInterval !== undefined && { refetchInterval }),
    ...(keepsPreviousRows && { placeholderData: keepPreviousData }),
  });
  const showNext = () => void query.fetchNextPage();
  return {
    rows: query.data?.pages.flatMap(rowsOf),
    firstPage: query.data?.pages[0],
    isLoading: query.isPending || query.isPlaceholderData,
    error: query.error,
    retry: query.isFetchNextPageError ? showNext : () => void query.refetch(),
    hasNext: query.hasNextPage,
    isLoadingNext: query.isFetchingNextPage,
    showNext,
  };
}
