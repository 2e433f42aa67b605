// Everything that is known of a build's days, the newest first; days on which nothing came have no row.
import { Table } from '@mantine/core';
import { sayTime } from '../../charts/say-time.ts';
import { ScrollBox } from '../../ui/ScrollBox.tsx';
import { sayExactNumber, sayMs, saySeconds } from '../../ui/say.ts';
import table from '../../ui/table.module.css';
import { Median } from './HealthTable.tsx';
import { type HealthDays, timeOfDay } from './health-days.ts';

export function DaysTable({ days }: { days: HealthDays }) {
  return (
    <ScrollBox label="Days of the build">
      <Table className={table.table} aria-label="Days of the build">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Day (UTC)</Table.Th>
            <Table.Th ta="right">Started</Table.Th>
            <Table.Th ta="right">Booted</Table.Th>
            <Table.Th ta="right">Crashed</Table.Th>
            <Table.Th ta="right">Time to start</Table.Th>
            <Table.Th ta="right">Session</Table.Th>
            <Table.Th ta="right">Devices last heard of</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map(({ day, events, boot_ms, session_seconds, devices_last_seen }) => (
            <Table.Tr key={day}>
              <Table.Td className={table.small}>{sayTime(timeOfDay(day), 'day')}</Table.Td>
              <Table.Td ta="right">{sayExactNumber(events.session_start ?? 0)}</Table.Td>
              <Table.Td ta="right">{sayExactNumber(events.boot_ok ?? 0)}</Table.Td>
              <Table.Td ta="right">{sayExactNumber(events.crash ?? 0)}</Table.Td>
              <Table.Td ta="right" className={table.small}>
                <Median of={boot_ms} say={sayMs} />
              </Table.Td>
              <Table.Td ta="right" className={table.small}>
                <Median of={session_seconds} say={saySeconds} />
              </Table.Td>
              <Table.Td ta="right">{sayExactNumber(devices_last_seen)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}
