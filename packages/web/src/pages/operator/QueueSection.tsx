// The job queue: how many jobs of each kind are waiting, running, scheduled or failed. Kinds without jobs are left out.
import { formatNumber } from '@chauffeur/contract/format';
import { Group, Stack, Text, Title } from '@mantine/core';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import type { ServiceState } from './service-state.ts';

type JobKind = ServiceState['queue']['kinds'][number];

export function QueueSection({ queue }: Pick<ServiceState, 'queue'>) {
  const { kinds, waiting, running, failed, oldest_waiting_at: oldest } = queue;
  return (
    <Stack gap="xs" component="section" aria-labelledby="queue">
      <Group justify="space-between">
        <Title order={2} size="h4" id="queue">
          Queue
        </Title>
        <Text size="sm" c="dimmed">
          {`Waiting: ${formatNumber(waiting)} · Running: ${formatNumber(running)} · Failed: ${formatNumber(failed)}`}
          {oldest !== null && (
            <>
              {' '}
              · Oldest due <Time at={oldest} />
            </>
          )}
        </Text>
      </Group>
      <DataTable
        label="Jobs by kind"
        keepsColumns
        columns={COLUMNS}
        rows={kinds}
        rowKey={({ task }) => task}
        empty={<Text size="sm">No jobs in the queue.</Text>}
      />
    </Stack>
  );
}

const COLUMNS: readonly Column<JobKind>[] = [
  { header: 'Kind', overflow: 'anywhere', cell: ({ task }) => task },
  { header: 'Lane', hiddenBelow: 'sm', cell: ({ lane }) => lane ?? 'unknown' },
  { header: 'Waiting', align: 'right', cell: ({ waiting }) => formatNumber(waiting) },
  { header: 'Running', align: 'right', cell: ({ running }) => formatNumber(running) },
  { header: 'Scheduled', align: 'right', hiddenBelow: 'sm', cell: ({ later }) => formatNumber(later) },
  {
    header: 'Failed',
    align: 'right',
    cell: ({ failed }) => (failed === 0 ? '0' : <SiteLink to="/operator/jobs">{formatNumber(failed)}</SiteLink>),
  },
];
