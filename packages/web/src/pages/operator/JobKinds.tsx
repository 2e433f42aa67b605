// The queue: how many jobs of each kind wait, run and have failed. Kinds with nothing to tell are left out.
import { Group, Stack, Table, Text, Title } from '@mantine/core';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { sayExactNumber } from '../../ui/say.ts';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { ServiceState } from './StatePage.tsx';

export function JobKinds({ queue }: Pick<ServiceState, 'queue'>) {
  const { kinds, waiting, running, failed, oldest_waiting_at: oldest } = queue;
  return (
    <Stack gap="xs" component="section" aria-labelledby="queue">
      <Group justify="space-between">
        <Title order={2} size="h4" id="queue">
          Queue
        </Title>
        <Text size="sm" c="dimmed">
          {sayExactNumber(waiting)} waiting · {sayExactNumber(running)} running · {sayExactNumber(failed)} failed
          {oldest !== null && (
            <>
              {' '}
              · the oldest due <Time at={oldest} />
            </>
          )}
        </Text>
      </Group>
      {kinds.length === 0 ? (
        <Text size="sm">Empty: every job is done.</Text>
      ) : (
        <Table className={table.table} aria-label="Jobs by kind">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Kind</Table.Th>
              <Table.Th visibleFrom="sm">Lane</Table.Th>
              <Table.Th ta="right">Waiting</Table.Th>
              <Table.Th ta="right">Running</Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Later
              </Table.Th>
              <Table.Th ta="right">Failed</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {kinds.map((kind) => (
              <Table.Tr key={kind.task}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{kind.task}</Table.Td>
                <Table.Td visibleFrom="sm">{kind.lane ?? 'unknown'}</Table.Td>
                <Table.Td ta="right">{sayExactNumber(kind.waiting)}</Table.Td>
                <Table.Td ta="right">{sayExactNumber(kind.running)}</Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {sayExactNumber(kind.later)}
                </Table.Td>
                <Table.Td ta="right">
                  {kind.failed === 0 ? '0' : <SiteLink to="/operator/jobs">{sayExactNumber(kind.failed)}</SiteLink>}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
