// The numbers of a build by day, newest first. Days without events have no row.
import { formatNumber } from '@chauffeur/contract/format';
import { formatTime } from '../../charts/format-time.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { type HealthDays, timeOfDay } from './health-days.ts';
import { MEDIAN_COLUMNS } from './median-columns.tsx';

export function DaysTable({ days }: { days: HealthDays }) {
  return (
    <DataTable
      label="Days of the build"
      keepsColumns
      columns={COLUMNS}
      rows={days.toReversed()}
      rowKey={({ day }) => day}
    />
  );
}

const COLUMNS: readonly Column<HealthDays[number]>[] = [
  { header: 'Day (UTC)', overflow: 'nowrap', cell: ({ day }) => formatTime(timeOfDay(day), 'day') },
  { header: 'Started', align: 'right', cell: ({ events }) => formatNumber(events.session_start ?? 0) },
  { header: 'Booted', align: 'right', cell: ({ events }) => formatNumber(events.boot_ok ?? 0) },
  { header: 'Crashed', align: 'right', cell: ({ events }) => formatNumber(events.crash ?? 0) },
  { header: 'Devices', align: 'right', cell: ({ devices }) => formatNumber(devices) },
  { header: 'Crashed devices', align: 'right', cell: ({ crashed_devices }) => formatNumber(crashed_devices) },
  ...MEDIAN_COLUMNS,
  {
    header: 'Devices last seen',
    align: 'right',
    cell: ({ devices_last_seen }) => formatNumber(devices_last_seen),
  },
];
