// A table whose columns are data. It has one look and one behaviour everywhere: dense rows, skeleton rows in the shape of
// the real ones, an empty state instead of an empty table, and columns that make room on narrow screens.
//
//   const columns: Column<Build>[] = [
//     { header: 'Version', cell: (build) => <RowLink to="…" params={{ … }}>{build.version}</RowLink> },
//     { header: 'Size', cell: (build) => <Bytes count={build.size} />, align: 'right', hiddenBelow: 'sm' },
//     { header: 'Change', isHeaderHidden: true, cell: (build) => <Button …>Delete</Button>, align: 'right' },
//   ];
//   <DataTable label="Builds" columns={columns} rows={data?.builds} rowKey={({ build_id }) => build_id} isLoading={isPending} />
//
// Columns that depend on nothing in the component are a constant of the module; others are made by a function, such as
// `buildColumns(slug)`. A list with a cursor uses `PagedTable` with the result of `usePages`.
import { Skeleton, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ScrollBox } from './ScrollBox.tsx';
import { type Sorting, sortRows, toggleSorting } from './sorting.ts';
import table from './table.module.css';

export type Column<Row> = {
  /** Unique within the table. */
  readonly header: string;
  /** For columns that need no visible header, such as one with buttons: screen readers still read it. */
  readonly isHeaderHidden?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the right, and so are buttons in the last column. */
  readonly align?: 'right';
  /** Pixels, or a CSS length. */
  readonly width?: number | string;
  /** Hides the column on screens narrower than this breakpoint. */
  readonly hiddenBelow?: 'sm' | 'md';
  /** `nowrap` keeps the text on one line, `anywhere` breaks long words, `ellipsis` cuts the text off (fixed layout only). */
  readonly overflow?: 'nowrap' | 'anywhere' | 'ellipsis';
  readonly className?: string | undefined;
  /** The tooltip of the cell: an exact value, or a text that may be cut off. */
  readonly title?: (row: Row) => string | undefined;
  /** Makes the header a button that sorts by this order. Only for tables that hold the whole list. */
  readonly compare?: (a: Row, b: Row) => number;
  /** Makes the header a button that sorts the whole list on the server, from the largest or newest value. */
  readonly order?: { readonly isSorted: boolean; readonly onSort: () => void };
};

export type DataTableProps<Row> = {
  /** The accessible name, such as `Builds`. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined until they are loaded, or if loading failed. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row, index: number) => string;
  /** Shows skeleton rows if there are no rows yet. */
  isLoading?: boolean;
  /** How many skeleton rows are shown: about as many as a typical list has. */
  skeletonRows?: number;
  /** Shown instead of a table without rows: what is missing, and what to do next. */
  empty?: ReactNode;
  /** Marks the row whose details are open. */
  isCurrent?: (row: Row) => boolean;
  /** Columns keep their widths whatever the rows contain. */
  isFixed?: boolean;
  /** On a phone, each row is a block with one line per column. For tables of which no column may be missing. */
  isStacked?: boolean;
};

export function DataTable<Row>({ rows, isLoading = false, empty = null, ...props }: DataTableProps<Row>) {
  if (rows === undefined && !isLoading) return null;
  if (rows?.length === 0) return empty;
  return (
    <ScrollBox label={props.label}>
      <FilledTable rows={rows} isLoading={isLoading} {...props} />
    </ScrollBox>
  );
}

function FilledTable<Row>(props: Omit<DataTableProps<Row>, 'empty'>) {
  const { label, columns, rows, rowKey, isLoading, skeletonRows = 5, isCurrent, isFixed = false, isStacked } = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  return (
    <Table
      className={isStacked === true ? `${table.table} ${table.stacked}` : table.table}
      role="table"
      layout={isFixed ? 'fixed' : 'auto'}
      aria-label={label}
      aria-busy={isLoading === true ? true : undefined}
    >
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <HeaderCell
              key={column.header}
              column={column}
              sorting={sorting}
              onSort={() => setSorting(toggleSorting(sorting, column.header))}
            />
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows === undefined && <SkeletonRows count={skeletonRows} columns={columns} />}
        {sortRows(rows ?? [], columns, sorting).map((row, index) => (
          <Table.Tr key={rowKey(row, index)} role="row" aria-current={isCurrent?.(row) === true ? 'true' : undefined}>
            {columns.map((column) => (
              <Table.Td
                key={column.header}
                {...layoutOf(column)}
                role="cell"
                data-label={column.isHeaderHidden === true ? undefined : column.header}
                className={classOf(column)}
                title={column.title?.(row)}
              >
                {column.cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

type HeaderCellProps<Row> = { column: Column<Row>; sorting: Sorting | null; onSort: () => void };

function HeaderCell<Row>({ column, sorting, onSort }: HeaderCellProps<Row>) {
  const { header, isHeaderHidden = false, compare, order, width } = column;
  // A header without visible text is no header, but a cell.
  if (isHeaderHidden) {
    return (
      <Table.Td {...layoutOf(column)} w={width}>
        <VisuallyHidden>{header}</VisuallyHidden>
      </Table.Td>
    );
  }
  if (compare === undefined && order === undefined) {
    return (
      <Table.Th {...layoutOf(column)} w={width}>
        {header}
      </Table.Th>
    );
  }
  const ownDirection = sorting?.header === header ? sorting.direction : 'none';
  const direction = order === undefined ? ownDirection : order.isSorted ? 'descending' : 'none';
  return (
    <Table.Th {...layoutOf(column)} w={width} aria-sort={direction}>
      <UnstyledButton className={table.sort} onClick={order?.onSort ?? onSort}>
        {header}
      </UnstyledButton>
    </Table.Th>
  );
}

function SkeletonRows<Row>({ count, columns }: { count: number; columns: readonly Column<Row>[] }) {
  return Array.from({ length: count }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity and never move
    <Table.Tr key={index} aria-hidden>
      {columns.map((column) => (
        <Table.Td key={column.header} {...layoutOf(column)}>
          <Skeleton
            h={14}
            my={3}
            w={column === columns[0] ? '60%' : '80%'}
            ml={column.align === 'right' ? 'auto' : 0}
          />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}

function layoutOf({ align, hiddenBelow }: Pick<Column<never>, 'align' | 'hiddenBelow'>) {
  return {
    ...(align !== undefined && { ta: align }),
    ...(hiddenBelow !== undefined && { visibleFrom: hiddenBelow }),
  };
}

function classOf<Row>({ overflow, className }: Column<Row>): string | undefined {
  const classes = [overflow === undefined ? undefined : table[overflow], className].filter(
    (name) => name !== undefined,
  );
  return classes.length === 0 ? undefined : classes.join(' ');
}
