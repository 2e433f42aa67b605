// Crash reports as a table, newest first, for the list of reports and the page of a group.
import { formatPlatform } from '@chauffeur/contract/format';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Column } from '../../ui/DataTable.tsx';
import { formatExactTime } from '../../ui/format.ts';
import { PagedTable } from '../../ui/PagedTable.tsx';
import { CompareBar, MAX_COMPARED, selectColumn, useSelection } from '../../ui/SelectRows.tsx';
import { RowLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { CRASHES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import type { LiveRow } from '../../ui/table-rows.ts';
import classes from './crashes.module.css';
import type { ListedReport, LiveList } from './use-live-list.ts';

type ReportTableProps = { slug: string; list: LiveList<ListedReport>; empty?: ReactNode };

/** Two reports can be selected to compare them. */
export function ReportTable({ slug, list, empty }: ReportTableProps) {
  const navigate = useNavigate();
  const [chosen, setChosen] = useSelection('reports');
  const gone = (list.rows ?? []).filter(SELECTABLE.isGone).map(SELECTABLE.idOf);
  const selected = chosen.filter((id) => !gone.includes(id));
  const compare = (a: string, b: string) =>
    void navigate({ to: '/dev/$slug/crashes/compare', params: { slug }, search: { a, b } });
  return (
    <>
      <CompareBar selected={selected} itemName="report" onCompare={compare} onClear={() => setChosen([])} />
      <PagedTable
        label="Crash reports"
        keepsColumns
        list={list}
        columns={[selectColumn({ ...SELECTABLE, selected, onSelect: setChosen }), ...reportColumns(slug)]}
        rowKey={({ item }) => item.crash_id}
        skeletonRows={6}
        isFixed
        empty={empty}
        more="Show more reports"
      />
    </>
  );
}

const SELECTABLE = {
  idOf: ({ item }: LiveRow<ListedReport>) => item.crash_id,
  nameOf: ({ item }: LiveRow<ListedReport>) => `${item.title}, received ${formatExactTime(new Date(item.received_at))}`,
  isGone: ({ isGone }: LiveRow<ListedReport>) => isGone,
  max: MAX_COMPARED,
};

function reportColumns(slug: string): Column<LiveRow<ListedReport>>[] {
  return [
    { header: 'Report', cell: (row) => <ReportTitle slug={slug} row={row} /> },
    {
      header: 'Version',
      hiddenBelow: 'sm',
      width: 96,
      overflow: 'ellipsis',
      cell: ({ item }) => item.version || '–',
    },
    {
      header: 'Platform',
      hiddenBelow: 'md',
      width: 150,
      overflow: 'ellipsis',
      cell: ({ item }) => (item.os === '' ? '–' : formatPlatform(item)),
    },
    {
      header: 'Player message',
      hiddenBelow: 'md',
      overflow: 'ellipsis',
      title: ({ item }) => item.user_message,
      cell: ({ item }) => item.user_message || '–',
    },
    { header: 'Received', width: 134, overflow: 'nowrap', cell: ({ item }) => <Time at={item.received_at} /> },
  ];
}

function ReportTitle({ slug, row: { item: report, isGone } }: { slug: string; row: LiveRow<ListedReport> }) {
  if (isGone) {
    return (
      <div className={classes.what}>
        <span className={`${classes.title} ${classes.gone}`}>{report.title}</span>
        deleted
      </div>
    );
  }
  const { tone, label } = CRASHES[report.state];
  return (
    <div className={classes.what}>
      <RowLink
        to="/dev/$slug/crashes/reports/$crashId"
        params={{ slug, crashId: report.crash_id }}
        className={classes.title}
        title={report.title}
      >
        {report.title}
      </RowLink>
      {report.state !== 'processed' && <StateBadge tone={tone}>{label}</StateBadge>}
    </div>
  );
}
