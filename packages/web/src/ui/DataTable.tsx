// A table whose columns are data. It has one look and one behaviour everywhere: dense rows, skeleton rows in the shape of
// the real ones, an empty state instead of an empty table, and columns that make room on narrow screens.
//
//   const columns: Column<Build>[] = [
//     { header: 'Version', cell: (build) => <RowLink to="…" params={{ … }}>{build.version}</RowLink> },
//     { header: 'Size', cell: (build) => <Bytes count={build.size} />, align: 'right', hiddenBelow: 'md' },
//     { header: 'Change', isHeaderHidden: true, cell: (build) => <Button …>Delete</Button>, align: 'right' },
//   ];
//   <DataTable label="Builds" columns={columns} rows={data?.builds} rowKey={({ build_id }) => build_id} />
//
// Columns that depend on nothing in the component are a constant of the module; others are made by a function, such as
// `buildColumns(slug)`. A list with a cursor uses `PagedTable` with the result of `usePages`.
import { Skeleton, Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './ScrollBox.module.css';
import table from './table.module.css';
import { type Sorting, sortRows, toggleSorting } from './table-rows.ts';

export type Column<Row> = {
  /** Unique within the table. */
  readonly header: string;
  /** The header on a phone, if the cells have more there. */
  readonly phoneHeader?: string;
  /** Hides the header of a column that needs none, such as one with buttons. Screen readers still read it. */
  readonly isHeaderHidden?: boolean;
  /** Shown instead of the text of the header, such as a checkbox that selects all rows. */
  readonly headerCell?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the right, and so are buttons in the last column. */
  readonly align?: 'right';
  /** Pixels, or a CSS length. */
  readonly width?: number | string;
  /** Hides the column on screens narrower than this breakpoint, except in rows that are blocks. */
  readonly hiddenBelow?: 'sm' | 'md';
  /**
   * `nowrap` keeps the text on one line, `anywhere` breaks long words, `ellipsis` cuts the text off (fixed layout
   * only).
   */
  readonly overflow?: 'nowrap' | 'anywhere' | 'ellipsis';
  /** The cells often have several lines. In rows that are blocks, they are below their header instead of next to it. */
  readonly isLong?: boolean;
  readonly className?: string | undefined;
  /** The tooltip of the cell: an exact value, or a text that may be cut off. */
  readonly title?: (row: Row) => string | undefined;
  /** Rows below each other with the same text share one cell. */
  readonly mergedBy?: (row: Row) => string;
  /** Makes the header a button that sorts by this order. Use it only in tables that have the whole list. */
  readonly compare?: (a: Row, b: Row) => number;
  /** Makes the header a button that sorts the whole list on the server, from the largest or newest value. */
  readonly order?: { readonly isSorted: boolean; readonly onSort: () => void };
};

export type DataTableProps<Row> = {
  /** The accessible name, such as `Builds`. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined until the rows are loaded, or if loading failed. */
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
  /**
   * Keeps the columns on a phone, where each row is otherwise a block with one line per column. Use it for tables with
   * a few narrow columns, or with their own layout.
   */
  keepsColumns?: boolean;
};

/** Without these, the parts of a stacked table would lose their roles, because they are laid out as blocks. */
const ROLES = { table: { role: 'table' }, row: { role: 'row' }, cell: { role: 'cell' } } as const;

export function DataTable<Row>({ rows, isLoading = false, empty = null, ...props }: DataTableProps<Row>) {
  if (rows === undefined && !isLoading) return null;
  if (rows?.length === 0) return empty;
  return (
    <ScrollBox label={props.label} className={table.bleed}>
      <FilledTable rows={rows} isLoading={isLoading} {...props} />
    </ScrollBox>
  );
}

function FilledTable<Row>(props: Omit<DataTableProps<Row>, 'empty'>) {
  const { label, columns, rows, rowKey, isLoading, skeletonRows = 5, isCurrent, isFixed = false } = props;
  const { keepsColumns = false } = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const sorted = sortRows(rows ?? [], columns, sorting);
  return (
    <table
      className={keepsColumns ? table.table : `${table.table} ${table.stacked}`}
      {...ROLES.table}
      data-fixed={isFixed || undefined}
      aria-label={label}
      aria-busy={isLoading === true ? true : undefined}
    >
      <thead>
        <tr>
          {columns.map((column) => (
            <HeaderCell
              key={column.header}
              column={column}
              sorting={sorting}
              onSort={() => setSorting(toggleSorting(sorting, column.header))}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows === undefined && <SkeletonRows count={skeletonRows} columns={columns} />}
        {sorted.map((row, index) => (
          <tr
            key={rowKey(row, index)}
            {...ROLES.row}
            aria-current={isCurrent?.(row) === true ? 'true' : undefined}
            data-continued={columns[0] !== undefined && spanOf(columns[0], sorted, index) === 0 ? true : undefined}
            data-continues={columns.some((column) => spanOf(column, sorted, index + 1) === 0) || undefined}
          >
            {columns.map((column) => {
              const rowSpan = spanOf(column, sorted, index);
              if (rowSpan === 0) return null;
              return (
                <td
                  key={column.header}
                  rowSpan={rowSpan === 1 ? undefined : rowSpan}
                  {...layoutOf(column)}
                  {...ROLES.cell}
                  data-label={column.isHeaderHidden === true ? undefined : column.header}
                  className={classOf(column)}
                  title={column.title?.(row)}
                >
                  <div className={table.value}>{column.cell(row)}</div>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How many rows the cell takes up; 0 if it is part of the cell above. */
function spanOf<Row>({ mergedBy }: Column<Row>, rows: readonly Row[], index: number): number {
  if (mergedBy === undefined) return 1;
  const isSame = (other: number) => {
    const [row, another] = [rows[index], rows[other]];
    return row !== undefined && another !== undefined && mergedBy(row) === mergedBy(another);
  };
  if (isSame(index - 1)) return 0;
  let end = index + 1;
  while (isSame(end)) end += 1;
  return end - index;
}

type HeaderCellProps<Row> = { column: Column<Row>; sorting: Sorting | null; onSort: () => void };

function HeaderCell<Row>({ column, sorting, onSort }: HeaderCellProps<Row>) {
  const { header, phoneHeader, headerCell, isHeaderHidden = false, compare, order } = column;
  // Without visible text, a cell must not be marked as a header.
  if (isHeaderHidden) {
    return (
      <td {...layoutOf(column)} {...widthOf(column)}>
        {headerCell ?? <VisuallyHidden>{header}</VisuallyHidden>}
      </td>
    );
  }
  if (compare === undefined && order === undefined) {
    return (
      <th {...layoutOf(column)} {...widthOf(column)}>
        {phoneHeader === undefined ? (
          header
        ) : (
          <>
            <span className={table.phoneOnly}>{phoneHeader}</span>
            <span className={table.wideOnly}>{header}</span>
          </>
        )}
      </th>
    );
  }
  const ownDirection = sorting?.header === header ? sorting.direction : 'none';
  const direction = order === undefined ? ownDirection : order.isSorted ? 'descending' : 'none';
  return (
    <th {...layoutOf(column)} {...widthOf(column)} aria-sort={direction}>
      <UnstyledButton className={table.sort} onClick={order?.onSort ?? onSort}>
        {header}
      </UnstyledButton>
    </th>
  );
}

function SkeletonRows<Row>({ count, columns }: { count: number; columns: readonly Column<Row>[] }) {
  return Array.from({ length: count }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity and never move
    <tr key={index} aria-hidden>
      {columns.map((column) => (
        <td key={column.header} {...layoutOf(column)}>
          <Skeleton
            h={14}
            my={3}
            w={column === columns[0] ? '60%' : '80%'}
            ml={column.align === 'right' ? 'auto' : 0}
          />
        </td>
      ))}
    </tr>
  ));
}

function layoutOf({ align, hiddenBelow, isLong }: Pick<Column<never>, 'align' | 'hiddenBelow' | 'isLong'>) {
  return { 'data-align': align, 'data-hidden-below': hiddenBelow, 'data-long': isLong };
}

function widthOf({ width }: Pick<Column<never>, 'width'>) {
  return width === undefined ? {} : { style: { width } };
}

function classOf<Row>({ overflow, className }: Column<Row>): string | undefined {
  const classes = [overflow === undefined ? undefined : table[overflow], className].filter(
    (name) => name !== undefined,
  );
  return classes.length === 0 ? undefined : classes.join(' ');
}

type ScrollBoxProps = {
  /** Names the content for screen readers. */
  label: string;
  className?: string | undefined;
  children: ReactNode;
};

/** Lets content that is too wide scroll sideways on its own, by keyboard too, so that the page stays still. */
export function ScrollBox({ label, className = '', children }: ScrollBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isTooWide, setTooWide] = useState(false);
  useEffect(() => {
    const shown = box.current;
    if (shown === null) return;
    const measure = () => setTooWide(shown.scrollWidth > shown.clientWidth);
    const observer = new ResizeObserver(measure);
    for (const element of [shown, ...shown.children]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    // The box needs the focus to be scrolled by keyboard, but must not be a tab stop if there is nothing to scroll.
    <div
      ref={box}
      className={`${classes.box} ${classes.content} ${className}`}
      {...(isTooWide && { 'data-scrolls': true, tabIndex: 0, role: 'group', 'aria-label': label })}
    >
      {children}
    </div>
  );
}

type EmptyStateProps = {
  children: ReactNode;
  /** What adds the first item, such as a `ChauffeurCommand`. */
  command?: ReactNode;
};

/** Says in an empty list what is missing, and what to do next. */
export function EmptyState({ children, command }: EmptyStateProps) {
  return (
    <Stack gap="xs" pb="xs" maw={640}>
      <Text size="sm">{children}</Text>
      {command}
    </Stack>
  );
}
