// The numbers of a build by day, newest first. Days without events have no row.
import { formatDuration, formatMilliseconds, formatNumber } from '@chauffeur/contract/format';
import { formatTime } from '../../charts/format-time.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { type HealthDays, timeOfDay } from './health-days.ts';
import { Median } from './Median.tsx';

export function DaysTable({ days }: { days: HealthDays }) {
  return (
    <DataTable
      label="Days of the build"
      columns={COLUMNS}
      rows={days.toReversed()}
      rowKey={({ day }) => day}
      isScrollable
    />
  );
}

const COLUMNS: readonly Column<HealthDays[number]>[] = [
  { header: 'Day (UTC)', overflow: 'nowrap', cell: ({ day }) => formatTime(timeOfDay(day), 'day') },
  { header: 'Started', align: 'right', cell: ({ events }) => formatNumber(events.session_start ?? 0) },
  { header: 'Booted', align: 'right', cell: ({ events }) => formatNumber(events.boot_ok ?? 0) },
  { header: 'Crashed', align: 'right', cell: ({ events }) => formatNumber(events.crash ?? 0) },
  {
    header: 'Time to start',
    align: 'right',
    overflow: 'nowrap',
    cell: ({ boot_ms }) => <Median {...boot_ms} format={formatMilliseconds} />,
  },
  {
    header: 'Session',
    align: 'right',
    overflow: 'nowrap',
    cell: ({ session_seconds }) => <Median {...session_seconds} format={formatDuration} />,
  },
  {
    header: 'Devices last seen',
    align: 'right',
    cell: ({ devices_last_seen }) => formatNumber(devices_last_seen),
  },
];
