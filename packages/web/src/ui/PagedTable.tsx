// Lists that the API returns in pages: the hook that loads a list with a cursor, its table, and the buttons of a list
// with numbered pages.
//
// How to build a list page (pages/operator/UsersPage.tsx is the model):
// 1. Keep the filters in the URL. The route validates them (`validateSearch`), the page reads them with
//    `route.useSearch()` and writes them with `route.useNavigate()`.
// 2. Pass them to `usePages` as the input of the operation. A different input is a different list: the query key contains
//    it, so the list starts again from the first page. No page writes a query key, a cursor or an abort signal itself.
// 3. Describe the columns as data (`Column<Row>[]`, see DataTable.tsx).
// 4. Render `<PagedTable list={…} columns={…} empty={…} more="Show older keys" />`. It shows the error with a retry
//    button, the skeleton, the empty state, the rows, and the button for the next page. A list that isn't a table uses
//    the parts: `list.error`, `list.rows`, `<ShowMore list={list}>`.
//
// After a change, invalidate the list with `queries.invalidateQueries({ queryKey: [listAgentKeys.id] })`.
import { formatNumber } from '@chauffeur/contract/format';
import type { InputOf, Operation, OutputOf } from '@chauffeur/contract/operation';
import { Button, Group, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { pagesQuery } from '../api.ts';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { Problem } from './Problem.tsx';
import { type NextPage, ShowMore } from './ShowMore.tsx';

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

type PagedTableProps<Row> = Omit<DataTableProps<Row>, 'rows' | 'isLoading'> & {
  list: PagedList<Row>;
  /** The label of the button for the next page: `Show older builds`. */
  more: string;
};

export function PagedTable<Row>({ list, more, ...props }: PagedTableProps<Row>) {
  return (
    <>
      {list.error !== null && <Problem error={list.error} onRetry={list.retry} />}
      <DataTable rows={list.rows} isLoading={list.isLoading} {...props} />
      <ShowMore list={list}>{more}</ShowMore>
    </>
  );
}

type PagerProps = {
  pagination: { page: number; page_size: number; total: number };
  /** What the list holds: `build` and `builds`. */
  itemName: { readonly one: string; readonly other: string };
  onPage: (page: number) => void;
};

/** The previous and next buttons of a list with numbered pages, newest first. */
export function Pager({ pagination, itemName, onPage }: PagerProps) {
  const { page, page_size: size, total } = pagination;
  const last = Math.max(1, Math.ceil(total / size));
  if (last === 1) {
    return (
      <Text size="sm" c="dimmed">
        {formatNumber(total)} {total === 1 ? itemName.one : itemName.other}
      </Text>
    );
  }
  return (
    <Group component="nav" aria-label={`Pages of ${itemName.other}`} gap="sm">
      <Button size="xs" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Newer
      </Button>
      <Button size="xs" variant="default" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Older
      </Button>
      <Text size="sm" c="dimmed">
        {formatNumber((page - 1) * size + 1)}–{formatNumber(Math.min(total, page * size))} of {formatNumber(total)}{' '}
        {itemName.other}
      </Text>
    </Group>
  );
}
