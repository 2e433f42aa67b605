// The parts of the service beside the queue, each with its numbers.
import { Table, Text } from '@mantine/core';
import { Bytes } from '../../ui/Bytes.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { sayCount } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { ServiceState } from './StatePage.tsx';

function Answers({ isSo }: { isSo: boolean }) {
  return isSo ? <StateBadge tone="good">Answers</StateBadge> : <StateBadge tone="bad">Does not answer</StateBadge>;
}

const KEPT = { builds: 'Files of builds', images: 'Store images', symbols: 'Symbols' } as const;

export function StoragePart({ storage }: Pick<ServiceState, 'storage'>) {
  const { kind, reachable, free_bytes: free, total_bytes: total, kept } = storage;
  return (
    <Section title="Storage">
      <Facts
        facts={[
          ['Kept in', kind === 'files' ? 'Files under the data folder' : 'An S3 bucket'],
          ['State', <Answers key="state" isSo={reachable} />],
          [
            'Free',
            free === null || total === null ? (
              'Not known'
            ) : (
              <>
                <Bytes count={free} /> of <Bytes count={total} />
              </>
            ),
          ],
          ...kept.map(
            ({ what, count, bytes }) =>
              [
                KEPT[what],
                <>
                  <Bytes count={bytes} />{' '}
                  <Text span size="sm" c="dimmed">
                    in {sayCount(count)}
                  </Text>
                </>,
              ] as const,
          ),
        ]}
      />
    </Section>
  );
}

export function ScannerPart({ scanner }: Pick<ServiceState, 'scanner'>) {
  const { configured, reachable, engine, signatures } = scanner;
  return (
    <Section title="Virus scanner">
      {configured ? (
        <Facts
          facts={[
            ['State', <Answers key="state" isSo={reachable} />],
            ['Engine', engine ?? 'Not known'],
            ['Signatures', signatures ?? 'Without a version'],
          ]}
        />
      ) : (
        <Text size="sm">None is set up.</Text>
      )}
    </Section>
  );
}

export function DatabasePart({ database, totals }: Pick<ServiceState, 'database' | 'totals'>) {
  return (
    <Section title="Database">
      <Facts
        facts={[
          ['PostgreSQL', `${database.version}, ${database.embedded ? 'embedded' : 'your own'}`],
          ['Size', <Bytes key="size" count={database.bytes} />],
          ['Connections', `${database.connections} of ${database.most_connections}`],
          ['Migrations', `${database.migrations}, the newest ${database.newest_migration ?? '–'}`],
          [
            'It holds',
            [sayMany(totals.users, 'account'), sayMany(totals.games, 'game'), sayMany(totals.builds, 'build')].join(
              ', ',
            ),
          ],
        ]}
      />
    </Section>
  );
}

function sayMany(count: number, what: string): string {
  return `${sayCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

const MAIL = { smtp: 'Sent by SMTP', outbox: 'Written to the data folder’s outbox' } as const;

export function ProcessesPart({ processes, mail }: Pick<ServiceState, 'processes' | 'mail'>) {
  return (
    <Section title="Processes">
      <Table className={table.table} aria-label="Processes">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Role</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Takes jobs</Table.Th>
            <Table.Th>Started</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {processes.map((process) => (
            <Table.Tr key={process.process_no}>
              <Table.Td>{process.role}</Table.Td>
              <Table.Td>
                {process.alive ? <StateBadge tone="good">Alive</StateBadge> : <StateBadge tone="bad">Died</StateBadge>}
              </Table.Td>
              <Table.Td>{process.takes_jobs ? 'Yes' : 'No'}</Table.Td>
              <Table.Td>
                <Time at={process.started_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed">
        Mails: {MAIL[mail.by]}.
      </Text>
    </Section>
  );
}
