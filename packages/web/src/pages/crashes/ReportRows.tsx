// Crash reports as a table, the newest first.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listCrashes } from '@chauffeur/contract/operations/crashes';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { Table } from '@mantine/core';
import { call } from '../../api.ts';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { CRASHES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import classes from './crashes.module.css';
import { type LiveList, useLiveList } from './use-live-list.ts';

export type ListedReport = OutputOf<typeof listCrashes>['crashes'][number];
type ReportsInput = Omit<Parameters<typeof call<typeof listCrashes>>[1], 'cursor'>;

export function useReports(input: ReportsInput): LiveList<ListedReport> {
  return useLiveList({
    queryKey: [listCrashes.id, input],
    load: async (cursor, signal) => {
      const page = await call(listCrashes, { ...input, ...(cursor !== undefined && { cursor }) }, signal);
      return { items: page.crashes, next: page.next_cursor };
    },
    idOf: ({ crash_id }) => crash_id,
  });
}

const COLUMNS = 5;

export function ReportRows({ slug, list }: { slug: string; list: LiveList<ListedReport> }) {
  const { rows, isPending } = list;
  if (!isPending && rows.length === 0) return null;
  return (
    <Table className={`${table.table} ${classes.table}`} aria-label="Crash reports" aria-busy={isPending}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Report</Table.Th>
          <Table.Th visibleFrom="sm" w={96}>
            Version
          </Table.Th>
          <Table.Th visibleFrom="md" w={130}>
            Platform
          </Table.Th>
          <Table.Th visibleFrom="md">What the player said</Table.Th>
          <Table.Th w={120}>Received</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {isPending && <LoadingRows rows={6} columns={COLUMNS} />}
        {rows.map(({ item, isGone }) => (
          <ReportRow key={item.crash_id} slug={slug} report={item} isGone={isGone} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function ReportRow({ slug, report, isGone }: { slug: string; report: ListedReport; isGone: boolean }) {
  const { tone, word } = CRASHES[report.state];
  return (
    <Table.Tr>
      <Table.Td>
        <div className={classes.what}>
          {isGone ? (
            <span className={`${classes.title} ${classes.gone}`}>{report.title}</span>
          ) : (
            <SiteLink
              to="/dev/$slug/crashes/reports/$crashId"
              params={{ slug, crashId: report.crash_id }}
              className={classes.title}
              title={report.title}
              data-row
            >
              {report.title}
            </SiteLink>
          )}
          {isGone && 'gone'}
          {!isGone && report.state !== 'processed' && <StateBadge tone={tone}>{word}</StateBadge>}
        </div>
      </Table.Td>
      <Table.Td visibleFrom="sm" className={classes.cut}>
        {report.version || '–'}
      </Table.Td>
      <Table.Td visibleFrom="md" className={classes.cut}>
        {report.os === '' ? '–' : sayPlatform(report)}
      </Table.Td>
      <Table.Td visibleFrom="md" className={classes.cut} title={report.user_message}>
        {report.user_message || '–'}
      </Table.Td>
      <Table.Td className={table.small}>
        <Time at={report.received_at} />
      </Table.Td>
    </Table.Tr>
  );
}
