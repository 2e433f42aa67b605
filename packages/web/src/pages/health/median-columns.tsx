// The columns of the medians of launch health, the same for builds and for days.
import { formatDuration, formatMilliseconds } from '@chauffeur/contract/format';
import type { Column } from '../../ui/DataTable.tsx';
import type { BuildHealth } from './health-days.ts';
import { Median } from './Median.tsx';

export const MEDIAN_COLUMNS: readonly Column<Pick<BuildHealth, 'boot_ms' | 'session_seconds'>>[] = [
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
];
