// The pending approvals of the games that the person owns.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listWaitingApprovals } from '@chauffeur/contract/operations/approvals';
import { Text } from '@mantine/core';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { type PagedList, usePages } from '../../ui/PagedTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Countdown } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';

type WaitingApproval = OutputOf<typeof listWaitingApprovals>['approvals'][number];

const PAGE_SIZE = 10;
/** An agent may request something while the page is open. */
const REFRESH_MS = 30_000;

export function useWaitingApprovals(): PagedList<WaitingApproval> {
  return usePages(listWaitingApprovals, { limit: PAGE_SIZE }, (page) => page.approvals, {
    refetchInterval: REFRESH_MS,
  });
}

/** Renders nothing if no approvals are pending. */
export function WaitingApprovals({ list }: { list: PagedList<WaitingApproval> }) {
  const problem = list.error === null ? null : <Problem error={list.error} onRetry={list.retry} />;
  if (list.rows === undefined || list.rows.length === 0) return problem;
  return (
    <Section title="Waiting for your approval">
      {problem}
      <DataTable label="Waiting for your approval" columns={COLUMNS} rows={list.rows} rowKey={({ uid }) => uid} />
      <ShowMore list={list}>Show older requests</ShowMore>
    </Section>
  );
}

const COLUMNS: readonly Column<WaitingApproval>[] = [
  {
    header: 'Request',
    cell: ({ uid, summary }) => (
      <SiteLink to="/approve/$uid" params={{ uid }} className={table.main}>
        {summary}
      </SiteLink>
    ),
  },
  { header: 'Game', cell: ({ game }) => game.name },
  {
    header: 'Agent',
    cell: ({ via, asked_by }) => (
      <span>
        “{via}”{' '}
        <Text span size="xs" c="dimmed">
          for {asked_by}
        </Text>
      </span>
    ),
  },
  { header: 'Expires in', align: 'right', cell: ({ expires_at }) => <Countdown until={expires_at} /> },
];
