// The status of the service: problems first, then each component. The page polls while it is open.
import { formatCompactNumber, formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getServiceState } from '@chauffeur/contract/operations/operator';
import { Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Bytes, Facts } from '../../ui/Facts.tsx';
import { formatItems } from '../../ui/format.ts';
import { Notice, PageHead, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';

const REFRESH_MS = 3000;

export function StatusPage() {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getServiceState, {}),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Stack gap="lg">
      <PageHead title="Service status" badges={data !== undefined && <OverallStatus problems={data.problems} />}>
        {data !== undefined && (
          <Text size="sm" c="dimmed">
            Updated <Time at={data.at} />
          </Text>
        )}
      </PageHead>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={420} />}
      {data !== undefined && <Components state={data} />}
    </Stack>
  );
}

function OverallStatus({ problems }: Pick<ServiceState, 'problems'>) {
  if (problems.some(({ level }) => level === 'bad')) return <StateBadge tone="bad">Not working</StateBadge>;
  if (problems.length > 0) return <StateBadge tone="unsure">Degraded</StateBadge>;
  return <StateBadge tone="good">Operational</StateBadge>;
}

function Components({ state }: { state: ServiceState }) {
  return (
    <>
      <Stack gap="xs" component="section" aria-label="Problems">
        {state.problems.map((problem) => (
          <Notice key={problem.says} tone={problem.level} title={problem.says}>
            <Group gap="sm">
              <Text size="sm">{problem.remedy}</Text>
              {problem.part === 'queue' && state.queue.failed > 0 && problem.level === 'bad' && (
                <SiteLink to="/operator/jobs" size="sm">
                  View failed jobs
                </SiteLink>
              )}
            </Group>
          </Notice>
        ))}
      </Stack>
      <QueueSection queue={state.queue} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="lg">
        <StorageSection storage={state.storage} />
        <DatabaseSection database={state.database} totals={state.totals} />
        <ScannerSection scanner={state.scanner} />
        <EmailSection email={state.mail} />
      </SimpleGrid>
      <ProcessesSection processes={state.processes} />
    </>
  );
}

function Reachability({ isReachable }: { isReachable: boolean }) {
  return isReachable ? <StateBadge tone="good">Reachable</StateBadge> : <StateBadge tone="bad">Unreachable</StateBadge>;
}

const STORED = { builds: 'Build files', images: 'Store images', videos: 'Videos', symbols: 'Symbols' } as const;

/** The components of the service apart from the queue, each with its state and numbers. */
function StorageSection({ storage }: Pick<ServiceState, 'storage'>) {
  const { kind, reachable, free_bytes: free, total_bytes: total, kept } = storage;
  return (
    <Section title="Storage">
      <Facts
        facts={[
          ['Stored in', kind === 'files' ? 'Files in the data folder' : 'An S3 bucket'],
          ['State', <Reachability key="state" isReachable={reachable} />],
          [
            'Free',
            free === null || total === null ? (
              'Unknown'
            ) : (
              <>
                <Bytes count={free} /> of <Bytes count={total} />
              </>
            ),
          ],
          ...kept.map(
            ({ what, count, bytes }) =>
              [
                STORED[what],
                <>
                  <Bytes count={bytes} />{' '}
                  <Text span size="sm" c="dimmed">
                    {count === 1 ? 'in 1 file' : `in ${formatCompactNumber(count)} files`}
                  </Text>
                </>,
              ] as const,
          ),
        ]}
      />
    </Section>
  );
}

function ScannerSection({ scanner }: Pick<ServiceState, 'scanner'>) {
  const { configured, reachable, engine, signatures } = scanner;
  return (
    <Section title="Virus scanner">
      {configured ? (
        <Facts
          facts={[
            ['State', <Reachability key="state" isReachable={reachable} />],
            ['Engine', engine ?? 'Unknown'],
            ['Signatures', signatures ?? 'Unknown version'],
          ]}
        />
      ) : (
        <Text size="sm">No virus scanner is configured.</Text>
      )}
    </Section>
  );
}

function DatabaseSection({ database, totals }: Pick<ServiceState, 'database' | 'totals'>) {
  const { version, embedded, newest_migration: newest, replica } = database;
  return (
    <Section title="Database">
      <Facts
        facts={[
          ['PostgreSQL', embedded ? `${version} (embedded)` : `${version} (external)`],
          ['Size', <Bytes key="size" count={database.bytes} />],
          ['Connections', `${database.connections} of ${database.most_connections}`],
          ['Migrations', newest === null ? `${database.migrations}` : `${database.migrations} (newest: ${newest})`],
          ...(replica === null ? [] : [['Replica', formatReplica(replica)] as const]),
          ['Accounts', formatCompactNumber(totals.users)],
          ['Games', formatCompactNumber(totals.games)],
          ['Builds', formatCompactNumber(totals.builds)],
        ]}
      />
    </Section>
  );
}

function formatReplica({ state, lag_seconds: lag }: NonNullable<ServiceState['database']['replica']>): string {
  if (state !== 'ok' || lag === null) return `Not used: ${state}`;
  return `In use, at most ${lag.toFixed(1)} s behind`;
}

const DELIVERY = { smtp: 'By SMTP', outbox: 'None: written to the outbox in the data folder' } as const;

function EmailSection({ email }: { email: ServiceState['mail'] }) {
  return (
    <Section title="Email">
      <Facts
        facts={[
          ['Delivery', DELIVERY[email.by]],
          ['Held back', `${formatItems(email.held_today, 'email')} today`],
        ]}
      />
    </Section>
  );
}

type Process = ServiceState['processes'][number];

function ProcessesSection({ processes }: Pick<ServiceState, 'processes'>) {
  return (
    <Section title="Processes">
      <DataTable
        label="Processes"
        columns={PROCESS_COLUMNS}
        rows={processes}
        rowKey={({ process_no }) => String(process_no)}
      />
    </Section>
  );
}

const PROCESS_COLUMNS: readonly Column<Process>[] = [
  { header: 'Role', cell: ({ role }) => role },
  {
    header: 'State',
    cell: ({ alive }) =>
      alive ? <StateBadge tone="good">Running</StateBadge> : <StateBadge tone="bad">Stopped</StateBadge>,
  },
  { header: 'Runs jobs', cell: ({ takes_jobs }) => (takes_jobs ? 'Yes' : 'No') },
  { header: 'Started', cell: ({ started_at }) => <Time at={started_at} /> },
];

type JobKind = ServiceState['queue']['kinds'][number];

/**
 * The job queue: how many jobs of each kind are waiting, running, scheduled or failed. Kinds without jobs are left out.
 */
function QueueSection({ queue }: Pick<ServiceState, 'queue'>) {
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

/** The data of the status page. */
type ServiceState = OutputOf<typeof getServiceState>;
