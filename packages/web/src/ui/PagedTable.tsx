// A table of a list with a cursor: the error if a page could not be loaded, the rows so far, and the button for the next page.
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { Problem } from './Problem.tsx';
import { ShowMore } from './ShowMore.tsx';
import type { PagedList } from './use-pages.ts';

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
