// The components of the service apart from the queue, each with its state and numbers.
import { formatCompactNumber } from '@chauffeur/contract/format';
import { Text } from '@mantine/core';
import { Bytes } from '../../ui/Bytes.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { formatItems } from '../../ui/format.ts';
import { Section } from '../../ui/Section.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import type { ServiceState } from './service-state.ts';

function Reachability({ isReachable }: { isReachable: boolean }) {
  return isReachable ? <StateBadge tone="good">Reachable</StateBadge> : <StateBadge tone="bad">Unreachable</StateBadge>;
}

const STORED = { builds: 'Build files', images: 'Store images', videos: 'Videos', symbols: 'Symbols' } as const;

export function StorageSection({ storage }: Pick<ServiceState, 'storage'>) {
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

export function ScannerSection({ scanner }: Pick<ServiceState, 'scanner'>) {
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

export function DatabaseSection({ database, totals }: Pick<ServiceState, 'database' | 'totals'>) {
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

const MAIL = {
  smtp: 'Email is sent by SMTP.',
  outbox: 'Email is written to the outbox in the data folder.',
} as const;

type Process = ServiceState['processes'][number];

export function ProcessesSection({ processes, mail }: Pick<ServiceState, 'processes' | 'mail'>) {
  return (
    <Section title="Processes">
      <DataTable
        label="Processes"
        columns={PROCESS_COLUMNS}
        rows={processes}
        rowKey={({ process_no }) => String(process_no)}
      />
      <Text size="sm" c="dimmed">
        {MAIL[mail.by]} {`Held back today: ${formatItems(mail.held_today, 'email')}.`}
      </Text>
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
